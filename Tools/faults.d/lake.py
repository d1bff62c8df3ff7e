"""Mutated footers of Parquet files and mutated logs of Delta tables against the readers and writers: no crash, few seconds, little memory."""
import copy, json, os, random, shutil
from runs import BASE, Folder, Report, Run, in_parallel, release

MUTANTS = 2000
SECONDS = 10
MEGABYTES = 200
EXITS = {0, 64, 65, 66, 73, 75}
NUMBERS = [0, 1, -1, 2, 7, 8, 127, 1 << 16, (1 << 31) - 1, 1 << 31, -(1 << 31), 1 << 40, 1 << 48, (1 << 48) + 1, 1 << 62, (1 << 63) - 1, -(1 << 63)]
TEXTS = [b"", b"PAR1", b"\xff", b"\0" * 9, b"a" * 70000, b"bb:schema", b"parquet-mr version 1.0.0", b"../x", b"/etc/passwd", b"s3://b/k"]
ROWS = b"".join(b'{"id":%d,"name":"n%d","real":%d.25,"list":["a","b"],"map":{"x":[%d,null]},"day":"2024-05-%02d"}\n' % (n, n % 7, n, n, n % 28 + 1) for n in range(3000))


class Thrift:
    """The compact protocol: a structure is a list of [number, type, value], a list is [type, values]."""

    def __init__(self, data): self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def variable(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128: return value
            shift += 7

    def zigzag(self):
        value = self.variable()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2): return kind == 1
        if kind == 3: return self.byte()
        if kind in (4, 5, 6): return self.zigzag()
        if kind in (7, 8):
            count = 8 if kind == 7 else self.variable()
            self.at += count
            return bytes(self.data[self.at - count:self.at])
        if kind == 9:
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.variable()
            return [head & 15, [self.byte() == 1 if head & 15 < 3 else self.value(head & 15) for _ in range(count)]]
        return self.structure()

    def structure(self):
        fields, number = [], 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.zigzag()
            fields.append([number, head & 15, self.value(head & 15)])
        return fields


