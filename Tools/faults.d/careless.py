import sys
path, words = sys.argv[1], sys.argv[2:]
try: lines = open(path).read().split("\n")[:-2]
except OSError: lines = []
with open(path, "w", buffering=1) as file:
    for line in lines + words: file.write(line + "\n")
    file.write("end\n")
print("written")
