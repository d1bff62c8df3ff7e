"""Hostile directories for every command that writes: links, lists of changes and journals that bb reads back. Nothing next to the output changes."""
import json, os, pathlib, random, shutil, sqlite3, struct, subprocess, tempfile, threading, zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from runs import BASE, Folder, Report, Run, in_parallel, release
from databases import JOURNAL_MAGIC, tree

CASES = 500
SECONDS = 40
here = pathlib.Path(__file__).resolve().parent


def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(b"\0\0")) + chunk(b"IEND", b""))


class Images(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "image/png")
        self.send_header("Content-Length", str(len(PNG)))
        self.end_headers()
        self.wfile.write(PNG)

    def log_message(self, *_): pass


NOTES = ["bb-notes", "add", "S01E01", "one", "--storage"]
# Name: the directory or file of the output, what is done before the attack, and the command that is attacked.
COMMANDS = {
    "table": ("out", [], ["bb-export", "in.csv", "-o", "out/k={k}/x.csv", "--existing", "replace"]),
    "table here": ("out", [], ["bb-export", "../in.csv", "-o", "{k}.csv", "--existing", "replace"]),
    "tables": ("out", [], ["bb-export", "in.csv", "other.csv", "-o", "out/", "-f", "csv"]),
    "metadata": ("out", [], ["bb-export", "in.csv", "-o", "out/x.csv", "--csvw", "--datapackage"]),
    "diff": ("out", [], ["bb-export", "diff", "in.csv", "other.csv", "--key", "k", "-f", "csv", "-o", "out/k={k}.csv"]),
    "site": ("out", [NOTES + ["csv:store"]], ["bb-export", "site", "--storage", "csv:store", "-o", "out"]),
    "images": ("out", [], ["bb-export", "images", "--from", "pictures.csv", "-o", "out", "--allow-private"]),
    "delta": ("out", [["bb-export", "in.csv", "-o", "delta:out/t?partition=k"]],
              ["bb-export", "other.csv", "-o", "delta:out/t", "--existing", "append"]),
    "vacuum": ("out", [["bb-export", "in.csv", "-o", "delta:out/t"], ["bb-export", "other.csv", "-o", "delta:out/t", "--existing", "replace"]],
               ["bb-export", "delta", "vacuum", "delta:out/t"]),
    "sync csv": ("out", [["bb-export", "sync", "--from", "in.csv", "--storage", "csv:out"]],
                 ["bb-export", "sync", "--from", "other.csv", "--storage", "csv:out"]),
    "sync json": ("out", [["bb-export", "sync", "--from", "in.csv", "--storage", "json:out"]],
                  ["bb-export", "sync", "--from", "other.csv", "--storage", "json:out"]),
    "note csv": ("out", [NOTES + ["csv:out"]], ["bb-notes", "add", "S01E02", "two", "--storage", "csv:out"]),
    "note json": ("out", [NOTES + ["json:out"]], ["bb-notes", "add", "S01E02", "two", "--storage", "json:out"]),
    "note sqlite": ("out", [NOTES + ["sqlite:out/n.db"]], ["bb-notes", "add", "S01E02", "two", "--storage", "sqlite:out/n.db"]),
    "image csv": ("out", [NOTES + ["csv:out"]], ["bb-notes", "actors", "add", "X", "--partial", "--image", "p.png", "--storage", "csv:out"]),
    "undo": ("out", [NOTES + ["csv:out"]], ["bb-notes", "undo", "--storage", "csv:out"]),
    "import": ("out", [NOTES + ["csv:out"]], ["bb-notes", "import", "places.csv", "--as", "places", "--storage", "csv:out"]),
    "export": ("out", [NOTES + ["csv:store"]], ["bb-notes", "export", "notes", "--storage", "csv:store", "-o", "out/{episode}.csv"]),
    "migrate": ("out", [NOTES + ["csv:store"]], ["bb-notes", "migrate", "--storage", "csv:store", "--to", "csv:out/new"]),
    "migrate sqlite": ("out", [NOTES + ["csv:store"]], ["bb-notes", "migrate", "--storage", "csv:store", "--to", "sqlite:out/new.db"]),
}


