"""Loads a CSV file into SQLite: into a new store, compared with `sqlite3 .import` without a journal, and as another table of a store, compared with
`.import` through the same log. Before anything is timed, the rows that bb stored are compared with the table that the file was made from."""
import shlex, sqlite3, subprocess, tempfile, pathlib
import measure

DDL = ("CREATE TABLE quotes(id integer primary key, quote text not null, character text, production text, season integer, rating real, "
       "airDate text, note text)")


def rows(path):
    base = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    yield from base.execute("SELECT * FROM quotes ORDER BY id")
    base.close()


def same(made, stored):
    """A number that bb would write otherwise is stored as it was written."""
    return made == stored or all(a == b or isinstance(a, float) and isinstance(b, str) and float(b) == a for a, b in zip(made, stored, strict=True))


def run(program, data, rounds):
    with tempfile.TemporaryDirectory(dir=data) as folder:
        new, old, small = (pathlib.Path(folder, name) for name in ("new.db", "old.db", "small.csv"))
        small.write_text("a,b\n1,2\n")

        def sync(source, target): return f"{program} sync --from {source} --storage sqlite:{target} -q > /dev/null"

        def load(target, pragmas):
            return f"sqlite3 {target} {shlex.quote(pragmas)} {shlex.quote(DDL)} " + shlex.quote(f".import --csv --skip 1 {data}/quotes.csv quotes") + " > /dev/null"

        def before(own):
            for path in pathlib.Path(folder).glob("*.db*"): path.unlink()
            if own: subprocess.run(sync(small, old), shell=True, check=True)
            else:
                base = sqlite3.connect(old)
                base.execute("PRAGMA journal_mode=WAL"); base.execute("CREATE TABLE small(a, b)")
                base.commit(); base.close()

        before(True)
        for target in (new, old):
            subprocess.run(sync(f"{data}/quotes.csv", target), shell=True, check=True)
            if not all(same(a, b) for a, b in zip(rows(f"{data}/quotes.db"), rows(target), strict=True)): raise SystemExit(f"{target.name}: the rows differ")
        commands = {"bb, new store": (True, sync(f"{data}/quotes.csv", new)), "bb, another table": (True, sync(f"{data}/quotes.csv", old)),
                    ".import, journal off": (False, load(new, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")),
                    ".import, WAL and FULL": (False, load(old, "PRAGMA synchronous=FULL"))}
        result = {name: [] for name in commands}
        for _ in range(rounds):
            for name, (own, command) in commands.items():
                before(own)
                result[name].append(measure.once(command))
                if result[name][-1]["status"]: raise SystemExit(f"failed: {command}")
        middle = {name: {key: sorted(r[key] for r in runs)[len(runs) // 2] for key in ("wall", "cpu", "memory")} for name, runs in result.items()}
    lines = ["| what | wall s | CPU s | memory MB | times bb's wall | times bb's CPU |", "|---|---:|---:|---:|---:|---:|"]
    for name, other in (("bb, new store",) * 2, (".import, journal off", "bb, new store"), ("bb, another table",) * 2,
                        (".import, WAL and FULL", "bb, another table")):
        f, b = middle[name], middle[other]
        lines.append(f"| {name} | {f['wall']:.3f} | {f['cpu']:.3f} | {f['memory']:.0f} | {f['wall'] / b['wall']:.2f} | {f['cpu'] / b['cpu']:.2f} |")
    return lines
