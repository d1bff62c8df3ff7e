"""What must hold of a table that went through bb."""
import csv, html, io, json, os, pathlib, re, subprocess, tempfile
from tables import Number, dumped, field

csv.field_size_limit(1 << 30)
FORMATS = ["csv", "tsv", "json", "ndjson", "markdown"]
SUFFIX = {"markdown": "md"}


class Failure(Exception):
    """Something was lost or altered."""


class Converter:
    """A process that converts one text after another, and a directory for the texts that bb-export converts."""

    def __init__(self, programs): self.programs = pathlib.Path(programs)

    def __enter__(self):
        self.process = subprocess.Popen([self.programs / "round-trip"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.directory = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.directory.cleanup()

    def convert(self, source, text, targets, types={}, threads=1):
        """The types of the columns, and a text for each of `targets`."""
        head = json.dumps({"from": source, "to": targets, "types": types, "threads": threads, "bytes": len(text)})
        self.process.stdin.write(head.encode() + b"\n" + text)
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line: raise Failure(f"the converter died on {source}: {text[:200]!r}")
        answer = json.loads(line)
        if "problem" in answer: raise Failure(f"from {source}: {answer['problem']}")
        return dict(answer["columns"]), [self.process.stdout.read(size) for size in answer["sizes"]]

    def program(self, source, text, targets):
        """The same by bb-export, from file to files."""
        place = pathlib.Path(self.directory.name)
        (place / f"input.{source}").write_bytes(text)
        outputs = [place / f"out.{SUFFIX.get(target, target)}" for target in targets]
        command = [self.programs / "bb-export", "--from", place / f"input.{source}", "-q"] + [word for path in outputs for word in ("-o", path)]
        done = subprocess.run(command, capture_output=True)
        if done.returncode: raise Failure(f"bb-export from {source}: exit {done.returncode}: {done.stderr.decode()}")
        return [path.read_bytes() for path in outputs]


def loads(text): return json.loads(text, parse_int=Number, parse_float=Number)


def equal(found, expected):
    """The same value of the same kind; a number of the same spelling."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and list(found) == list(expected) and all(equal(found[key], value) for key, value in expected.items())
    if isinstance(expected, list): return isinstance(found, list) and len(found) == len(expected) and all(map(equal, found, expected))
    return type(found) is type(expected) and found == expected


def compare(what, found, expected):
    if len(found) != len(expected): raise Failure(f"{what}: {len(found)} rows instead of {len(expected)}")
    for place, (row, wanted) in enumerate(zip(found, expected)):
        if len(row) != len(wanted): raise Failure(f"{what}: row {place + 1} has {len(row)} values instead of {len(wanted)}: {row!r}")
        for column, (value, right) in enumerate(zip(row, wanted)):
            if not equal(value, right): raise Failure(f"{what}: row {place + 1}, column {column + 1}: {value!r} instead of {right!r}")


def same(what, found, expected):
    if found == expected: return
    place = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), min(len(found), len(expected)))
    raise Failure(f"{what}: other bytes from {place} on: {found[max(0, place - 40):place + 60]!r} instead of {expected[max(0, place - 40):place + 60]!r}")


def csv_rows(text, delimiter):
    """The records as Python reads them, which takes a blank line, the null of a table of one column, for a record without fields."""
    return [row or [""] for row in csv.reader(io.StringIO(text.decode(), newline=""), delimiter=delimiter, strict=True)]


def shown(value, kind):
    """A value as Markdown shows it."""
    if value is None: return ""
    if isinstance(value, list):
        text = "; ".join(part if isinstance(part, str) else dumped(part) for part in value)
        # The space after the last semicolon belongs to the separator, not to the value.
        if value and value[-1] == "": text = text.rstrip(" ")
    else: text = field(value)
    return re.sub("[\x00-\x08\x0b-\x1f\x7f]", "\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))


def markdown_rows(text):
    """The cells of a table of GitHub's Markdown, their escapes undone."""
    rows = []
    for line in text.decode().split("\n")[:-1]:
        if not (line.startswith("|") and line.endswith("|")): raise Failure(f"markdown: no row: {line!r}")
        cells = re.findall(r"((?:\\.|[^|\\])*)\|", line[1:])
        rows.append([cell.strip(" ") for cell in cells])
    return rows


def unescaped(cell):
    # A cell that is only a URL is between angle brackets, and characters that would end it are percent-encoded.
    cell = cell.replace("<br>", "\n")
    return html.unescape(re.sub(r"\\(.)", r"\1", cell))


def check(table, converter, through_program):
    """Sends the table through bb in every way there is."""
    rng = table.random
    names, rows = table.names, table.rows
    kinds = ["csv"] + (["json", "ndjson"] if rows else [])
    source = rng.choice(kinds)
    threads = rng.choice([1, 2, 3])
    if source == "csv":
        text = table.as_csv()
        # An empty field without quotes is null. Python quotes all fields: then empty text and null are both empty text.
        expected = [[None if text == "" and not (table.quotes_all or len(names) == 1) else text for text in map(field, row)] for row in rows]
        types = {name: "text" for name in names}
        first, outputs = converter.convert(source, text, FORMATS, types, threads)
    else:
        text = table.as_json() if source == "json" else table.as_ndjson()
        # A key that a record does not have is null.
        expected = rows
        first, outputs = converter.convert(source, text, FORMATS, {}, threads)
        if through_program:
            for target, mine, its in zip(FORMATS, outputs, converter.program(source, text, FORMATS)): same(f"bb-export's {target}", its, mine)
    if list(first) != names: raise Failure(f"columns {list(first)!r} instead of {names!r}")
    by_format = dict(zip(FORMATS, outputs))

    # Python finds everything.
    document = loads(by_format["json"].decode())
    if rows and [list(record) for record in document] != [names] * len(rows): raise Failure("json: other keys")
    compare("json", [list(record.values()) for record in document], expected)
    lines = by_format["ndjson"].decode().split("\n")
    compare("ndjson", [list(loads(line).values()) for line in lines[:-1]], expected)
    # In a column of any JSON a text is JSON too.
    texts = [names] + [["" if value is None else dumped(value) if first[name] == "json" else field(value) for value, name in zip(row, names)] for row in expected]
    compare("csv", csv_rows(by_format["csv"], ","), texts)
    compare("tsv", csv_rows(by_format["tsv"], "\t"), texts)
    display = [[shown(value, first[name]) for value, name in zip(row, names)] for row in expected]
    found = markdown_rows(by_format["markdown"])
    if len(found) != len(rows) + 2: raise Failure(f"markdown: {len(found) - 2} rows instead of {len(rows)}")
    for place, (row, wanted) in enumerate(zip(found[2:], display)):
        for cell, right in zip(row, wanted):
            if "](<" not in cell and not (cell.startswith("<") and cell.endswith(">")) and unescaped(cell) != right:
                raise Failure(f"markdown: row {place + 1}: {cell!r} instead of {right!r}")
        if len(row) != len(wanted): raise Failure(f"markdown: row {place + 1} has {len(row)} cells: {row!r}")

    # bb infers all types, and writes the same bytes again. A real is written in its usual spelling, so such columns are
    # declared as decimals.
    first = {name: "decimal" if kind == "real" else kind for name, kind in first.items()}
    for again in ("csv", "tsv", "ndjson", "json"):
        if again == "json" and not rows or again == "ndjson" and not rows: continue
        _, back = converter.convert(again, by_format[again], FORMATS, first, threads)
        for target, its in zip(FORMATS, back): same(f"{again} to {target}", its, by_format[target])
    # With inferred types each text is still the same text.
    _, (guessed,) = converter.convert("csv", by_format["csv"], ["csv"], {}, threads)
    same("csv to csv, types found", guessed, by_format["csv"])
    if rows:
        found, (guessed,) = converter.convert("ndjson", by_format["ndjson"], ["json"], {}, threads)
        same("ndjson to json, types found", guessed, by_format["json"])


