"""The rules of the cookbook: at least 60 tasks, each with a command and what it prints, and no two with the same options."""
import pathlib, re, shlex

LEAST = 60


def options(command):
    """The commands of bb with their options."""
    found, words = [[]], shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    for word in words:
        if re.fullmatch(r"[|;&]+", word): found.append([])
        else: found[-1].append(word)
    for words in [words for words in found if words and words[0].startswith("bb-")]:
        names = [words[0]] + [w for w in words[1:3] if re.fullmatch(r"[a-z]+", w) and not pathlib.PurePath(w).suffix]
        names += [word for word in words if word.startswith("-") and len(word) > 1]
        yield " ".join(sorted(set(names)))


def check(top):
    """(place, problem or nothing) of every task."""
    path, results, known, title, number = top / "Modules/Domain/Domain.docc/Cookbook.md", [], {}, "", 0
    text = path.read_text()
    tasks = re.split(r"^### ", text, flags=re.M)[1:]
    results.append(("Cookbook.md", None if len(tasks) >= LEAST else f"{len(tasks)} tasks, at least {LEAST}"))
    for task in tasks:
        title, block = task.partition("\n")[0], "".join(re.findall(r"^```console\n(.*?)^```", task, re.M | re.S))
        commands = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
        signature = tuple(name for command in commands for name in options(command))
        problem = None
        if not signature: problem = "no command of bb"
        elif signature in known: problem = f"the same options as “{known[signature]}”"
        elif not any(not line.startswith("$ ") for line in block.splitlines()): problem = "no output"
        known[signature] = title
        results.append((f"Cookbook.md: {title}", problem))
    return results