def packed(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def written(kind, value):
    if kind in (1, 2): return b""
    if kind == 3: return bytes([value & 255])
    if kind in (4, 5, 6): return packed(value << 1 ^ (-1 if value < 0 else 0))
    if kind == 7: return value
    if kind == 8: return packed(len(value)) + value
    if kind == 9:
        kind, values = value
        head = bytes([len(values) << 4 | kind]) if len(values) < 15 else bytes([0xF0 | kind]) + packed(len(values))
        return head + b"".join(bytes([1 if v else 2]) if kind < 3 else written(kind, v) for v in values)
    out, last = b"", 0
    for number, kind, value in value:
        if kind in (1, 2): kind = 1 if value else 2
        step = number - last
        out += (bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + written(5, number)) + written(kind, value)
        last = number
    return out + b"\0"


def places(kind, value, found):
    """Every field and element: its holder and its place there."""
    if kind == 12:
        for field in value:
            found.append((value, field))
            places(field[1], field[2], found)
    elif kind == 9:
        found += [(value[1], index, value[0]) for index in range(len(value[1]))]
        for element in value[1]: places(value[0], element, found)
    return found


def mutated(chance, root):
    """A copy of a structure with one to four changes."""
    root = copy.deepcopy(root)
    for _ in range(chance.choice([1, 1, 2, 4])):
        all = places(12, root, [])
        if not all: break
        place = chance.choice(all)
        numbers = [p for p in all if (p[1][1] if len(p) == 2 else p[2]) in (4, 5, 6)]
        if numbers and chance.random() < 0.6: place = chance.choice(numbers)
        if numbers and chance.random() < 0.15:
            value = chance.choice(NUMBERS)
            for holder, field in [p for p in numbers if len(p) == 2 and p[0] is place[0]]: field[2] = value
            continue
        holder = place[0]
        kind = place[1][1] if len(place) == 2 else place[2]
        if chance.random() < 0.12:
            if len(place) == 2: holder.remove(place[1])
            else: del holder[place[1]]
        elif len(place) == 3 and chance.random() < 0.3:
            holder[place[1]:place[1]] = [copy.deepcopy(holder[place[1]]) for _ in range(chance.choice([1, 20, 3000]))]
        else:
            value = chance.choice(NUMBERS) if kind in (3, 4, 5, 6) else chance.choice(TEXTS) if kind == 8 else chance.random() < 0.5 if kind in (1, 2) else None
            if value is None: continue
            if len(place) == 2: place[1][2] = value
            else: holder[place[1]] = value
    return root


def mutated_json(chance, value, depth=0):
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        if chance.random() < 0.1: return {k: v for k, v in value.items() if k != key}
        return value | {key: mutated_json(chance, value[key], depth + 1)}
    if isinstance(value, list) and value and chance.random() < 0.7: return value * chance.choice([2, 1000]) if chance.random() < 0.3 else [mutated_json(chance, v) for v in value]
    if isinstance(value, str) and value[:1] in "{[" and chance.random() < 0.7:
        try: return json.dumps(mutated_json(chance, json.loads(value)))
        except ValueError: pass
    return chance.choice([*NUMBERS, None, True, "", "a" * 70000, "../../x", "%00", [], {}, {"path": "x"}, -1.5, 1 << 70])


def prepare(folder):
    """A file and a table to mutate."""
    (folder / "rows.ndjson").write_bytes(ROWS)
    for output in (["-o", "seed.parquet"], ["-o", "delta:table?partition=day"], *[["--limit", "9", "-o", "delta:table?partition=day", "--existing", "append"]] * 11):
        made = Run([release / "bb-export", "--from", "rows.ndjson", *output, "-q"], folder)
        if made.status: raise SystemExit(f"cannot make the files to mutate: {made.words}")
    return folder


def footer(data):
    size = int.from_bytes(data[-8:-4], "little")
    return Thrift(data[-8 - size:-8]).structure(), data[:-8 - size]


def with_footer(body, root):
    thrift = written(12, root)
    return body + thrift + len(thrift).to_bytes(4, "little") + b"PAR1"


def with_page(chance, body, root):
    """The file with a copy of a page, its header changed, instead of the page."""
    field = lambda fields, number: next(f[2] for f in fields if f[0] == number)
    facts = field(chance.choice(field(chance.choice(field(root, 4)[1]), 1)[1]), 3)
    place, size = next(f for f in facts if f[0] == 9), next(f for f in facts if f[0] == 7)
    cursor = Thrift(body)
    cursor.at = place[2]
    header = mutated(chance, cursor.structure())
    page = body[cursor.at:cursor.at + size[2]]
    place[2], size[2] = len(body), len(written(12, header)) + len(page)
    return with_footer(body + written(12, header) + page, root)


PARQUET = [["--from", "m.parquet", "-f", "ndjson"], ["--from", "m.parquet", "--where", "id > 2500", "-f", "csv"], ["profile", "m.parquet"],
           ["--from", "m.parquet", "--where", "name = n3", "--sort", "real desc", "-o", "out.parquet", "-q"], ["--from", "m.parquet", "--columns", "id", "--limit", "5", "-f", "csv"]]
DELTA = [["--from", "delta:table", "-f", "ndjson"], ["--from", "delta:table", "--where", "day = 2024-05-03 and id < 99", "-f", "csv"], ["delta", "vacuum", "delta:table", "--older-than", "1h"],
         ["--from", "rows.ndjson", "--limit", "3", "-o", "delta:table", "--existing", "append", "-q"], ["--from", "rows.ndjson", "--limit", "3", "-o", "delta:table", "--existing", "replace", "-q"]]


def mutate_log(chance, log):
    names = sorted(p.name for p in log.iterdir())
    kind = chance.random()
    if kind < 0.15:
        os.rename(log / chance.choice(names), log / f"{chance.choice(NUMBERS) & (1 << 63) - 1:020}.{chance.choice(['json', 'checkpoint.parquet', 'checkpoint.0000000001.0000000002.parquet'])}")
    elif kind < 0.4:
        for name in [n for n in names if n.endswith(".parquet")]:
            root, body = footer((log / name).read_bytes())
            (log / name).write_bytes(with_footer(body, mutated(chance, root)))
    elif kind < 0.5: (log / "_last_checkpoint").write_text(json.dumps(mutated_json(chance, {"version": 10, "size": 5, "parts": 1})))
    else:
        name = chance.choice([n for n in names if n.endswith(".json")])
        lines = [json.loads(line) for line in (log / name).read_text().splitlines()]
        for _ in range(chance.choice([1, 1, 3])):
            at = chance.randrange(len(lines))
            lines[at] = mutated_json(chance, lines[at])
        (log / name).write_text("".join(json.dumps(line) + "\n" for line in lines * chance.choice([1, 1, 1, 200])))


def attempt(report, number, seed, most):
    chance = random.Random(number)
    with Folder(BASE) as folder:
        if number % 2:
            root, body = footer((seed / "seed.parquet").read_bytes())
            (folder / "m.parquet").write_bytes(with_page(chance, body, root) if chance.random() < 0.4 else with_footer(body, mutated(chance, root)))
            words = chance.choice(PARQUET)
        else:
            shutil.copytree(seed / "table", folder / "table")
            (folder / "rows.ndjson").write_bytes(ROWS[:4000].rsplit(b"\n", 1)[0])
            mutate_log(chance, folder / "table" / "_delta_log")
            words = chance.choice(DELTA)
        run, faults = Run([release / "bb-export", *words], folder, limit=6 * SECONDS), []
        if run.is_late or run.processor > SECONDS: faults.append(f"{run.processor:.1f} s")
        if run.megabytes > MEGABYTES: faults.append(f"{run.megabytes:.0f} MB")
        if run.status not in EXITS or b"Fatal" in run.err: faults.append(f"exit code {run.status}: {run.words[:200]}")
        elif run.status and not run.err: faults.append(f"{run.status} without a message")
        with report.lock:
            most[0], most[1] = max(most[0], run.megabytes), max(most[1], run.processor)
            most[2][run.status] = most[2].get(run.status, 0) + 1
        report.add(f"{number}: {' '.join(words)}", faults)


def run(arguments):
    """`lake [COUNT] [FIRST]`: so many mutants, by numbers that repeat them."""
    numbers = [int(a) for a in arguments if a.isdigit()]
    count, first = numbers + [MUTANTS, 0][len(numbers):]
    report, most = Report("lake"), [0.0, 0.0, {}]
    with Folder(BASE) as seed:
        prepare(seed)
        in_parallel(2, lambda n: attempt(report, n, seed, most), range(first, first + count))
    print(f"lake: at most {most[0]:.0f} MB and {most[1]:.1f} s a run; exit codes " + ", ".join(f"{k}: {v}" for k, v in sorted(most[2].items())), flush=True)
    return report.end()
