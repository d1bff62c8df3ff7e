"""Stores under concurrent processes, kills, failing calls, full disks and editors. Every program runs as a separate process."""
import errno, os, pathlib, random, shutil, signal, subprocess, sys, threading, time
import runs, storages
from crowds import crowds
from moves import moves
from runs import BASE, Folder, Report, Run, digest, in_parallel, message_faults, release
from storages import CARELESS, REAL, Storage, Unreadable, faulty


def states(storage, folder):
    """Runs the steps in order. Returns for each [(name, words, copy of the directory before it, state before, state after)]."""
    made, current = [], folder / "now"
    current.mkdir()
    before = storage.state(current)
    for number, (name, words) in enumerate(storage.STEPS):
        copy = folder / str(number)
        shutil.copytree(current, copy)
        done = storage.run(current, words)
        if done.status: raise SystemExit(f"{storage.name}: {name}: {done.words}")
        after = storage.state(current)
        made.append((name, words, copy, before, after))
        before = after
    return made


def state_or_why(storage, folder):
    """The state, or the reason why it cannot be read, which equals no state."""
    try: return storage.state(folder)
    except (Unreadable, ValueError) as error: return str(error)


def calls(storage, folder, words):
    """The calls that a command makes on files of the store, in order."""
    log = folder.parent / f"{folder.name}.log"
    storage.run(folder, words, environment=faulty(folder, log=log))
    return [line.split(" ")[0] for line in log.read_text().split("\n")[:-1]]


# ---------------------------------------------------------------------------------------------------------------------

def writers(storage, processes=8, writes=100, unlocked=False):
    """Processes that append lines, half of them to one note, half to separate notes, while others read."""
    report = Report(f"writers: {storage.name}")
    with Folder(BASE) as folder:
        said, torn, refused, done = [[] for _ in range(processes)], [], [0], threading.Event()
        environment = faulty(folder, never="flock") if unlocked else {}

        def write(number):
            for turn in range(writes):
                episode, word = (storages.EPISODE if turn % 2 else f"S01E{number % 7 + 1:02}"), f"w{number}.{turn}"
                for _ in range(60):
                    run = Run(storage.append(folder, word, episode), folder, environment, limit=120)
                    if run.status == 0: said[number].append((episode, word)); break
                    if run.status != 75: torn.append(f"exit code {run.status}: {run.words}"); break
                    refused[0] += 1
                else: torn.append(f"busy sixty times: {run.words}")

        def read():
            count = 0
            while not done.is_set():
                try: words = storage.words(folder)
                except (Unreadable, ValueError) as error: torn.append(f"a reader: {error}"); return
                if len(words) < count: torn.append(f"a reader saw {count} lines, then {len(words)}"); return
                count = len(words)

        readers = [threading.Thread(target=read) for _ in range(1)]
        for reader in readers: reader.start()
        try: in_parallel(processes, write, range(processes))
        finally: done.set()
        for reader in readers: reader.join()
        kept = {}
        try: kept = {e: storage.words(folder, e) for e in {e for s in said for e, _ in s}}
        except (Unreadable, ValueError) as error: torn.append(str(error))
        everything = {w for words in kept.values() for w in words} if storage is CARELESS else None
        for number in range(processes):
            lost = [w for e, w in said[number] if w not in (everything if everything is not None else kept.get(e, []))]
            report.add(f"process {number}", [f"{len(lost)} of {len(said[number])} acknowledged lines are lost: {lost[:3]}"] if lost else [])
            short = writes - len(said[number])
            report.add(f"process {number}, its {writes} writes", [f"{short} were never made"] if short else [])
        doubles = [w for words in kept.values() for w in set(words) if words.count(w) > 1]
        report.add("each line once", [f"twice: {doubles[:3]}"] if doubles and storage is not CARELESS else [])
        report.add("readers", torn[:3])
        report.add("files", storage.damage(folder) + storage.strange(folder))
        print(f"writers: {storage.name}: {sum(map(len, said))} acknowledged, {refused[0]} told to run again")
    return report


# ---------------------------------------------------------------------------------------------------------------------

