"""What is known about failures: the format, its loader, its checks, and the data itself."""
