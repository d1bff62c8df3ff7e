"""Many users at once: each adds places, each edits a different note, and all edit the same note."""
import json, sys
from runs import BASE, Folder, Report, in_parallel
from storages import faulty

USERS, TURNS = 20, 10
# The users' editor appends a line to the text; if the users must wait for each other, only after all have opened it.
EDITOR = """import pathlib, sys, time
word, crowd, door, path = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3]), sys.argv[4]
(door / word).touch()
end = time.monotonic() + 120
while len(list(door.iterdir())) < crowd and time.monotonic() < end: time.sleep(0.02)
with open(path, "a") as text: text.write(word + "\\n")
"""
EPISODES = [f"S05E{n:02}" for n in range(1, 17)] + [f"S01E{n:02}" for n in range(1, 5)]


def until_free(storage, folder, words, environment):
    """Runs a command until the store is not busy; returns the last run."""
    for _ in range(60):
        run = storage.run(folder, words, environment=environment, limit=200)
        if run.status != 75: break
    return run


def places(storage, folder, report, environment):
    """Every user adds places."""
    def add(user):
        for turn in range(TURNS):
            run = until_free(storage, folder, ["bb-notes", "places", "add", f"p{user}.{turn}", "--at", f"{user},{turn}"], environment)
            if run.status: failed.append(f"exit code {run.status}: {run.words}")
    failed = []
    in_parallel(USERS, add, range(USERS))
    run = storage.run(folder, ["bb-notes", "places", "list", "--json"])
    names = [item["name"] for item in json.loads(run.out)["items"]] if run.status == 0 else []
    lost = {f"p{p}.{t}" for p in range(USERS) for t in range(TURNS)} - set(names)
    report.add(f"{USERS} users add {TURNS} places each", failed[:3] + ([f"{len(lost)} of {USERS * TURNS} are lost"] if lost else [])
               + (["some are duplicates"] if len(names) != len(set(names)) else []))


def edited(storage, folder, episode, word, crowd, environment):
    door = folder.parent / f"{folder.name}-{episode}-{crowd}"
    door.mkdir(exist_ok=True)
    editor = f"{sys.executable} -S {folder.parent / 'editor.py'} {word} {crowd} {door}"
    return storage.run(folder, ["bb-notes", "edit", episode], environment={"BB_EDITOR": editor} | environment, limit=200)


def own_notes(storage, folder, report, environment):
    """Every user edits a note of their own."""
    for episode in EPISODES: until_free(storage, folder, ["bb-notes", "add", episode, "begun"], {})
    def edit(user):
        for turn in range(TURNS):
            for _ in range(60):
                run = edited(storage, folder, EPISODES[user], f"e{user}.{turn}", 0, environment)
                if run.status != 75: break
            if run.status: failed.append(f"exit code {run.status}: {run.words}")
    failed = []
    in_parallel(USERS, edit, range(USERS))
    lost = [e for user, e in enumerate(EPISODES)
            if storage.words(folder, e) != ["begun"] + [f"e{user}.{turn}" for turn in range(TURNS)]]
    report.add(f"{USERS} users edit a note of their own {TURNS} times", failed[:3] + ([f"lines are lost in {lost}"] if lost else []))


def one_note(storage, folder, report, environment, replaces):
    """All users edit the same note: the first to save changes it; the others get an error, and their text is kept as a draft."""
    until_free(storage, folder, ["bb-notes", "add", "S02E01", "begun"], {})
    kept = folder / ".local/state/bb/drafts"
    before, runs, older = storage.words(folder, "S02E01"), {}, set(kept.glob("*"))
    def edit(user):
        word = f"one{user}"
        runs[word] = (until_free(storage, folder, ["bb-notes", "add", "S02E01", word, "--replace"], environment) if replaces
                      else edited(storage, folder, "S02E01", word, USERS, environment))
    in_parallel(USERS, edit, range(USERS))
    won, faults = [word for word, run in runs.items() if run.status == 0], []
    if len(won) != 1: faults.append(f"{len(won)} users have saved it")
    elif (now := storage.words(folder, "S02E01")) != before + won: faults.append(f"the note is {now} after {won[0]} has saved it")
    if strange := {run.status for run in runs.values()} - {0, 75}: faults.append(f"exit codes {strange}")
    drafts = [p.read_text() for p in set(kept.glob("*")) - older]
    for word, run in runs.items():
        if run.status == 75 and not any(word in draft.split("\n") for draft in drafts): faults.append(f"the text of {word} is not kept")
    if len(drafts) != USERS - len(won): faults.append(f"{len(drafts)} drafts")
    report.add(f"{USERS} users edit one note", faults)


def crowds(storage, careless=False):
    """All three cases; with `careless`, without locks and with `--replace`."""
    report = Report(f"crowds: {storage.name}")
    with Folder(BASE) as base:
        (base / "editor.py").write_text(EDITOR)
        folder = base / "f"
        folder.mkdir()
        environment = faulty(folder, never="flock") if careless else {}
        places(storage, folder, report, environment)
        own_notes(storage, folder, report, environment)
        one_note(storage, folder, report, environment, replaces=careless)
        report.add("files", storage.damage(folder))
    return report
