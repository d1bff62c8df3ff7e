"""Random tables of hostile values, and the texts that Python makes of them."""
import csv, io, json, random


class Number(str):
    """A number as it is spelled."""


WORDS = ["", " ", "a", "null", "NULL", "true", "false", "NaN", "-", "0", "007", "1.10", "-0", "1e5", "=1+1", "+49", "@x", "=\"x\"", "it's", "\"", "\"\"", "a\"b", ",", ";",
         "\t", "|", "||", "\\", "\\n", "\\|", "\n", "\r", "\r\n", "a\nb", "\n\n", "x\r", "\ufeff", "\ufeffa", "é", "e\u0301", "ß", "İ", "日本語", "🎬", "👩‍👩‍👧", "\u200f", "\u202e",
         "\u2028", "\x00", "\x01", "\x1b[31m", "\x7f", "\x85", "<br>", "<b>&amp;", "*_`~[]()", "http://a.b/c|d", "www.x.y", "a@b.c", "1958-09-07", "2021-02-30", "1958",
         "2024-01-01T00:00:00Z", "[1,2]", "{\"a\":1}", "[]", "{}", " lead", "trail ", "\u00a0", "x" * 15, "y" * 16, "z" * 17, "\"" * 33, "\U0010ffff", "\uffff", "-1", "12", "3.5"]
