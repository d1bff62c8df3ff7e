"""The matrix of formats: a table that was read from one format is written to another, and read from there.

  =  the same table      ≈  the same values, some with another type      ⊂  the values that the format can have
  ·  cannot be read      !  refused when written"""
import concurrent.futures, json, pathlib, subprocess, tempfile

TABLE = """name,id,price,day,at,ok,latitude,longitude,note
Zürich,1,9.50,2024-05-01,2024-05-01T10:00:00Z,true,47.375,8.5,"a, ""b"" | <c> & 'd'"
Genève,2,-0.25,2024-12-31,2024-05-01T23:59:59Z,false,46.25,6.125,
Basel,3,1000000,1999-01-01,1970-01-01T00:00:00Z,true,47.5,7.625,x
"""


class Matrix:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        listed = json.loads(self.run("formats", "-f", "json")[0])
        self.formats = [entry["format"] for entry in listed if entry["kind"] in ("exact", "display")]
        self.readable = {entry["format"] for entry in listed if entry["read_by"]}

    def run(self, *arguments):
        """What the program writes, and why it refused."""
        done = subprocess.run([self.program, *arguments], cwd=self.folder, capture_output=True)
        why = done.stderr.decode(errors="replace").split("\n")[0].split(": ", 1)[-1]
        return (done.stdout, None) if done.returncode == 0 else (None, why)

    def write(self, source, kind, target, format):
        return self.run(source, "--from-format", kind, "-f", format, "-o", target)[1]

    def read(self, source, kind):
        """The rows, or why they cannot be read."""
        text, why = self.run(source, "--from-format", kind, "-f", "ndjson")
        return why if text is None else [json.loads(line, parse_float=str, parse_int=str) for line in text.splitlines()]

    def compare(self, wanted, found):
        if isinstance(found, str): return "·"
        if wanted == found: return "="
        plain = lambda rows: [{name: number(value) for name, value in row.items() if value not in (None, "")} for row in rows]
        wanted, found = plain(wanted), plain(found)
        if wanted == found: return "≈"
        # Formats of places and people have names and members of their own.
        values = [set(row.values()) for row in wanted]
        if len(values) == len(found) and all(set(row.values()) & own for row, own in zip(found, values)): return "⊂"
        return "≠"

    def row(self, format):
        """The cells of a format that is read, and the reasons of refusals."""
        source = f"from.{format}"
        why = self.write("table.csv", "csv", source, format)
        if why: return ["!"] * len(self.formats), {format: why}
        if format not in self.readable: return ["·"] * len(self.formats), {}
        rows, cells, reasons = self.read(source, format), [], {}
        if isinstance(rows, str): return ["≠"] * len(self.formats), {format: rows}
        for other in self.formats:
            target = f"{format}-to.{other}"
            why = self.write(source, format, target, other)
            if why:
                cells.append("!")
                reasons[f"{format} → {other}"] = why
            else:
                cells.append(self.compare(rows, self.read(target, other)) if other in self.readable else "·")
        return cells, reasons

    def text(self):
        (self.folder / "table.csv").write_text(TABLE)
        with concurrent.futures.ThreadPoolExecutor(2) as pool: rows = list(pool.map(self.row, self.formats))
        lines = ["| from \\ to | " + " | ".join(self.formats) + " |", "|---|" + ":-:|" * len(self.formats)]
        lines += [f"| {format} | " + " | ".join(cells) + " |" for format, (cells, _) in zip(self.formats, rows) if format in self.readable]
        reasons = {pair: why for _, found in rows for pair, why in found.items()}
        return "\n".join(lines) + "\n", reasons, sum(cells.count("≠") for cells, _ in rows)


def number(value):
    """A number by its value, other values as text."""
    if isinstance(value, bool): return str(value).lower()
    if isinstance(value, (list, dict)): return json.dumps(value)
    try: return str(float(value))
    except ValueError: return str(value)


def run(program, article, accept):
    """Compares the matrix with the one in the article; the number of differences."""
    with tempfile.TemporaryDirectory() as folder: table, reasons, wrong = Matrix(program, folder).text()
    text = article.read_text()
    before, old, after = text.split("<!-- matrix -->\n")
    if accept: article.write_text(before + "<!-- matrix -->\n" + table + "<!-- matrix -->\n" + after)
    for pair, why in reasons.items(): print(f"refused: {pair}: {why}")
    print(table, end="")
    if old != table and not accept: print("roundtrip: the matrix of the article differs; --accept records this one")
    print(f"roundtrip: {wrong} of the ways lose a value in silence")
    return wrong + (old != table and not accept)
