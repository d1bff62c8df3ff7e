"""The stores that the campaigns use through the programs alone, and a careless one, whose faults they must find."""
import json, os, pathlib, re, sqlite3, subprocess, sys, tempfile
from runs import Run, release

here = pathlib.Path(__file__).resolve().parent
TIMES = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
EPISODE = "S05E14"


class Storage:
    """One of bb's stores in a directory."""

    # A series of writing commands: the name, and the arguments after the program's name.
    STEPS = [
        ("first", ["bb-notes", "add", "S01E01", "one"]),
        ("another", ["bb-notes", "add", "S01E02", "two\nlines, \"quoted\""]),
        ("append", ["bb-notes", "add", "S01E01", "more", "--append"]),
        ("set", ["bb-notes", "set", "S01E02", "text=other"]),
        ("delete", ["bb-notes", "delete", "S01E02", "--yes"]),
        ("undo", ["bb-notes", "undo"]),
        ("sync", ["bb-export", "sync", "items", "--from", here / "items-1.csv", "--as", "items", "--allow-shrink", "--replace"]),
        ("resync", ["bb-export", "sync", "items", "--from", here / "items-2.csv", "--as", "items", "--allow-shrink", "--replace"]),
    ]

    # The additions of the third step to the state, and those that the user makes by hand.
    MARK, HAND = "one\\nmore", "written by hand"

    def __init__(self, name): self.name = name
    def file(self, folder): return folder / "s" / f"notes.{self.name}"

    def by_hand(self, text):
        """The text of the file with one more record."""
        when = "2026-01-01T00:00:00Z"
        if self.name == "csv": return text + f"Breaking Bad,1,7,{self.HAND},{when},{when}\n"
        return text.rstrip().removesuffix("]").rstrip() + (
            ',\n{"production":"Breaking Bad","season":1,"episode":7,"text":"%s","created_at":"%s","updated_at":"%s"}\n]\n' % (self.HAND, when, when))

    def location(self, folder): return f"{self.name}:{folder}/s" + (".db" if self.name == "sqlite" else "")
    def command(self, folder, words): return [*words, "--storage", self.location(folder)]
    # A note gets one more line.
    def append(self, folder, word, episode=EPISODE): return self.command(folder, ["bb-notes", "add", episode, word, "--append"])

    def run(self, folder, words, **more): return Run(self.command(folder, words), folder, **more)

    def state(self, folder):
        """Everything the storage has, as bytes; times of the clock aside. Raises when it cannot be read."""
        parts = []
        for words in (["bb-export", "notes", "-f", "json", "-q"], ["bb-export", "items", "-f", "json", "-q"], ["bb-notes", "history", "--json"]):
            done = self.run(folder, words)
            if done.status not in (0, 66): raise Unreadable(f"{words[1]}: exit code {done.status}: {done.words}")
            # A missing store, a missing table and an empty one give the same output.
            parts.append(b"" if done.status or not holds_something(done.out) else done.out)
        return TIMES.sub(b"T", b"\0".join(parts))

    def words(self, folder, episode=EPISODE):
        """The lines of the note that `append` makes longer."""
        done = self.run(folder, ["bb-export", "notes", "-f", "json", "-q"])
        if done.status not in (0, 66): raise Unreadable(f"exit code {done.status}: {done.words}")
        for note in json.loads(done.out or b"[]"):
            if f"S{note['season']:02}E{note['episode']:02}" == episode: return note["text"].split("\n")
        return []

    def damage(self, folder):
        """What is wrong with the files themselves."""
        if self.name != "sqlite" or not os.path.exists(f"{folder}/s.db"): return []
        database = sqlite3.connect(f"{folder}/s.db")
        try: found = [row[0] for row in database.execute("PRAGMA integrity_check")]
        finally: database.close()
        return [] if found == ["ok"] else found

    def strange(self, folder):
        """Files that do not belong to the storage."""
        known = re.compile(r"s\.db(-wal|-shm)?" if self.name == "sqlite" else
                           r"s/(bb\.json|(notes|items)\.(csv|csv-metadata\.json|json)|\.gitattributes|\.bb/(lock|\.gitignore|begun|history/[0-9a-f-]+\.json|replaced/.*))")
        names = [str(p.relative_to(folder)) for p in pathlib.Path(folder).rglob("*") if not p.is_dir()]
        # The new files of a change that has begun are part of it: the next command completes it.
        begun = pathlib.Path(folder, "s/.bb/begun")
        if begun.exists() and begun.stat().st_size: names = [n for n in names if ".tmp." not in n]
        # A text that could not be saved is kept as a draft, and said so.
        return [n for n in names if not known.fullmatch(n) and not n.startswith(".local/state/bb/drafts/")]


class Careless(Storage):
    """A file that is read, made longer in memory, and written in its place; what cannot be read counts as empty; nothing is locked."""
    STEPS = [("first", ["one"]), ("another", ["two"]), ("third", ["three"])]
    MARK = "three"
    def file(self, folder): return folder / "s.txt"
    def by_hand(self, text): return text.removesuffix("end\n") + f"{self.HAND}\nend\n"
    def command(self, folder, words): return [sys.executable, "-S", here / "careless.py", folder / "s.txt", *words]
    def append(self, folder, word, episode=EPISODE): return self.command(folder, [word])
    def state(self, folder): return b"\n".join(w.encode() for w in self.words(folder))
    def words(self, folder, episode=EPISODE):
        path = pathlib.Path(folder, "s.txt")
        text = path.read_text() if path.exists() else ""
        if text and not text.endswith("end\n"): raise Unreadable("torn")
        return text.split("\n")[:-2]
    def damage(self, folder): return []
    def strange(self, folder): return []


class Unreadable(Exception): pass


def holds_something(text):
    document = json.loads(text)
    return bool(document["items"] if isinstance(document, dict) else document)


REAL = [Storage("sqlite"), Storage("csv"), Storage("json")]
CARELESS = Careless("careless")


def library():
    """The path of the preloaded library of faults, built when it is missing or old; None without a compiler."""
    path = pathlib.Path(tempfile.gettempdir(), f"bb-faultlib-{os.getuid()}.so")
    source = here / "faultlib.c"
    if path.exists() and path.stat().st_mtime > source.stat().st_mtime: return path
    for compiler in ("clang", "cc"):
        try:
            subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True, capture_output=True)
            return path
        except FileNotFoundError: continue
    return None


def faulty(folder, **settings):
    """The environment in which calls that concern the directory fail: at=3, do="kill", log=PATH, short=7, never="flock"."""
    return {"LD_PRELOAD": str(library()), "FAULT_DIRECTORY": str(folder)} | {f"FAULT_{k.upper()}": str(v) for k, v in settings.items() if v is not None}
