"""Mutated SQLite databases with rollback journals and logs (WAL): the readers of bb neither hang, crash, use much memory, nor change a file."""
import pathlib, random, sqlite3, struct
from runs import BASE, Folder, Report, Run, in_parallel, release

MUTANTS = 2000
SECONDS = 20
MEGABYTES = 200
SUFFIXES = ["", "-journal", "-wal", "-shm"]
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")
SCHEMA = """
CREATE TABLE t(id INTEGER PRIMARY KEY, text TEXT, number REAL, data BLOB);
CREATE TABLE w(a TEXT, b INTEGER, PRIMARY KEY(a, b)) WITHOUT ROWID;
CREATE INDEX i ON t(text);
CREATE VIEW v AS SELECT text, count(*) AS n, group_concat(number) AS list FROM t GROUP BY text;
CREATE VIRTUAL TABLE f USING fts5(words);
CREATE TABLE g(a, b AS (a || '!'), c AS (length(a)) STORED);
"""


def script(db, text):
    """Each statement by itself: `executescript` would commit first."""
    for statement in text.split(";"): db.execute(statement)


def rows(db, start, count):
    db.executemany("INSERT INTO t VALUES(?, ?, ?, ?)", [(i, f"text {i % 17} " * (i % 9), i / 7, bytes([i % 256]) * (i % 700)) for i in range(start, start + count)])
    db.executemany("INSERT INTO w VALUES(?, ?)", [(f"key {i}", i) for i in range(start, start + count)])
    db.executemany("INSERT INTO g(a) VALUES(?)", [(f"g{i}",) for i in range(start, start + count)])
    db.executemany("INSERT INTO f VALUES(?)", [(f"word{i} and more",) for i in range(start, start + count, 9)])


def seeds(folder):
    """Databases as programs leave them when they are killed: with a hot journal, with a log, with a log and its index; and a store of bb."""
    found = {}

    def keep(name, path):
        found[name] = {s: pathlib.Path(str(path) + s).read_bytes() for s in SUFFIXES if pathlib.Path(str(path) + s).exists()}

    for size in (512, 4096):
        path = folder / f"journal{size}.db"
        db = sqlite3.connect(path, isolation_level=None)
        script(db, f"PRAGMA page_size={size}; PRAGMA journal_mode=DELETE; BEGIN; {SCHEMA}")
        rows(db, 0, 300)
        script(db, "COMMIT; PRAGMA cache_size=3; BEGIN; UPDATE t SET text = upper(text) || 'x', data = zeroblob(300)")
        keep(f"journal{size}", path)
        script(db, "ROLLBACK")
        keep(f"plain{size}", path)
        db.close()
        path = folder / f"log{size}.db"
        db = sqlite3.connect(path, isolation_level=None)
        script(db, f"PRAGMA page_size={size}; PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; BEGIN; {SCHEMA}")
        rows(db, 0, 200)
        script(db, "COMMIT; PRAGMA wal_checkpoint")
        rows(db, 200, 100)
        keep(f"log{size}", path)
        db.close()
    path = folder / "store.db"
    for number in range(5): Run([release / "bb-notes", "add", f"S01E0{number + 1}", f"note {number}", "--storage", f"sqlite:{path}"], folder)
    db = sqlite3.connect(path, isolation_level=None)
    script(db, "PRAGMA wal_autocheckpoint=0; CREATE TABLE other(a); INSERT INTO other VALUES(1)")
    keep("store", path)
    db.close()
    for name in [n for n in found if n.startswith("log")]: found[name + "-alone"] = {s: b for s, b in found[name].items() if s != "-shm"}
    return found


def header_fields(suffix):
    """Offsets of fields that decide what SQLite does."""
    return {"": [16, 18, 19, 20, 21, 24, 28, 32, 36, 44, 52, 56, 60, 68, 92, 96, 100, 103, 105], "-journal": [0, 8, 12, 16, 20, 24],
            "-wal": [0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52], "-shm": [0, 12, 14, 16, 20, 96, 100, 104]}[suffix]


