"""bb-notes on stores of 100,000 and 10,000 episodes with a note each: CPU time of whole processes, compared with the promised limits."""
import json, pathlib, shutil, subprocess, tempfile
import measure

# Command → limit of CPU seconds by kind of store, with 100,000 notes.
READING = {"sqlite": 0.015, "csv": 0.15, "json": 0.35}
WRITING = {"sqlite": 0.015, "csv": 0.6, "json": 0.6}
COMMANDS = {"add": WRITING, "list --limit 10": READING, "search": READING, "show": READING}
# Text with enough different words that a search finds few notes.
WORDS = [f"{a}{b}" for a in ("ba", "do", "fe", "gu", "ki", "lo", "me", "nu", "pa", "ri", "sa", "to") for b in ("bel", "dan", "fis", "gor", "kum", "lar", "mit", "nos")]


def key(number): return number // 100 + 1, number % 100 + 1


def make(bb_export, bb_notes, folder, kind, count):
    """A store with `count` episodes, and a note on each but the last."""
    location = f"{kind}:{folder}/{kind}{count}"
    if not (folder / f"{count}/episodes.ndjson").exists():
        (folder / str(count)).mkdir()
        with open(folder / f"{count}/episodes.ndjson", "w") as episodes, open(folder / f"{count}/notes.ndjson", "w") as notes:
            for number in range(count):
                season, episode = key(number)
                place = {"production": "Breaking Bad", "season": season, "episode": episode}
                episodes.write(json.dumps(place | {"id": number, "title": f"Title {number}"}) + "\n")
                if number == count - 1: continue
                words = " ".join(WORDS[number * (7 + 3 * k) // (k + 1) % len(WORDS)] for k in range(12))
                notes.write(json.dumps(place | {"text": f"{words} w{number}", "created_at": "2024-01-01T00:00:00Z", "updated_at": "2024-01-01T00:00:00Z"}) + "\n")
    run = lambda *words: subprocess.run(words, check=True, capture_output=True)
    run(bb_export, "sync", "--from", folder / f"{count}/episodes.ndjson", "--as", "episodes", "--storage", location)
    run(bb_notes, "import", folder / f"{count}/notes.ndjson", "--storage", location)
    return location


def run(bb_export, bb_notes, rounds):
    """The table."""
    lines = ["| storage | command | CPU ms | limit | 10,000 notes: CPU ms | times | memory MB |", "|---|---|---:|---:|---:|---:|---:|"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for kind in READING:
            results = {}
            for count in (100_000, 10_000):
                location = make(bb_export, bb_notes, folder, kind, count)
                season, episode = key(count - 1)
                rest = f"--storage {location} > /dev/null 2>&1"
                commands = {
                    "add": f"{bb_notes} add S{season}E{episode} 'the last one' {rest}",
                    "list --limit 10": f"{bb_notes} list --limit 10 {rest}",
                    "search": f"{bb_notes} search w777 --limit 10 {rest}",
                    "show": f"{bb_notes} show S{season // 2 + 1}E5 {rest}"}
                forget = lambda: subprocess.run([bb_notes, "delete", f"S{season}E{episode}", "--yes", "--storage", location], capture_output=True)
                results[count] = measure.interleaved({"add": commands.pop("add")}, rounds, before=forget) | measure.interleaved(commands, rounds)
                shutil.rmtree(folder / f"{kind}{count}", ignore_errors=True)
            for command, limits in COMMANDS.items():
                big, small = results[100_000][command], results[10_000][command]
                assert big["status"] == 0 and small["status"] == 0, f"{kind}: {command} failed"
                lines.append(f"| {kind} | {command} | {big['cpu'] * 1000:.1f} | {limits[kind] * 1000:.0f} | {small['cpu'] * 1000:.1f} | "
                             f"{big['cpu'] / small['cpu']:.1f} | {big['memory']:.0f} |")
    return "bb-notes with 100,000 episodes and notes, median of " + str(rounds), lines
