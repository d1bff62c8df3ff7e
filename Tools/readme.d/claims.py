"""The numbers with units of the pages, and what proves them: a line of claims.tsv for each."""
import json, os, pathlib, re, subprocess, tempfile

UNITS = r"(?:KB|MB|GB|TB|s|ms|seconds|minutes|times|×(?! ?[\dA-Z])|%|rows|formats|records|programs)"
NUMBER = re.compile(rf"(?<![\w.,/{{}}=-])(~?\d(?:[\d,.]*\d)?(?:[–-]\d(?:[\d,.]*\d)?)?) ?{UNITS}(?![\w/-])")


def found(page):
    """(line, claim) of a page, without blocks and spans of code."""
    fenced = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"): fenced = not fenced
        elif not fenced:
            for match in NUMBER.finditer(re.sub(r"`[^`]*`", "`", line)): yield number, match[0], line


def check(top, pages, programs, measures):
    """(place, problem or nothing) of every claim."""
    table, used = {}, set()
    file = top / "Tools/readme.d/claims.tsv"
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line or line.startswith("#"): continue
        fields = line.split("\t")
        if len(fields) != 4:
            yield f"{file.relative_to(top)}:{number}", "expected page, claim, kind and evidence"
            continue
        page, claim, kind, evidence = fields
        table.setdefault((page, claim), []).append((number, kind, evidence))
    for page in pages:
        for number, claim, line in found(page):
            if (page.stem, claim) not in table:
                yield f"{page.relative_to(top)}:{number}", f"claim without evidence in {file.relative_to(top)}: {claim}"
            used.add((page.stem, claim))
    for (page, claim), lines in table.items():
        for number, kind, evidence in lines:
            place = f"{file.relative_to(top)}:{number}"
            if (page, claim) not in used: yield place, f"{page} does not claim: {claim}"
            elif kind == "bench": yield place, bench(top, evidence)
            elif kind in ("command", "memory"):
                if kind == "memory" and not measures: continue
                yield place, command(top, programs, claim, kind, evidence)
            else: yield place, f"unknown kind {kind}"


def formats(top, programs):
    """Whether the sentence of README.md on formats has the numbers that `bb-export formats` has."""
    rows = json.loads(subprocess.check_output([programs / "bb-export", "formats", "-f", "json"], env={**os.environ, "HOME": "/nowhere"}))
    known = {"read": sum("bb-export" in (row["read_by"] or "") for row in rows), "written": sum(row["kind"] in ("exact", "display") for row in rows), "exact": sum(row["kind"] == "exact" for row in rows)}
    sentence = re.search(r"reads (\d+) formats and writes (\d+), (\d+) of them exactly", (top / "README.md").read_text())
    if not sentence: return [("README.md", "no sentence “reads R formats and writes W, E of them exactly”")]
    return [("README.md", None if int(said) == number else f"{said} formats {what}; bb-export formats has {number}") for said, (what, number) in zip(sentence.groups(), known.items())]


def bench(top, evidence):
    """Whether the results of a date have a row: `DATE | cells of the row`."""
    date, _, row = evidence.partition(" | ")
    cells, now = [cell.strip() for cell in row.split("|")], None
    for line in (top / "Tools/bench-results.md").read_text().splitlines():
        if line.startswith("## "): now = None
        if match := re.match(r"(\d{4}-\d{2}-\d{2}), ", line): now = match[1]
        if now == date and line.startswith("|"):
            rest = iter(cell.strip() for cell in line.strip("|").split("|"))
            if all(cell in rest for cell in cells): return None
    return f"no such row in the results of {date}: {row}"


def command(top, programs, claim, kind, evidence):
    """Whether a command prints the number of a claim; memory within a tenth."""
    claimed = re.findall(r"\d[\d,.]*", claim)[0].strip(".,").replace(",", "")
    with tempfile.TemporaryDirectory() as directory:
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TOP": str(top), "HOME": directory, "BB_API_URL": "http://127.0.0.1:9"}
        if kind == "memory": evidence = f"python3 {top}/Tools/readme.d/memory.py {evidence}"
        done = subprocess.run(["sh", "-c", evidence], cwd=directory, env=environment, stdin=subprocess.DEVNULL, text=True, capture_output=True)
        output = done.stdout.strip()
        if kind == "memory":
            return None if output and abs(float(output) - float(claimed)) <= float(claimed) / 10 else f"{claim}: measured {output or done.stderr} MB"
        return None if re.search(rf"(?<![\d.]){re.escape(claimed)}(?![\d.])", output.replace(",", "")) else f"{claim}: {evidence} printed {output or done.stderr or 'nothing'}"