def mutate(random, files, victim):
    """One to four changes of the files of a database."""
    files = {s: bytearray(b) for s, b in files.items()}
    for _ in range(random.randint(1, 4)):
        suffix = random.choice(list(files))
        data = files[suffix]
        kind = random.choice(["bytes", "field", "field", "truncate", "repeat", "drop", "super", "zero", "swap", "extend", "schema"])
        if kind == "bytes" and data:
            for _ in range(random.randint(1, 20)): data[random.randrange(len(data))] = random.randrange(256)
        elif kind == "field" and len(data) > 120:
            at = random.choice(header_fields(suffix))
            data[at:at + 4] = random.choice([bytes(4), b"\xff" * 4, b"\x7f\xff\xff\xff", struct.pack(">I", random.randrange(1 << 32)), struct.pack(">I", random.randrange(70000))])
        elif kind == "truncate" and data: del data[random.randrange(len(data)):]
        elif kind == "repeat" and data:
            at = random.randrange(len(data))
            data[at:at] = data[at:at + random.randrange(5000)]
        elif kind == "drop" and suffix and len(files) > 1: del files[suffix]
        elif kind == "super":
            name = str(victim).encode()
            files.setdefault("-journal", bytearray(JOURNAL_MAGIC + bytes(600)))
            files["-journal"] += bytes(4) + name + struct.pack(">II", len(name), sum(name)) + JOURNAL_MAGIC
        elif kind == "zero" and data:
            at = random.randrange(len(data))
            data[at:at + 600] = bytes(len(data[at:at + 600]))
        elif kind == "swap":
            other = random.choice(SUFFIXES)
            if other in files: files[suffix], files[other] = files[other], files[suffix]
            else: files[other] = bytearray(data)
        elif kind == "extend": data += random.randbytes(random.randrange(9000))
        elif kind == "schema":
            for word in random.sample([b"TABLE", b"VIEW", b"text", b"INTEGER", b"count(*)", b"fts5", b"GROUP BY", b"AS (a"], 2):
                at = data.find(word)
                if at >= 0: data[at:at + len(word)] = random.choice([b"random()", b"hex(zeroblob(9e8))", b"load_extension", word.lower(), b"t, t, t, t"])[:len(word)].ljust(len(word))
    return files


def tree(folder):
    return {str(p.relative_to(folder)): (p.lstat().st_mode, p.lstat().st_size, p.lstat().st_mtime_ns, p.read_bytes() if p.is_file() else b"") for p in sorted([folder, *folder.rglob("*")])}


COMMANDS = [
    ["bb-export", "--from", "m.db", "-f", "csv"], ["bb-export", "t", "--from", "m.db", "-f", "json"], ["bb-export", "v", "--from", "m.db", "--timeout", "5", "-f", "csv"],
    ["bb-export", "f", "--from", "m.db", "-f", "csv"], ["bb-export", "g", "--from", "m.db", "--sort", "a", "-f", "ndjson"], ["bb-export", "w", "--storage", "sqlite:m.db", "-f", "csv"],
    ["bb-notes", "list", "--storage", "sqlite:m.db"], ["bb-notes", "check", "--storage", "sqlite:m.db"], ["bb-notes", "search", "note", "--storage", "sqlite:m.db"],
]


def attempt(report, number, name, files, most):
    chance = random.Random(number)
    with Folder(BASE) as folder:
        home, work = folder / "home", folder / "work"
        home.mkdir(); work.mkdir()
        victim = work / "victim.txt"
        victim.write_text("precious")
        for suffix, data in mutate(chance, files, victim).items(): (work / f"m.db{suffix}").write_bytes(data)
        before, faults = tree(work), []
        for command in chance.sample(COMMANDS, 2):
            run = Run([release / command[0], *command[1:]], work, {"HOME": str(home), "TMPDIR": str(home)}, limit=SECONDS)
            where = " ".join(command)
            if run.is_late: faults.append(f"{where}: a hang")
            elif run.status < 0: faults.append(f"{where}: signal {-run.status}")
            elif run.status in (70, 74) or b"Fatal" in run.err: faults.append(f"{where}: {run.status}: {run.words[:200]}")
            if run.megabytes > MEGABYTES: faults.append(f"{where}: {run.megabytes:.0f} MB")
            with report.lock:
                most[0], most[1] = max(most[0], run.megabytes), max(most[1], run.seconds)
                most[2][run.status] = most[2].get(run.status, 0) + 1
            if tree(work) != before: faults.append(f"{where}: changed " + ", ".join(k for k in {**before, **tree(work)} if before.get(k) != tree(work).get(k)))
            left = [p.name for p in home.rglob("bb.*")]
            if left: faults.append(f"{where}: left {left}")
        report.add(f"{name} {number}", faults)


def run(arguments):
    """`databases [COUNT] [FIRST]`: so many mutants, by numbers that repeat them."""
    numbers = [int(a) for a in arguments if a.isdigit()]
    count, first = numbers + [MUTANTS, 0][len(numbers):]
    report, most = Report("databases"), [0.0, 0.0, {}]
    with Folder(BASE) as folder:
        known = sorted(seeds(folder).items())
        in_parallel(2, lambda n: attempt(report, n, known[n % len(known)][0], known[n % len(known)][1], most), range(first, first + count))
    print(f"databases: at most {most[0]:.0f} MB and {most[1]:.1f} s a run; exit codes " + ", ".join(f"{k}: {v}" for k, v in sorted(most[2].items())), flush=True)
    return report.end()