def kills(storage, rounds=300, seed=1):
    """Kills processes at random moments; every acknowledged change must be stored, and none torn."""
    report = Report(f"kills: {storage.name}")
    chance = random.Random(seed)
    with Folder(BASE) as folder:
        said, longest = [], 0.02
        for turn in range(rounds):
            faults, word = [], f"k{turn}"
            # Two of seven signals ask the process to exit, which its exit code must show.
            how = [signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGKILL, signal.SIGINT, signal.SIGKILL][turn % 7]
            process = subprocess.Popen([str(w) for w in storage.append(folder, word)], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env={"PATH": f"{release}:/usr/bin:/bin", "HOME": str(folder), "SWIFT_BACKTRACE": "enable=no"})
            time.sleep(chance.random() * longest)
            process.send_signal(how)
            status = process.wait()
            longest = min(0.1, longest * 1.05) if status else max(0.005, longest * 0.97)   # about half are to be killed
            if status not in (0, -signal.SIGKILL, 128 + how, -how): faults.append(f"exit code {status} for signal {how}")
            try:
                words = storage.words(folder)
                if words[:len(said)] != said: faults.append(f"acknowledged lines are lost: {said[-3:]}, there is {words[-3:]}")
                if status == 0 and word not in words: faults.append("acknowledged, but not stored")
                if words[len(said):] not in ([], [word]): faults.append(f"there is {words[len(said):]}")
                said = words
            except (Unreadable, ValueError) as error:
                faults.append(f"torn: {error}")
                shutil.rmtree(folder); folder.mkdir(); said = []
            report.add(f"round {turn}", faults + storage.damage(folder))
        done = Run(storage.append(folder, "last"), folder)
        report.add("the next command", ([done.words] if done.status else []) + storage.strange(folder))
    return report


# ---------------------------------------------------------------------------------------------------------------------

MUTATING = {"open", "write", "fsync", "truncate", "chmod", "flock", "rename", "unlink", "mkdir"}
ERRORS = {
    "open": ["EMFILE", "ENOSPC", "EACCES", "EROFS"], "read": ["EIO", "EINTR"], "write": ["ENOSPC", "EIO", "EDQUOT", "EINTR"],
    "fsync": ["EIO", "ENOSPC"], "truncate": ["EIO", "ENOSPC"], "chmod": ["EPERM"], "flock": ["EINTR", "ENOLCK"], "lock": ["EIO", "ENOLCK"],
    "rename": ["ENOSPC", "EROFS", "EIO"], "unlink": ["EIO"], "mkdir": ["EACCES", "ENOSPC"], "stat": ["EIO", "EACCES"],
    "opendir": ["EMFILE", "EACCES"], "close": ["EIO"], "access": ["EACCES"],
}
EXITS = {65, 66, 69, 73, 74, 75, 77, 78}


def after_a_fault(storage, folder, run, before, after):
    """The faults found after a command with an injected fault, whatever its exit code."""
    faults = []
    try: now = storage.state(folder)
    except (Unreadable, ValueError) as error: return [f"cannot be read: {error}"]
    if now not in (before, after): faults.append("neither as before nor as after")
    if run.status == 0 and now != after: faults.append("acknowledged, but not stored")
    faults += storage.damage(folder)
    following = Run(storage.append(folder, "next"), folder)
    if following.status: faults.append(f"the next command fails: {following.words}")
    elif strange := storage.strange(folder): faults.append(f"left {strange}")
    return faults