def prepare(folder, port, command):
    """A directory with inputs, the output of earlier commands, and the guard next to it; the output."""
    work, guard = folder / "work", folder / "guard"
    for made in (work, guard, guard / "sub", folder / "home"): made.mkdir()
    (guard / "file").write_text('{"id":"x"}\n[]\n')
    (guard / "sub" / "x.csv").write_text("precious\n")
    (guard / "1.csv").write_text("precious\n")
    (work / "in.csv").write_text("k,v\n1,a\n2,b\n")
    (work / "other.csv").write_text("k,v\n1,a\n3,c\n")
    (work / "places.csv").write_text("name,latitude,longitude\nHome,47,8\n")
    (work / "pictures.csv").write_text(f"id,image\n1,http://127.0.0.1:{port}/a.png\n")
    (work / "p.png").write_bytes(PNG)
    output, before, _ = COMMANDS[command]
    (work / output).mkdir()
    for earlier in before:
        run = attack(folder, command, earlier)
        if run.status: raise RuntimeError(f"{' '.join(earlier)}: {run.status}: {run.words}")
    return work / output


def attack(folder, command, words, environment={}):
    where = folder / "work" / "out" if command == "table here" else folder / "work"
    return Run([release / words[0], *words[1:]], where,
               {"HOME": str(folder / "home"), "BB_API_URL": "http://127.0.0.1:9"} | environment, limit=SECONDS)


def names_of(command, port):
    """Every name below the output that the command makes or changes, and those of interrupted runs."""
    with Folder(BASE) as folder:
        output = prepare(folder, port, command)
        run = attack(folder, command, COMMANDS[command][2])
        names = {str(p.relative_to(output)) for p in output.rglob("*")}
    extra = {".bb", ".bb/begun", ".bb/lock", ".bb/history", ".bb/replaced", ".bb/parts", ".bb/images.ndjson", ".bb-pending.json", "assets",
             "assets/site.json", "bb.json", ".gitattributes", "images", "k=1", "k=1/x.csv", "t", "t/_delta_log", "n.db-journal", "n.db-wal", "images.json"}
    return sorted(names | extra), run


def place(chance, output, name, kind, guard):
    """Puts something hostile under a name."""
    path = output / name
    for above in list(path.relative_to(output).parents)[-2::-1]:
        if (output / above).is_symlink() or (output / above).is_file(): return False
    path.parent.mkdir(parents=True, exist_ok=True)
    up = os.path.relpath(guard, path.parent)
    if path.is_dir() and not path.is_symlink(): shutil.rmtree(path)
    elif path.exists() or path.is_symlink(): path.unlink()
    if kind == "fifo": os.mkfifo(path)
    elif kind == "directory": path.mkdir()
    else: path.symlink_to({"dangling": f"{up}/new", "file": f"{up}/file", "directory link": up, "sub": f"{up}/sub", "loop": path.name}[kind])
    return True


def pending(chance, output, guard):
    """A list of changes that names what is in the guard, and files of the user in the output."""
    (output / "l").symlink_to(os.path.relpath(guard, output))
    (output / "main.c").write_text("precious")
    (output / ".x.csv.tmp.999999.abc").write_text("1")
    (output / "k=7").mkdir()
    (output / "k=7" / "x.csv").write_text("precious")
    status = (guard / "file").stat()
    victims = ["l/file", "l/sub/x.csv", "../../guard/file", str(guard / "file"), "main.c", "l", "k=7/../main.c"]
    name = chance.choice(victims)
    try: status = (output / name).stat()
    except OSError: pass
    identity = {"dev": status.st_dev, "ino": status.st_ino, "size": status.st_size}
    version = chance.choice([1, 2, 2, 2, 3])
    if version == 1: value = {"bb": 1, "process": chance.choice([1, 999999, os.getpid()]), "renames": [[".x.csv.tmp.999999.abc", name]], "removals": [name]}
    else:
        pattern = chance.choice(["k={k}/x.csv", "{k}.csv", "{a}", "{a}/{b}", "{a}/{b}/{c}", "**/{a}", "../{a}/{b}"])
        entries = [chance.choice([{"remove": name} | identity, {"from": ".x.csv.tmp.999999.abc", "to": name} | identity,
                                  {"remove": name}, {"from": "../../guard/file", "to": "k=7/x.csv"} | identity])]
        value = {"bb": version, "pattern": pattern, "entries": entries}
    text = json.dumps(value)
    if chance.random() < 0.1: text = text[:chance.randrange(len(text))]
    path = output / ".bb-pending.json"
    path.write_text(text)
    if chance.random() < 0.05: os.truncate(path, 1 << 30)
    os.chmod(path, chance.choice([0o600, 0o600, 0o600, 0o644, 0o666]))
    if os.getuid() == 0 and chance.random() < 0.1: os.chown(path, 65534, 65534)
    if chance.random() < 0.1: os.chmod(output, 0o777)


