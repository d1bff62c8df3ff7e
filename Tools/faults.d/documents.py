"""Mutated CSV, TSV, JSON, NDJSON, XML, GPX, KML and GeoJSON files against the readers of both programs: no crash, no hang, little memory, and nothing
is changed or left behind."""
import random
from databases import tree
from runs import BASE, Folder, Report, Run, in_parallel, release

MUTANTS = 2000
SECONDS = 10
MEGABYTES = 200
EXITS = {0, 64, 65, 66, 75}
SEEDS = {
    "csv": b'\xef\xbb\xbfid,name,when,n\r\n1,"a ""b"", c",2024-05-17,1.10\r\n2,,,1e400\r\n3,"two\nlines",1958,-0\r\n4,37\xc2\xb036\'37.8"N,,007\r\n',
    "tsv": b"id\tname\n1\ta\\tb\n2\t\\N\n3\tx\n",
    "json": b'[{"id":1,"name":"a\\u00e9\\ud83d\\ude00","list":[1,"x",null],"in":{"a":{"b":[]}},"n":1.10},{"id":2,"name":null,"list":[],"n":1e400},{"id":"x","more":true}]',
    "ndjson": b'{"id":1,"a":"x"}\n\n{"id":2,"a":[{"b":null}]}\r\n{"id":3,"a":-0.0,"c":"\\u0000"}\n',
    "geojson": b'{"type":"FeatureCollection","features":[{"type":"Feature","id":7,"geometry":{"type":"Point","coordinates":[8.3,47.05]},"properties":{"name":"Luzern"}}]}',
    "gpx": b'<?xml version="1.0" encoding="UTF-8"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><wpt lat="47.05" lon="8.3"><time>2024-05-17T00:00:00Z'
           b'</time><name>a &amp; b &#233;</name><!-- c --><desc><![CDATA[x]]></desc></wpt><wpt lat="1" lon="2"><name>n</name></wpt></gpx>',
    "kml": b'<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><name>a</name><Point><coordinates>8.3,47.05,0'
           b'</coordinates></Point></Placemark></Document></kml>',
    "xml": b'<?xml version="1.0"?><actors><actor category="Drama"><name>A</name><birth_date>1976-11-15</birth_date><website>https://example.org</website></actor></actors>',
}
WORDS = [b'"', b'""', b",", b"\n", b"\r\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"{", b"}", b"[", b"]", b":", b"\\", b"\\u", b"\\ud800", b"1e999999999",
         b"-", b"<", b">", b"</", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<!DOCTYPE a [<!ENTITY e 'x'>]>", b"&e;", b"&#x110000;", b"&#0;", b"<?", b"?>", b"null", b"true",
         b"NaN", b"9" * 400, b"[" * 3000, b"<a>" * 3000, b"a" * 70000, b"," * 5000, b"\n" * 5000]
# Where rows are read, what imports them, and what keeps the types of a file.
COMMANDS = {
    "table": [["bb-export", "--from", "m.{}", "-f", "ndjson"], ["bb-export", "--from", "m.{}", "-f", "csv", "--sort", "id"], ["bb-export", "--from", "m.{}", "-o", "{}/out.db", "-q"],
              ["bb-export", "--from", "m.{}", "-f", "html", "--limit", "3"], ["bb-export", "--from", "m.{}", "-o", "{}/out.csv", "-o", "{}/out.xlsx", "-q"]],
    "features": [["bb-export", "--from", "m.{}", "--records", "/features", "-f", "ndjson"]],
    "import": [["bb-notes", "import", "m.{}", "--storage", "csv:{}/store"], ["bb-notes", "import", "m.{}", "--as", "places", "--storage", "sqlite:{}/store.db"]],
}


def mutate(random, data):
    """One to six changes of the bytes of a file."""
    data = bytearray(data)
    if random.random() < 0.1: data *= random.choice([2, 50, 700])
    for _ in range(random.choice([1, 1, 1, 2, 3, 6])):
        at, kind = random.randrange(len(data) + 1), random.choice(["byte", "bit", "word", "word", "cut", "drop", "repeat", "swap"])
        if kind == "byte": data[at:at + 1] = bytes([random.randrange(256)])
        elif kind == "bit" and at < len(data): data[at] ^= 1 << random.randrange(8)
        elif kind == "word": data[at:at + random.choice([0, 0, 1, 4])] = random.choice(WORDS)
        elif kind == "cut" and random.random() < 0.3: del data[at:]
        elif kind == "drop": del data[at:at + random.randrange(12)]
        elif kind == "repeat": data[at:at] = data[at:at + random.randrange(200)]
        elif kind == "swap":
            other = random.randrange(len(data) + 1)
            data[at:at + 5], data[other:other + 5] = data[other:other + 5], data[at:at + 5]
    return bytes(data)


def attempt(report, number, most):
    chance = random.Random(number)
    kind = list(SEEDS)[number % len(SEEDS)]
    group = "import" if kind in ("gpx", "kml", "xml") or chance.random() < 0.15 else "features" if kind == "geojson" else "table"
    with Folder(BASE) as folder:
        home, work = folder / "home", folder / "work"
        home.mkdir(); work.mkdir()
        (work / f"m.{kind}").write_bytes(mutate(chance, SEEDS[kind]))
        before, faults = tree(work), []
        words = [word.replace("m.{}", f"m.{kind}").replace("{}", str(home)) for word in chance.choice(COMMANDS[group])]
        run = Run([release / words[0], *words[1:]], work, {"HOME": str(home), "TMPDIR": str(home)}, limit=SECONDS)
        if run.is_late: faults.append("a hang")
        elif run.status not in EXITS or b"Fatal" in run.err: faults.append(f"{run.status}: {run.words[:200]}")
        elif run.status and not run.err: faults.append(f"{run.status} without a message")
        if run.megabytes > MEGABYTES: faults.append(f"{run.megabytes:.0f} MB")
        with report.lock:
            most[0], most[1] = max(most[0], run.megabytes), max(most[1], run.seconds)
            most[2][run.status] = most[2].get(run.status, 0) + 1
        if tree(work) != before: faults.append("changed the directory of its input")
        left = [p.name for p in home.iterdir() if p.name.startswith("out") and run.status or p.name.startswith("bb.")]
        if left: faults.append(f"left {left}")
        report.add(f"{kind} {number}: {' '.join(words[:2])}", faults)


def run(arguments):
    """`documents [COUNT] [FIRST]`: so many mutants, by numbers that repeat them."""
    numbers = [int(a) for a in arguments if a.isdigit()]
    count, first = numbers + [MUTANTS, 0][len(numbers):]
    report, most = Report("documents"), [0.0, 0.0, {}]
    in_parallel(2, lambda n: attempt(report, n, most), range(first, first + count))
    print(f"documents: at most {most[0]:.0f} MB and {most[1]:.1f} s a run; exit codes " + ", ".join(f"{k}: {v}" for k, v in sorted(most[2].items())), flush=True)
    return report.end()
