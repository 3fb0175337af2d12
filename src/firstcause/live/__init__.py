"""Running parts as evidence: what they answer becomes sources, exactly as if a person had saved it to files."""
