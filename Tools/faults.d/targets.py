"""Tables and files that exist, under kills, failing calls and full disks: they are in the old or the new state afterwards."""
import random, shutil, signal, subprocess, time
from runs import BASE, Folder, Report, Run, message_faults, release
from storage import fill, mounted
from storages import faulty

COUNT = 500
ROWS = 4000
TABLES = """
create table people (id integer primary key, name text not null, city text);
create table log (at text, id integer references people); create index places on people (city);
create trigger noted after insert on people begin insert into log values (new.name, new.id); end;
create view berliners as select * from people where city = 'Berlin';
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000) insert into people select i, 'old ' || i, 'Berlin' from n;
"""
# The name of each case, and the words after the input.
CASES = {
    "append": ["-o", "app.db", "--as", "people", "--existing", "append", "--where", "id > 3000"],
    "upsert": ["-o", "app.db", "--as", "people", "--existing", "upsert", "--key", "id"],
    "replace": ["-o", "app.db", "--as", "people", "--existing", "replace"],
    "truncate": ["-o", "app.db", "--as", "people", "--existing", "truncate"],
    "another table": ["-o", "app.db"],
    "append to csv": ["-o", "app.csv", "--existing", "append"],
}


def prepare(folder, mode):
    """Writes the database, a text file and the input."""
    subprocess.run(["sqlite3", folder / "app.db"], input=f"pragma journal_mode = {mode}; pragma user_version = 7; {TABLES}", text=True, check=True, stdout=subprocess.DEVNULL)
    (folder / "app.csv").write_text("id,name,city\n0,zero,Rome\n")
    (folder / "rows.csv").write_text("id,name,city\n" + "".join(f"{i},new {i},Rome\n" for i in range(2500, 2500 + ROWS)))


def state(folder):
    """Everything in the database, which SQLite repairs if it must, and the text file."""
    dump = subprocess.run(["sqlite3", folder / "app.db", "pragma integrity_check; pragma user_version; pragma journal_mode;", ".dump"], capture_output=True)
    return dump.stdout + dump.stderr, (folder / "app.csv").read_bytes()


def command(name): return [release / "bb-export", "rows.csv", *CASES[name]]


def faults_of(run, now, before, after):
    """What is wrong after a run that may have failed."""
    if run.status == 0: return [] if now == after else ["acknowledged, but not stored"]
    if now not in (before, after): return [f"neither the old nor the new state: {run.words}"]
    return message_faults(run.err, 1) if 0 < run.status < 128 else []


def attempt(report, number, seeds, ends):
    chance = random.Random(number)
    name, mode = list(CASES)[number % len(CASES)], ["delete", "wal"][number // len(CASES) % 2]
    seed, before, after, seconds, calls = seeds[name, mode]
    with Folder(BASE) as home:
        folder = home / "work"
        shutil.copytree(seed, folder)
        # The calls on a text file that rows are added to are not seen.
        way = chance.choice(["signal", "call", "error"] if "csv" not in name else ["signal"])
        if way == "signal":
            process = subprocess.Popen(list(map(str, command(name))), cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                       env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "SWIFT_BACKTRACE": "enable=no"})
            time.sleep(chance.random() * seconds * 1.2)
            process.send_signal(chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
            text = process.communicate()[1]
            run = type("Ended", (), {"status": process.returncode, "err": text, "words": text.decode(errors="replace")})
        else:
            action = "kill" if way == "call" else chance.choice(["ENOSPC", "EIO"])
            run = Run(command(name), folder, faulty(folder, at=chance.randint(1, calls), do=action))
        left = sorted({p.name for p in folder.iterdir()} - {"app.db", "app.csv", "rows.csv", "app.db-journal", "app.db-wal", "app.db-shm"})
        faults = faults_of(run, state(folder), before, after)
        # Only a program that was killed leaves files.
        if left and run.status >= 0 and way != "call": faults.append(f"left {left}")
        ends[way, "done" if run.status == 0 else "failed"] = ends.get((way, "done" if run.status == 0 else "failed"), 0) + 1
        report.add(f"{number}: {name}, {mode}, {way}", faults)


def full(report, seeds):
    """Writes to a full file system, then with one free page, two, four and so on, until the rows fit."""
    with Folder() as home:
        disk = home / "disk"
        if not mounted(disk, "-t", "tmpfs", "-o", "size=2m", "tmpfs"):
            return report.skip("full disks", "a file system can only be mounted by root")
        try:
            for (name, mode), (seed, before, after, _, _) in seeds.items():
                for pages in [0, *(1 << n for n in range(10))]:
                    for file in seed.iterdir(): shutil.copy(file, disk)
                    fill(disk, pages * 4096)
                    run = Run(command(name), disk, {"TMPDIR": str(home)})
                    (disk / "fill").unlink()
                    faults = faults_of(run, state(disk), before, after)
                    if run.status not in (0, 74): faults.append(f"exit code {run.status}: {run.words}")
                    report.add(f"{name}, {mode}, {pages} pages of room", faults)
                    for file in disk.iterdir(): file.unlink()
                    if run.status == 0: break
                else: report.add(f"{name}, {mode}, at last", ["does not fit however much room there is"])
        finally: subprocess.run(["umount", disk])


def run(arguments):
    """`targets [COUNT] [FIRST]`: so many faults, by numbers that repeat them, and full disks."""
    numbers = [int(a) for a in arguments if a.isdigit()]
    count, first = numbers + [COUNT, 0][len(numbers):]
    report, seeds = Report("targets"), {}
    with Folder(BASE) as home:
        for name in CASES:
            for mode in ["delete", "wal"]:
                seed, trial, log = home / f"{name} {mode}", home / "trial", home / "calls.log"
                seed.mkdir()
                prepare(seed, mode)
                shutil.copytree(seed, trial)
                done = Run(command(name), trial, faulty(trial, log=log))
                if done.status: raise SystemExit(f"{name}: {done.words}")
                calls, after = log.read_text().count("\n"), state(trial)
                log.unlink()
                shutil.rmtree(trial)
                shutil.copytree(seed, trial)
                seconds = Run(command(name), trial).seconds
                shutil.rmtree(trial)
                before = state(seed)
                if before == after or not calls: raise SystemExit(f"{name}: nothing changed")
                seeds[name, mode] = seed, before, after, seconds, calls
        ends = {}
        for number in range(first, first + count): attempt(report, number, seeds, ends)
        full(report, seeds)
    print("targets: " + ", ".join(f"{way} {end}: {n}" for (way, end), n in sorted(ends.items())), flush=True)
    return report.end()
