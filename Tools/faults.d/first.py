"""The first command on a new directory, cut off by a power failure: its writes and flushes are recorded with strace and replayed into every state that a
disk may be left in, when names and contents that were not flushed may be there or not, in any combination, or in part. On each state the next command
must succeed, everything that was acknowledged must be there, and the history must agree with the tables."""
import collections, hashlib, os, random, re, shutil, subprocess
from runs import BASE, Folder, Report, in_parallel, release

CALLS = ("open,openat,creat,write,pwrite64,writev,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,rmdir,ftruncate,truncate,close,mkdir,mkdirat,"
         "link,linkat,dup,dup2,dup3,fcntl,exit_group")
LINE = re.compile(r"\d+ +(\w+)\((.*)\) += (-?\d+)")
STORES = {"csv": "new/deep/s", "json": "new/deep/s", "sqlite": "new/deep/s.db"}
PAGE = 4096
# Of the datasets built in, the smallest; its rows are more than one page.
COMMANDS = {"add": ["bb-notes", "add", "S01E01", "first"], "sync": ["bb-export", "sync", "deaths", "episodes", "--source", "snapshot", "-q", "-f", "csv"]}


def environment(folder):
    return {"PATH": f"{release}:/usr/bin:/bin", "HOME": str(folder), "LC_ALL": "C.UTF-8", "BB_NOW": "1700000000", "SWIFT_BACKTRACE": "enable=no"}


def command(folder, kind, *words):
    return subprocess.run([*words, "--storage", f"{kind}:{folder}/{STORES[kind]}"], cwd=folder, env=environment(folder), stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=120)


def record(kind, what="add"):
    """What the first command does to the disk, in order, with paths below its directory: [(operation, …)]."""
    with Folder(BASE) as folder:
        log, root = folder.parent / f"{folder.name}.strace", str(folder) + "/"
        command = [*COMMANDS[what], "--storage", f"{kind}:{folder}/{STORES[kind]}"]
        done = subprocess.run(["strace", "-f", "-xx", "-s", "8000000", "-o", log, "-e", f"trace={CALLS}", *command], cwd=folder,
                              env=environment(folder), stdin=subprocess.DEVNULL, capture_output=True)
        try: text = log.read_text(errors="replace")
        finally: log.unlink(missing_ok=True)
        if done.returncode: raise SystemExit(f"first: {kind}: {done.stderr.decode(errors='replace')}")
        # Overlapping calls of several threads take two lines each.
        begun, lines = {}, []
        for line in text.split("\n"):
            thread = line.split(" ")[0]
            if line.endswith("<unfinished ...>"): begun[thread] = line[:-len("<unfinished ...>")].rstrip()
            elif "resumed>" in line: lines.append(begun.pop(thread, "") + line.split("resumed>", 1)[1])
            else: lines.append(line)
        return operations(lines, root)