LITERALS = ["0", "-0", "1", "-1", "10", "100", "0.0", "-0.0", "0.1", "1.0", "1.10", "1e5", "1E5", "1e+5", "1.5e-7", "5e-324", "1e22", "1e23", "1e400", "-1e-400", "9007199254740993",
            "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "0.30000000000000004", "123456789012345678901234567890", "0e0", "2.50"]


class Table:
    """Columns and rows made from a seed, the same every time."""

    def __init__(self, seed):
        self.seed = seed
        self.random = rng = random.Random(seed)
        width = rng.choice([1, 1, 2, 2, 3, 4, 5, 8, 17 if rng.random() < 0.1 else 6])
        self.names = []
        while len(self.names) < width:
            name = rng.choice(["id", "name", "a b", "x", "y", "z", "col", "é", "e\u0301", "Q\"q", "c,d", "ta\tb", "l\nf", "back\\slash", "pi|pe", "=sum", "🎬", "k" * 70, "1", "true", self.text(8)])
            if name and name not in self.names and name.strip() and "\x00" not in name: self.names.append(name)
        makers = [rng.choice(self.makers()) for _ in self.names]
        nulls = [rng.choice([0, 0, 0.1, 0.5, 0.95]) for _ in self.names]
        # Some tables are larger than what is read at once, so that records lie across the borders.
        rows = rng.choice([0, 1, 1, 2, 3, 5, 8, 13, 30]) if seed % 40 else rng.choice([3000, 6000])
        self.rows = [[None if rng.random() < null else make() for make, null in zip(makers, nulls)] for _ in range(rows)]

    def text(self, most):
        rng = self.random
        if rng.random() < 0.4: return rng.choice(WORDS)
        return "".join(rng.choice(WORDS) if rng.random() < 0.3 else chr(rng.choice([rng.randint(32, 126), rng.randint(160, 0x2fff), rng.randint(0x10000, 0x1ffff)]))
                       for _ in range(rng.randint(0, most)))

    def plain(self): return "".join(self.random.choice("abc xyz é,\"") for _ in range(self.random.randint(0, 40)))
    def integer(self): return Number(self.random.choice([0, 1, 7, -1]) if self.random.random() < 0.3 else self.random.randint(-10 ** self.random.randint(1, 18), 10 ** self.random.randint(1, 18)))
    def real(self): return Number(repr(self.random.choice([self.random.uniform(-1e6, 1e6), round(self.random.uniform(0, 10), 1), self.random.random() * 10 ** self.random.randint(-12, 20)])))
    def boolean(self): return self.random.random() < 0.5

    def decimal(self):
        rng = self.random
        if rng.random() < 0.5: return Number(rng.choice(LITERALS))
        digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 40))).lstrip("0") or "0"
        fraction = "." + "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 40))) if rng.random() < 0.6 else ""
        exponent = rng.choice("eE") + rng.choice(["", "+", "-"]) + str(rng.randint(0, 400)) if rng.random() < 0.2 else ""
        return Number(rng.choice(["", "-"]) + digits + fraction + exponent)

    def nested(self, depth=0):
        rng = self.random
        kind = rng.random()
        if depth > 3 or kind < 0.3: return rng.choice([None, self.boolean(), self.decimal(), self.text(5)])
        if kind < 0.65: return [self.nested(depth + 1) for _ in range(rng.randint(0, 4))]
        return {self.text(3) + str(place): self.nested(depth + 1) for place in range(rng.randint(0, 3))}

    def container(self):
        value = self.nested()
        return value if isinstance(value, (list, dict)) else [value]

    def makers(self):
        rng = self.random
        simple = [lambda: self.text(12), lambda: self.text(60), self.plain, self.integer, self.real, self.boolean, self.decimal]
        return simple + [lambda: [self.text(6) for _ in range(rng.randint(0, 4))], lambda: [self.integer() for _ in range(rng.randint(0, 4))], self.container,
                         lambda: rng.choice(simple)(), lambda: rng.choice(WORDS), lambda: rng.choice(["1", "2", "30"]), lambda: None]

    # Texts of the table.

    def space(self): return "".join(self.random.choice(" \t\n\r") for _ in range(self.random.choice([0, 0, 0, 1, 3])))

    def json_value(self, value, spaced):
        space = self.space if spaced else lambda: ""
        if isinstance(value, Number): return str(value)
        if isinstance(value, list): return "[" + space() + ("," + space()).join(self.json_value(v, spaced) for v in value) + "]"
        if isinstance(value, dict): return "{" + ("," + space()).join(f"{space()}{json.dumps(k)}{space()}:{self.json_value(v, spaced)}" for k, v in value.items()) + space() + "}"
        return json.dumps(value, ensure_ascii=self.random.random() < 0.5)

    def record(self, row, spaced):
        members = [(name, value) for name, value in zip(self.names, row) if value is not None or row is self.rows[0] or self.random.random() < 0.7]
        if self.random.random() < 0.2 and row is not self.rows[0]: self.random.shuffle(members)
        return self.json_value(dict(members), spaced)

    def as_json(self):
        spaced = self.random.random() < 0.3
        gap = self.space if spaced else lambda: "\n"
        return ("[" + gap() + ("," + gap()).join(self.record(row, spaced) for row in self.rows) + gap() + "]").encode()

    def as_ndjson(self):
        end = self.random.choice(["\n", "\r\n", "\n\n"])
        return end.join(self.record(row, False) for row in self.rows).encode() + (end.encode() if self.random.random() < 0.7 else b"")

    def as_csv(self):
        """Python's csv writer cannot tell null from the empty text: both are written empty, and become null."""
        out = io.StringIO(newline="")
        # Older versions of the module leave a carriage return without quotes, where it would end the record.
        has_return = any("\r" in field(value) for row in [self.names, *self.rows] for value in row)
        # Nor does it quote what would be a byte order mark.
        has_return = has_return or self.names[0].startswith("\ufeff")
        quoting = csv.QUOTE_ALL if has_return else self.random.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
        writer = csv.writer(out, lineterminator=self.random.choice(["\n", "\r\n"]), quoting=quoting)
        writer.writerow(self.names)
        self.quotes_all = quoting == csv.QUOTE_ALL
        for row in self.rows: writer.writerow([field(value) for value in row])
        return out.getvalue().encode()


def field(value):
    """A value as text in CSV."""
    if value is None: return ""
    if isinstance(value, bool): return "true" if value else "false"
    if isinstance(value, (list, dict)): return dumped(value)
    return str(value)


def dumped(value):
    """Compact JSON, numbers as they are spelled."""
    if isinstance(value, Number): return str(value)
    if isinstance(value, list): return "[" + ",".join(map(dumped, value)) + "]"
    if isinstance(value, dict): return "{" + ",".join(json.dumps(k, ensure_ascii=False) + ":" + dumped(v) for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)
