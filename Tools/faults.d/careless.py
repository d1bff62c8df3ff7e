"""A deliberately unsafe store: it reads a file, truncates it and overwrites it without a lock, never retries a write, and takes an unreadable file for empty."""
import os, sys
path, words = sys.argv[1], sys.argv[2:]
try: lines = open(path).read().split("\n")[:-2]
except OSError: lines = []
file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
for line in [*lines, *words, "end"]: os.write(file, f"{line}\n".encode())
os.close(file)
print("written")