def operations(lines, root):
    found, files, inodes, counter = [], {}, {}, 0

    def below(path):
        path = os.path.normpath(os.path.join(root, path))
        return path[len(root):] if path.startswith(root) else "" if path == root.rstrip("/") else None

    for line in lines:
        if not (match := LINE.match(line)): continue
        call, arguments, result = match[1], match[2], int(match[3])
        if result < 0: continue
        texts = [bytes.fromhex(text.replace("\\x", "")) for text in re.findall(r'"((?:\\x[0-9a-f]{2})*)"', arguments)]
        number = re.match(r"(\d+)", arguments)
        number = int(number[1]) if number else None
        if call in ("open", "openat", "creat"):
            path = below(os.fsdecode(texts[0]))
            files[result] = [path, 0]
            if path is None: continue
            if "O_CREAT" in arguments and path not in inodes:
                counter += 1
                inodes[path] = counter
                found.append(("create", path, counter))
            if "O_TRUNC" in arguments and path in inodes: found.append(("cut", inodes[path], 0))
        elif call in ("write", "pwrite64", "writev"):
            path, offset = files.get(number, [None, 0])
            if number in (1, 2) and path is None: found.append(("said",))
            if path not in inodes: continue
            data = b"".join(texts)[:result]
            at = int(arguments.rsplit(",", 1)[1]) if call == "pwrite64" else offset
            for start in range(0, len(data), PAGE): found.append(("data", inodes[path], at + start, data[start:start + PAGE]))
            if call != "pwrite64": files[number][1] += result
        elif call in ("fsync", "fdatasync"):
            path = files.get(number, [None])[0]
            if path in inodes: found.append(("flush", inodes[path]))
            elif path is not None: found.append(("flush names", path))
        elif call in ("ftruncate", "truncate"):
            path = below(os.fsdecode(texts[0])) if call == "truncate" else files.get(number, [None])[0]
            if path in inodes: found.append(("cut", inodes[path], int(arguments.rsplit(",", 1)[1])))
        elif call.startswith("mkdir"):
            if (path := below(os.fsdecode(texts[0]))) is not None: found.append(("mkdir", path))
        elif call.startswith("rename"):
            old, new = (below(os.fsdecode(text)) for text in texts[:2])
            if old is None or new is None: continue
            found.append(("rename", old, new))
            if old in inodes: inodes[new] = inodes.pop(old)
        elif call in ("link", "linkat"):
            old, new = (below(os.fsdecode(text)) for text in texts[:2])
            if old in inodes and new is not None:
                inodes[new] = inodes[old]
                found.append(("create", new, inodes[old]))
        elif call in ("unlink", "unlinkat", "rmdir"):
            path = below(os.fsdecode(texts[0]))
            if path in inodes or call == "rmdir":
                inodes.pop(path, None)
                found.append(("unlink", path))
        elif call == "close": files.pop(number, None)
        elif call.startswith("dup") or (call == "fcntl" and "F_DUPFD" in arguments):
            if number in files: files[result] = files[number]
        elif call == "exit_group": found.append(("said",))
    return found


NAMES = ("create", "mkdir", "rename", "unlink")
CONTENTS = ("data", "cut")


def flushed(made, count, careless):
    """Which of the first operations are on the disk for certain."""
    certain = set()
    for place, operation in enumerate(made[:count]):
        if operation[0] == "flush":
            certain |= {p for p in range(place) if made[p][0] in CONTENTS and made[p][1] == operation[1]}
        elif operation[0] == "flush names" and not careless:
            certain |= {p for p in range(place) if made[p][0] in NAMES and os.path.dirname(made[p][-1 if made[p][0] == "rename" else 1]) == operation[1]}
    return certain


def state(made, chosen, torn=None, part=1):
    """The files and directories that the chosen operations leave; of the bytes of the operation `torn` only the first part."""
    directories, names, contents = {""}, {}, collections.defaultdict(bytearray)
    for place in chosen:
        operation = made[place]
        if operation[0] == "mkdir": directories.add(operation[1])
        elif operation[0] == "create": names[operation[1]] = operation[2]
        elif operation[0] == "unlink": names.pop(operation[1], None)
        elif operation[0] == "rename":
            inode = names.pop(operation[1], None)
            if inode is None: inode = next((o[2] for o in made[:place] if o[0] == "create" and o[1] == operation[1]), None)
            if inode is not None: names[operation[2]] = inode
        elif operation[0] == "cut":
            file = contents[operation[1]]
            del file[operation[2]:]
            file.extend(bytes(operation[2] - len(file)))
        elif operation[0] == "data":
            file, start = contents[operation[1]], operation[2]
            data = operation[3][:int(len(operation[3]) * part)] if place == torn else operation[3]
            file.extend(bytes(max(0, start - len(file))))
            file[start:start + len(data)] = data
    # Without its directory, a file does not exist.
    kept = {d for d in directories if all(a in directories for a in ancestors(d))}
    return sorted(kept), {name: bytes(contents[inode]) for name, inode in names.items() if os.path.dirname(name) in kept}


def ancestors(path):
    while path:
        path = os.path.dirname(path)
        yield path