def every_call(storage, what, chosen=()):
    """Each command with each call it makes in turn its last (`kill`), or failing (`errors`)."""
    report = Report(f"{what}: {storage.name}")
    with Folder(BASE) as base:
        cases = []
        for name, words, copy, before, after in states(storage, base):
            if chosen and name not in chosen: continue
            trial = base / "trial"
            shutil.copytree(copy, trial)
            made = calls(storage, trial, words)
            for place, call in enumerate(made, 1):
                number = made[:place].count(call)
                # SQLite makes many calls of one kind; a sample of them is enough.
                if storage.name == "sqlite" and what == "errors" and number % (made.count(call) // 20 + 1): continue
                if what == "kill" and call in MUTATING: cases.append((name, words, copy, before, after, number, call, "kill", None))
                for error in ERRORS[call] if what == "errors" else []:
                    # Calls on disk files are not interrupted in practice; SQLite relies on that, bb does not.
                    if storage.name == "sqlite" and error == "EINTR": continue
                    cases.append((name, words, copy, before, after, number, call, error, None))
                    if error in ("ENOSPC", "EIO", "EMFILE"): cases.append((name, words, copy, before, after, number, call, error, 1))
            shutil.rmtree(trial)

        def one(case):
            name, words, copy, before, after, number, call, fault, on = case
            with Folder(BASE) as place:
                folder = place / "f"
                shutil.copytree(copy, folder)
                do = "kill" if fault == "kill" else getattr(errno, fault)
                run = storage.run(folder, words, environment=faulty(folder, at=number, name=call, do=do, on=on), limit=60)
                faults = []
                if fault == "kill" and run.status not in (-9, 0): faults.append(f"exit code {run.status}")
                if fault != "kill":
                    if run.status not in {0} | EXITS: faults.append(f"exit code {run.status}: {run.words[:200]}")
                    if run.status and storage is not CARELESS: faults += message_faults(run.err, 1)
                    if fault == "EINTR" and run.status: faults.append(f"an interrupted call causes an error: {run.words}")
                    # A file that cannot be removed, for the same reason as the failure, is removed by the next command.
                    if run.status and call != "unlink" and not on and (left := storage.strange(folder)): faults.append(f"left {left}")
                faults += after_a_fault(storage, folder, run, before, after)
                report.add(f"{name}: {call} ({number}) {fault}{' from then on' if on else ''}", faults)

        in_parallel(3, one, cases)
    return report


# ---------------------------------------------------------------------------------------------------------------------

def mounted(folder, *words):
    """Mounts something at a directory; returns whether that succeeded."""
    folder.mkdir(exist_ok=True)
    return subprocess.run(["mount", *words, folder], capture_output=True).returncode == 0


def fill(folder, spare=0):
    """Fills the file system of a directory up to `spare` bytes."""
    with open(folder / "fill", "wb", buffering=0) as file:
        try:
            while True: file.write(bytes(4096))
        except OSError: pass
        file.truncate(max(0, file.tell() - spare))


def full(storage):
    """Changes a store on a full file system, then with one free page, two, and so on, until the change fits."""
    report = Report(f"full: {storage.name}")
    with Folder() as home:
        disk = home / "disk"
        if not mounted(disk, "-t", "tmpfs", "-o", f"size={'1m' if storage.name == 'sqlite' else '64k'}", "tmpfs"):
            report.skip("all", "a file system can only be mounted by root")
            return report
        try:
            for _, words in storage.STEPS[:2] + storage.STEPS[6:7]:
                if (done := Run(storage.command(disk, words), home)).status: raise SystemExit(f"{storage.name}: {done.words}")
            before = storage.state(disk)
            for name, words in [("append", storage.append(disk, "x" * 5000)), *((n, storage.command(disk, w)) for n, w in storage.STEPS[3:4] + storage.STEPS[7:])]:
                for pages in range(64):
                    fill(disk, pages * 4096)
                    run = Run(words, home)
                    (disk / "fill").unlink()
                    now, faults = state_or_why(storage, disk), []
                    if run.status == 0 and now == before: faults.append("acknowledged, but not stored")
                    if run.status != 0:
                        if run.status != 74 or b"full" not in run.err: faults.append(f"exit code {run.status}: {run.words}")
                        if now != before: faults.append("not as before")
                        if strange := [n for n in storage.strange(disk) if n != "fill"]: faults.append(f"left {strange}")
                        faults += message_faults(run.err, 1)
                    elif pages == 0 and storage.name != "sqlite": faults.append("done without room")
                    report.add(f"{name} with {pages} pages of room", faults + storage.damage(disk))
                    if run.status == 0: break
                else: report.add(f"{name} at last", ["does not fit however much room there is"])
                before = state_or_why(storage, disk)
        finally: subprocess.run(["umount", disk])
    return report


# ---------------------------------------------------------------------------------------------------------------------

def stopped(storage, folder, words, at):
    """A command that stops before its call of this number; None if it ended before."""
    process = subprocess.Popen([str(w) for w in words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                               env={"PATH": f"{release}:/usr/bin:/bin", "HOME": str(folder)} | faulty(folder, at=at, do="stop"))
    _, status = os.waitpid(process.pid, os.WUNTRACED)
    if os.WIFSTOPPED(status): return process
    process.returncode = os.waitstatus_to_exitcode(status)
    process.stderr.close()
    return None


def edit(storage, folder, replaces):
    """Adds a record as an editor does: in a new file that replaces the old one, or in the file itself."""
    path = storage.file(folder)
    text = storage.by_hand(path.read_text())
    if replaces:
        (folder / "new").write_text(text)
        os.chmod(folder / "new", 0o600)
        os.rename(folder / "new", path)
    else: path.write_text(text)


def editors(storage):
    """Saves a file as a user would while a command runs, before each of its calls: the command includes the change or refuses, and no record is lost.

    One moment is excluded: the one between the last check of the file and its renaming, which no system call combines."""
    report = Report(f"editors: {storage.name}")
    if storage.name == "sqlite":
        report.skip("all", "a database is not edited with a text editor")
        return report
    with Folder(BASE) as base:
        name, words, copy, before, after = states(storage, base)[2]
        trial = base / "trial"
        shutil.copytree(copy, trial)
        log = base / "log"
        storage.run(trial, words, environment=faulty(trial, log=log))
        made = log.read_text().split("\n")[:-1]
        def one(case):
            number, call, replaces = case
            with Folder(BASE) as place:
                folder = place / "f"
                shutil.copytree(copy, folder)
                process = stopped(storage, folder, storage.command(folder, words), number)
                if process is None: return report.add(f"{number}", ["ended before"])
                edit(storage, folder, replaces)
                process.send_signal(signal.SIGCONT)
                said = process.stderr.read().decode()
                status, faults = process.wait(), []
                process.stderr.close()
                if status not in (0, 75): faults.append(f"exit code {status}: {said.strip()}")
                try: now = storage.state(folder).decode()
                except (Unreadable, ValueError) as error: return report.add(f"{number}", [str(error)])
                if storage.HAND not in now: faults.append(f"the user's record is lost (exit code {status})")
                if (status == 0) != (storage.MARK in now): faults.append(f"exit code {status}, and the command's change is {'not ' if status == 0 else ''}there")
                report.add(f"before call {number}, {call}, {'a new file' if replaces else 'in place'}", faults)

        moment = max([n for n, call in enumerate(made, 1) if call == f"rename {storage.file(trial)}"], default=0)
        cases = [(n, call.split(" ")[0], replaces) for n, call in enumerate(made, 1) for replaces in (True, False) if n != moment]
        in_parallel(3, one, cases)
    return report


# ---------------------------------------------------------------------------------------------------------------------

def holders(storage):
    """A process stopped in the middle of a change: another writer gives up in time, readers succeed, and after its death nothing is locked."""
    report = Report(f"holders: {storage.name}")
    with Folder(BASE) as base:
        name, words, copy, before, after = states(storage, base)[2]
        trial, folder = base / "trial", base / "f"
        shutil.copytree(copy, trial)
        made = calls(storage, trial, words)
        # After the lock is taken, before a file is replaced. The last two flushes of SQLite, when the last process
        # closes the database, copy the log to it; other processes cannot read then.
        at = made.index("flock") + 3 if "flock" in made else ([made.index("write") + 1, 0, 0] + [n for n, call in enumerate(made, 1) if call == "fsync"])[-3]
        shutil.copytree(copy, folder)
        process = stopped(storage, folder, storage.command(folder, words), at)
        if process is None: report.add("the holder", ["ended"]); return report
        second = Run(storage.append(folder, "second"), folder, limit=40)
        report.add("a second writer", ([] if second.status == 75 else [f"exit code {second.status}: {second.words}"]) + message_faults(second.err, 1)
                   + ([] if 3 < second.seconds < 20 else [f"after {second.seconds:.1f} s"]))
        reader = storage.run(folder, ["bb-notes", "list"])
        report.add("a reader", ([] if reader.status == 0 else [reader.words]) + ([] if state_or_why(storage, folder) == before else ["not as before"]))
        process.kill(); process.wait(); process.stderr.close()
        third = Run(storage.append(folder, "third"), folder, limit=40)
        report.add("after its death", ([] if third.status == 0 and third.seconds < 3 else [f"{third.seconds:.1f} s: {third.words}"]) + storage.strange(folder))
    return report


# ---------------------------------------------------------------------------------------------------------------------

READING = [["bb-notes", "list"], ["bb-notes", "list", "--json"], ["bb-notes", "show", "S01E01"], ["bb-notes", "search", "one"], ["bb-notes", "episodes"],
           ["bb-notes", "history"], ["bb-notes", "trash", "list"], ["bb-notes", "check"], ["bb-notes", "places", "list"], ["bb-notes", "actors", "list"],
           ["bb-export", "notes", "-f", "csv"], ["bb-export", "items", "-f", "json"], ["bb-export", "notes", "--search", "one"]]


def readers(storage):
    """Commands that read an existing store, a read-only one and a missing one: no file changes."""
    report = Report(f"readers: {storage.name}")
    # The shared memory and the log of SQLite are files, but not data.
    ignored = ("s.db-shm", "s.db-wal")
    with Folder(BASE) as home:
        disk, fixed = home / "disk", home / "fixed"
        disk.mkdir()
        for words in READING:
            Run(storage.command(disk, words), home)
            report.add(f"{' '.join(words[:3])} without a store", [f"made {n}" for n in digest(disk)])
        for _, words in storage.STEPS[:3] + storage.STEPS[6:7]: Run(storage.command(disk, words), home)
        kept, answers = digest(disk, ignored), []
        for words in READING:
            run = Run(storage.command(disk, words), home)
            answers.append(run.out)
            report.add(" ".join(words[:3]), ([] if run.status == 0 else [run.words]) + ([] if digest(disk, ignored) == kept else ["files are different"]))
        if not mounted(fixed, "--bind", str(disk)) or subprocess.run(["mount", "-o", "remount,ro,bind", fixed], capture_output=True).returncode:
            report.skip("a read-only file system", "only root can mount one")
            return report
        try:
            for words, answer in zip(READING, answers):
                run = Run(storage.command(fixed, words), home)
                report.add(f"{' '.join(words[:3])} where nothing can be written",
                           [] if run.status == 0 and run.out == answer else [f"exit code {run.status}: {run.words}"])
            run = Run(storage.append(fixed, "x"), home)
            report.add("a change where nothing can be written", ([] if run.status in (74, 77) else [f"exit code {run.status}"]) + message_faults(run.err, 1))
        finally: subprocess.run(["umount", fixed])
    return report


# ---------------------------------------------------------------------------------------------------------------------

def short(storage):
    """Reads and writes of seven bytes at a time, every other one interrupted: the results are the same."""
    report = Report(f"short: {storage.name}")
    with Folder(BASE) as base:
        for name, words, copy, before, after in states(storage, base):
            run = storage.run(copy, words, environment=faulty(copy, short={"sqlite": 4096, "careless": 3}.get(storage.name, 7)))
            report.add(name, ([run.words] if run.status else []) + ([] if state_or_why(storage, copy) == after else ["not as after"]) + storage.damage(copy))
    return report


# ---------------------------------------------------------------------------------------------------------------------

CAMPAIGNS = {
    "writers": writers, "crowds": crowds, "kills": kills, "kill": lambda s: every_call(s, "kill"), "errors": lambda s: every_call(s, "errors"),
    "short": short, "full": full, "moves": moves, "editors": editors, "holders": holders, "readers": readers,
}
# The campaigns with an unsafe store, or an unsafe use of a store, in which they must find faults.
CARELESSLY = CAMPAIGNS | {"crowds": lambda _: crowds(REAL[1], careless=True), "moves": lambda _: moves(REAL[1], forgets=True)}


def run(arguments):
    chosen = [a for a in arguments if a in CAMPAIGNS] or list(CAMPAIGNS)
    kinds = [s for s in REAL if s.name in arguments] or REAL
    if "--self-test" in arguments:
        held = [name for name in chosen if CARELESSLY[name](CARELESS).end()]
        for name in held: print(f"self-test: {name} finds no fault in the unsafe store")
        return not held
    if storages.library() is None:
        print("skipped: storage: no C compiler found (clang, cc) for the fault library")
        chosen = [c for c in chosen if c in ("writers", "crowds", "kills", "full", "readers")]
    return all([CAMPAIGNS[name](storage).end() for name in chosen for storage in kinds])