def site_list(chance, output, guard):
    (output / "assets").mkdir(exist_ok=True)
    (output / "l").symlink_to(os.path.relpath(guard, output))
    files = chance.sample(["l/file", "l/sub/x.csv", "l/1.csv", "../../guard/file", str(guard / "file"), "index.html"], 2)
    (output / "assets" / "site.json").write_text(json.dumps({"format": 1, "kind": "bb-site", "files": files + ["assets/site.json"]}))


def journal(chance, output, guard):
    """The database of another program with what it left when it was killed."""
    for path in output.glob("n.db*"): path.unlink()
    database = sqlite3.connect(output / "n.db", isolation_level=None)
    mode = chance.choice(["DELETE", "WAL"])
    for statement in (f"PRAGMA journal_mode={mode}", "CREATE TABLE t(a)", "INSERT INTO t VALUES(1)", "PRAGMA cache_size=1", "BEGIN",
                      "INSERT INTO t SELECT zeroblob(9000) FROM (VALUES(1), (2), (3), (4), (5), (6))"): database.execute(statement)
    kept = {p.name: p.read_bytes() for p in output.glob("n.db*")}
    database.execute("ROLLBACK")
    database.close()
    if chance.random() < 0.3:
        name = str(guard / "file").encode()
        kept["n.db-journal"] = kept.get("n.db-journal", b"") + bytes(4) + name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + JOURNAL_MAGIC
    for name, data in kept.items(): (output / name).write_bytes(data)


def attempt(report, number, command, names, port, environment):
    chance = random.Random(number)
    with Folder(BASE) as folder:
        output, guard = prepare(folder, port, command), folder / "guard"
        kept = []
        if command in ("table", "table here", "diff", "export", "images") and chance.random() < 0.5:
            what = "list"
            pending(chance, output, guard)
            kept = [output / "main.c", output / "k=7"]
        elif command == "site" and chance.random() < 0.6: what, _ = "site.json", site_list(chance, output, guard)
        elif command == "note sqlite" and chance.random() < 0.6:
            what = "journal"
            journal(chance, output, guard)
            kept = list(output.glob("n.db*"))
        else:
            kind = chance.choice(["dangling", "dangling", "file", "directory link", "sub", "loop", "fifo", "directory"])
            name = chance.choice(names)
            if not place(chance, output, name, kind, guard): return
            what = f"{kind} at {name}"
        def state(): return [tree(guard), [tree(p) if p.is_dir() else p.exists() and p.read_bytes() for p in kept]]
        before, faults = state(), []
        for repetition in range(2):
            run = attack(folder, command, COMMANDS[command][2], environment)
            if run.is_late: faults.append("a hang")
            elif run.status < 0: faults.append(f"signal {-run.status}")
            elif run.status in (70, 74, 75) or b"Fatal" in run.err: faults.append(f"{run.status}: {run.words[:200]}")
            after = state()
            if after[0] != before[0]: faults.append("changed: " + ", ".join(k for k in {**before[0], **after[0]} if before[0].get(k) != after[0].get(k)))
            if after[1] != before[1]: faults.append(f"changed files of the user: {run.status} {run.words[:100]}")
            if faults: break
        report.add(f"{number} {command}: {what}", faults)


def campaign(title, count, first, environment):
    report = Report(title)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Images)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    known = {}
    for command in COMMANDS:
        names, run = names_of(command, server.server_port)
        # The user names the output itself: a link there is followed.
        known[command] = [n for n in names if f"out/{n}" not in COMMANDS[command][2]]
        report.add(f"{command}: nothing hostile", [] if run.status in (0, 1) else [f"{run.status}: {run.words[:300]}"])
    commands = list(COMMANDS)
    in_parallel(2, lambda n: attempt(report, n, commands[n % len(commands)], known[commands[n % len(commands)]], server.server_port, environment),
                range(first, first + count))
    server.shutdown()
    report.end()
    return report


def run(arguments):
    """`trust [COUNT] [FIRST] [--self-test]`: so many directories, by numbers that repeat them."""
    numbers = [int(a) for a in arguments if a.isdigit()]
    count, first = numbers + [CASES, 0][len(numbers):]
    if "--self-test" in arguments:
        library = pathlib.Path(tempfile.gettempdir(), f"bb-followlib-{os.getuid()}.so")
        subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, here / "followlib.c", "-ldl"], check=True)
        found = campaign("trust: a program that follows links", count, first, {"LD_PRELOAD": str(library)})
        print(f"self-test: the campaign finds fault with {len(found.failures)} of {found.cases} runs of a program that follows links")
        return len(found.failures) > 5
    return not campaign("trust", count, first, {}).failures