def states(made, careless, limit, seed=1):
    """Distinct states: {digest: (directories, files, whether the command had said that it was done, at which operation)}."""
    chance, found, tried = random.Random(seed), {}, 0
    points = list(range(len(made) + 1))
    for count in points:
        certain = flushed(made, count, careless)
        free = [p for p in range(count) if made[p][0] in NAMES + CONTENTS and p not in certain]
        choices = [free, [], *([p] for p in free), *([q for q in free if q != p] for p in free), *(free[:n] for n in range(len(free)))]
        choices += [[p for p in free if chance.random() < 0.5] for _ in range(20)]
        said = any(operation[0] == "said" for operation in made[:count])
        for choice in choices:
            chosen = sorted(certain | set(choice))
            data = [p for p in choice if made[p][0] == "data"][-1:]
            for half, part in [(None, 1), *((p, part) for p in data for part in (0.02, 0.3, 0.5, 0.7, 0.98))]:
                tried += 1
                directories, files = state(made, chosen, half, part)
                digest = hashlib.sha256(repr((directories, sorted(files.items()), said)).encode()).hexdigest()
                found.setdefault(digest, (directories, files, said, count))
    chosen = list(found.values())
    if len(chosen) > limit: chosen = [*chosen[-limit // 4:], *chance.sample(chosen[:-limit // 4], limit - limit // 4)]
    return tried, chosen


def faults(kind, what, case):
    """What is wrong with a state."""
    directories, files, said, _ = case
    with Folder(BASE) as folder:
        for name in directories: (folder / name).mkdir(mode=0o700, exist_ok=True)
        for name, content in files.items(): (folder / name).write_bytes(content)
        following = command(folder, kind, "bb-notes", "add", "S01E02", "second")
        if following.returncode: return [f"the next command fails: {following.stderr.decode(errors='replace').strip()}"]
        listed, history, check = (command(folder, kind, "bb-notes", *words) for words in (["list", "--plain", "--columns", "text"], ["history", "--plain"], ["check"]))
        if broken := [done.stderr.decode(errors="replace").strip() for done in (listed, history, check) if done.returncode]: return broken
        notes, entries = listed.stdout.decode().split("\n")[:-1], history.stdout.decode().split("\n")[:-1]
        if what == "add":
            made = int("first" in notes)
            if notes not in (["second"], ["first", "second"]): return [f"the notes are {notes}"]
            wanted = 1
        else:
            made, wanted = 0, 2
            for dataset, rows in (("deaths", 8), ("episodes", 126)):
                table = command(folder, kind, "bb-export", dataset, "-f", "ndjson", "-q")
                if table.returncode not in (0, 66): return [f"{dataset}: {table.stderr.decode(errors='replace').strip()}"]
                count = table.stdout.count(b"\n")
                if table.returncode == 0 and count != rows: return [f"{dataset} has {count} rows"]
                made += table.returncode == 0
        if said and made != wanted: return ["acknowledged, and lost"]
        # A sync of several tables is one entry.
        commands = min(made, 1) + 1
        if len(entries) != commands: return [f"{len(entries)} entries of the history for {commands} commands"]
    return []


def first(kind, what, careless=False, limit=1500):
    report = Report(f"first: {kind}: {what}{', names not flushed' if careless else ''}")
    made = record(kind, what)
    # A careless program does not flush directories.
    tried, cases = states(made, careless, limit)
    print(f"first: {kind}: {what}: {len(made)} operations, {tried} crash states, of which {len(cases)} differ and are tried", flush=True)
    in_parallel(2, lambda case: report.add(f"after operation {case[3]}", faults(kind, what, case)), cases)
    return report


def run(arguments):
    if not shutil.which("strace"):
        print("skipped: first: strace is not installed")
        return True
    limit = next((int(a) for a in arguments if a.isdigit()), 1500)
    kinds = [a for a in arguments if a in STORES] or list(STORES)
    results = [first(kind, what, limit=limit).end() for kind in kinds for what in COMMANDS]
    if "--self-test" in arguments:
        for kind in kinds:
            careless = first(kind, "add", careless=True, limit=limit)
            if not careless.failures: print(f"failed: first: {kind}: a program that flushes no names is not detected")
            print(f"first: {kind}: of {careless.cases} states of a careless program {len(careless.failures)} are detected")
            results.append(bool(careless.failures))
    return all(results)
