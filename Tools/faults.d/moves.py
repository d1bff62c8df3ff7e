"""Moves from one store to another, by migration or sync, that are killed or fail, and are repeated."""
import errno, shutil
from runs import BASE, Folder, Report, Run, in_parallel, message_faults
from storages import REAL, Unreadable, faulty

# Calls that change something, and the error with which they fail.
CHANGING = {"open": "ENOSPC", "write": "ENOSPC", "fsync": "EIO", "truncate": "EIO", "rename": "EIO", "mkdir": "EACCES", "unlink": "EIO", "chmod": "EPERM"}
EXITS = {65, 73, 74, 75, 77}


class Target:
    """The store that a move fills, in a directory next to that of the old store."""

    def __init__(self, storage): self.storage = storage
    def place(self, folder): return folder / "new"
    def location(self, folder): return self.storage.location(self.place(folder))
    def state(self, folder): return self.storage.state(self.place(folder)) if self.place(folder).exists() else b""


def command(name, storage, target, folder):
    if name == "migrate": return ["bb-notes", "migrate", "--storage", storage.location(folder), "--to", target.location(folder)]
    return ["bb-export", "sync", "items", "notes", "--from-storage", storage.location(folder), "--storage", target.location(folder)]


def prepared(storage, folder):
    """A store with notes, a table of foreign records and a history, and an empty directory for another store."""
    folder.mkdir()
    (folder / "new").mkdir()
    for _, words in storage.STEPS[:7]:
        if (done := storage.run(folder, words)).status: raise SystemExit(f"{storage.name}: {done.words}")
    return folder


def move(report, name, storage, target, base, forgets=False):
    origin, trial, log = prepared(storage, base / f"{name}-{target.storage.name}"), base / "trial", base / "log"
    held = storage.state(origin)
    shutil.copytree(origin, trial)
    if (done := Run(command(name, storage, target, trial), trial, faulty(trial, log=log))).status:
        raise SystemExit(f"{name} {storage.name} to {target.storage.name}: {done.words}")
    whole, made = target.state(trial), [line.split(" ")[0] for line in log.read_text().split("\n")[:-1]]
    shutil.rmtree(trial)
    log.unlink()
    cases = [(call, made[:place].count(call), fault) for place, call in enumerate(made, 1) if call in CHANGING for fault in ("kill", CHANGING[call])]

    def one(case):
        call, number, fault = case
        with Folder(BASE) as place:
            folder, faults = place / "f", []
            shutil.copytree(origin, folder)
            do = "kill" if fault == "kill" else getattr(errno, fault)
            run = Run(command(name, storage, target, folder), folder, faulty(folder, at=number, name=call, do=do))
            if fault == "kill" and run.status not in (-9, 0): faults.append(f"exit code {run.status}")
            if fault != "kill":
                if run.status not in {0} | EXITS: faults.append(f"exit code {run.status}: {run.words[:200]}")
                if run.status: faults += message_faults(run.err, 1) if name == "migrate" else []
            try:
                if storage.state(folder) != held: faults.append("the old store is different")
                if run.status == 0 and target.state(folder) != whole: faults.append("acknowledged, but incomplete")
                if not forgets:
                    again = Run(command(name, storage, target, folder), folder)
                    # A process killed after its last call has moved everything; the store then exists.
                    if again.status and not (again.status == 73 and target.state(folder) == whole): faults.append(f"again: exit code {again.status}: {again.words}")
                now = target.state(folder)
                if now != whole and not (name == "sync" and without_history(now) == without_history(whole)): faults.append("repeated, but incomplete")
                faults += storage.damage(folder) + target.storage.damage(target.place(folder))
            except (Unreadable, ValueError) as error: faults.append(f"cannot be read: {error}")
            report.add(f"{name} to {target.storage.name}: {call} ({number}) {fault}", faults)

    in_parallel(3, one, cases)


def without_history(state):
    """The state without its history, which has other entries after a sync in two parts."""
    return state.rsplit(b"\0", 1)[0]


def moves(storage, forgets=False):
    """Moves to each store, by migration and by sync; with `forgets`, an interrupted move is not repeated."""
    report = Report(f"moves: {storage.name}")
    with Folder(BASE) as base:
        for target in map(Target, REAL):
            for name in ("migrate", "sync"): move(report, name, storage, target, base, forgets)
    return report
