"""Large files of one repeated byte or text, against every reader of both programs: no crash, few seconds, little memory."""
import json, zipfile, zlib
from lake import packed, with_footer, written
from runs import BASE, Folder, Report, Run, release

MIB = 64
# What an import reads at most, without what a file begins with.
IMPORTED = 31
SECONDS = 10
MEGABYTES = 200
EXITS = {0, 65}
BYTES = [bytes([b]) for b in b"\0\t\n\r \"',-/0:;<>[\\]a{}&=B\xef\xff"]
WORDS = [b"\r\n", b"\n\r", b"a\n", b"a,", b",\n", b'""', b'"\n', b'"a\n', b"[]", b"{}", b"{}\n", b"[\n", b" \n", b"\t\n", b'{"a":1}\n', b'{"a":', b"<a>", b"<a/>", b"<!---->", b"&amp;"]
XML = BYTES + [b"<a>", b"<a></a>", b"<a b='c'/>", b"<!-- -->", b"<!---->", b"<?a?>", b"&amp;", b"&#10;", b"<![CDATA[]]>", b"<![CDATA[x]]>"]
# For each format what a file begins with, and what is repeated.
IMPORTS = {
    "gpx": [(b"<gpx>", XML + [b"<wpt>", b'<wpt lat="1" lon="2"/>', b'<wpt lat="1" lon="2"><name>x</name></wpt>', b"<trk>"]), (b"<gpx><wpt lat='1' lon='2'>", XML)],
    "kml": [(b"<kml><Document>", XML + [b"<Placemark>", b"<Placemark/>", b"<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark>"])],
    "xml": [(b"<actors>", XML + [b"<actor>", b"<actor/>", b"<actor><name>x</name></actor>"]), (b"<actors><actor><name>", XML)],
    "geojson": [(b'{"type":"FeatureCollection","features":[', BYTES + [
        b"{},", b"[],", b"0,", b'{"type":"Feature","geometry":{"type":"Point","coordinates":[1,2]},"properties":{"name":"x"}},',
        b'{"geometry":{"type":"Line"}},', b'{"a":', b'{"properties":{'])],
    "vcf": [(b"", [b"BEGIN:VCARD\n", b"BEGIN:VCARD\nEND:VCARD\n", b"BEGIN:VCARD\nFN:x\nEND:VCARD\n"]),
            (b"BEGIN:VCARD\nFN:x\nNOTE:", BYTES + [b"\n ", b"\r\n", b"\\n", b"\nA:B", b"\nPHOTO:x", b"=\n"]),
            (b"BEGIN:VCARD\nFN:x\nNOTE;ENCODING=QUOTED-PRINTABLE:", [b"=\n", b"=41", b"x=\n"]), (b"BEGIN:VCARD\nN", [b"\n ", b";", b";A=B", b"."])],
}
LAKES = ["parquet", "delta", "join", "store", "repair", "documents"]
# Other documents that tables are read from, and those of the imports, for each format; a quarter of the size.
DOCUMENTS = {
    "md": [(b"# t\n|a|\n|-|\n|", [b"|", b"\\", b"`", b"*", b"&amp;", b"x|\n|", b"x", b"\n", b"[", b"<br>", b"|-|\n"])],
    "html": [(b"<table><tr><th>a</th></tr>", XML + [b"<tr>", b"<td>", b"<tr><td>1", b"<table>", b"</table>", b"<td colspan=9>", b"<br>"])],
    "yaml": [(b"- a: 1\n", [b"- a: 1\n", b"  b: 2\n", b"- ", b"---\n", b"#\n", b"\n"]), (b"- a: ", [b"x", b"x ", b"[", b"{", b"'", b'"', b"|\n    x\n"])],
    "sql": [(b"INSERT INTO t VALUES", [b"(1),", b"(", b"('x'),", b" ", b"--\n", b"/*"]), (b"INSERT INTO t VALUES('", [b"x", b"''", b"\n", b"\\"]),
            (b"", [b"INSERT INTO t VALUES(1);", b"CREATE TABLE t(a);", b";", b"x "])],
}
# What one record is made of, half the size: a table with damage in it.
DAMAGE = [(b'x"y ', b"lorem "), (b'"', b"a\nt "), (b"", b"\xe9 a"), (b"", b",x"), (b'"', b'""x'), (b"'", b"''"), (b"", b"a;b\n")]
# What a clean record of 20 MiB is made of, and the MB that repair may need more for it.
CLEAN, ADDED = [(b"", b"lorem "), (b"", b"\xe9 a"), (b'"', b'a""x'), (b'"', b"a;b\n")], 33.6
TABLES = ["csv", "tsv", "json", "ndjson", "db", "xlsx"]
SHEET = [(b"", XML), (b"<worksheet><sheetData>", XML + [b"<row/>", b"<row>", b"<row><c/></row>", b"<row><c><v>1</v></c></row>"]),
         (b"<worksheet><sheetData><row>", [b"<c/>", b"<c>", b"<c><v>1</v></c>"]), (b"<worksheet><sheetData><row><c><v>", XML)]
STRINGS = [(b"<sst>", XML + [b"<si/>", b"<si><t>x</t></si>"]), (b"<sst><si>", [b"<r/>", b"<t>x</t>", b"<r><t>x</t></r>"])]
STYLES = [(b"<styleSheet><cellXfs>", XML + [b"<xf/>"]), (b"<styleSheet><numFmts>", [b"<numFmt/>", b'<numFmt numFmtId="165" formatCode="0"/>'])]
WORKBOOK = {
    "[Content_Types].xml": b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "_rels/.rels": b'<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
                   b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": b'<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
                       b'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" sheetId="1" r:id="a"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": b'<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">' + b"".join(
        b'<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" Target="%s"/>' % part
        for part in ((b"a", b"worksheet", b"worksheets/sheet1.xml"), (b"b", b"sharedStrings", b"sharedStrings.xml"), (b"c", b"styles", b"styles.xml"))) + b"</Relationships>",
    "xl/worksheets/sheet1.xml": b"<worksheet><sheetData><row><c t='s'><v>0</v></c></row><row><c s='0'><v>1</v></c></row></sheetData></worksheet>",
    "xl/sharedStrings.xml": b"<sst><si><t>a</t></si></sst>",
    "xl/styles.xml": b"<styleSheet><cellXfs><xf/></cellXfs></styleSheet>",
}


def pieces(begin, text, size):
    yield begin
    block = text * max(1, (1 << 20) // len(text))
    for _ in range(size // len(block)): yield block


def write(path, begin, text, size):
    with open(path, "wb") as file:
        for piece in pieces(begin, text, size): file.write(piece)


def write_workbook(path, flooded, begin, text, size):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in WORKBOOK.items():
            if name != flooded: archive.writestr(name, content)
        with archive.open(flooded, "w", force_zip64=True) as file:
            for piece in pieces(begin, text, size): file.write(piece)


def deltas(values):
    """Numbers in the encoding `DELTA_BINARY_PACKED`: the first, then one step, then the same again."""
    first, second, count = values
    bits = max(1, (second - first).bit_length())
    step = (second - first).to_bytes(bits * 4, "little")
    block = written(6, 0) + bytes([bits, 0, 0, 0]) + step
    return packed(128) + packed(4) + packed(count) + written(6, first) + block + (written(6, 0) + bytes(4)) * ((count - 2) // 128)


def page(kind, header, data, packed=None):
    """A page, without compression unless `packed` is what it is compressed to."""
    stored = data if packed is None else packed
    return written(12, [[1, 5, kind], [2, 5, len(data)], [3, 5, len(stored)], [{0: 5, 2: 7}[kind], 12, header]]) + stored


def parquet(path, columns, rows, pages, encoding, physical=6, groups=1, nodes=None, values=None, codec=0, plain=0):
    """A file whose column chunks all have the same pages: of `columns` columns, or of one column of `nodes`."""
    body = b"PAR1" + b"".join(pages)
    first = 4 if len(pages) == 1 else 4 + len(pages[0])
    facts = [[1, 5, physical], [2, 9, [5, [encoding]]], [3, 9, [8, [b"c"]]], [4, 5, codec], [5, 6, values or rows], [6, 6, plain or len(body)], [7, 6, len(body) - 4], [9, 6, first]]
    if len(pages) > 1: facts.append([11, 6, 4])
    group = [[1, 9, [12, [[[2, 6, 0], [3, 12, facts]]] * columns]], [2, 6, (plain or len(body)) * columns], [3, 6, rows]]
    elements = nodes or [[[4, 8, b"root"], [5, 5, columns]]] + [[[1, 5, physical], [3, 5, 0], [4, 8, b"c%d" % n], *([[6, 5, 0]] if physical == 6 else [])] for n in range(columns)]
    path.write_bytes(with_footer(body, [[1, 5, 1], [2, 9, [12, elements]], [3, 6, rows], [4, 9, [12, [group] * groups]]]))


def repeated(path, columns=5, rows=4000, size=60000):
    text = size.to_bytes(4, "little") + b"x" * size
    index = b"\x01" + packed(rows << 1) + b"\0"
    parquet(path, columns, rows, [page(2, [[1, 5, 1], [2, 5, 0]], text), page(0, [[1, 5, rows], [2, 5, 8], [3, 5, 3], [4, 5, 3]], index)], 8)


def prefixed(path, rows=4001, size=150000):
    # Prefix lengths: 0, then always the whole text. Suffix lengths: the whole text, then always 0.
    down = packed(128) + packed(4) + packed(rows) + written(6, size) + written(6, -size) + bytes([18] * 4)
    down += sum((size if place else 0) << 18 * place for place in range(128)).to_bytes(18 * 16, "little")
    lengths = deltas((0, size, rows)) + down + (written(6, 0) + bytes(4)) * ((rows - 2) // 128)
    parquet(path, 1, rows, [page(0, [[1, 5, rows], [2, 5, 7], [3, 5, 3], [4, 5, 3]], lengths + b"x" * size)], 7)


def zeros(path):
    rows = 1 << 22
    parquet(path, 1, rows, [page(0, [[1, 5, rows], [2, 5, 3], [3, 5, 3], [4, 5, 3]], len(packed(rows << 1) + b"\1").to_bytes(4, "little") + packed(rows << 1) + b"\1")], 3, 0)


def sized(data): return len(data).to_bytes(4, "little") + data


def lists(path, rows=400, length=100, size=60000):
    """Lists of one text, or of Booleans if it has no bytes."""
    count, kind = rows * length, [[1, 5, 6], [6, 5, 0]] if size else [[1, 5, 0]]
    nodes = [[[4, 8, b"root"], [5, 5, 1]], [[3, 5, 0], [4, 8, b"c0"], [5, 5, 1], [6, 5, 3]], [[3, 5, 2], [4, 8, b"list"], [5, 5, 1]],
             sorted([*kind, [3, 5, 0], [4, 8, b"element"]])]
    repetition = (packed(1 << 1) + b"\0" + packed(length - 1 << 1) + b"\1") * rows
    levels, run = sized(repetition) + sized(packed(count << 1) + b"\1"), packed(count << 1)
    data = page(0, [[1, 5, count], [2, 5, 8 if size else 3], [3, 5, 3], [4, 5, 3]], levels + (b"\1" + run + b"\0" if size else sized(run + b"\1")))
    pages = [page(2, [[1, 5, 1], [2, 5, 0]], sized(b"x" * size)), data] if size else [data]
    parquet(path, 1, rows, pages, 8 if size else 3, 6 if size else 0, nodes=nodes, values=count)


def nulls(path, columns=3000, rows=100_000):
    nodes = [[[4, 8, b"root"], [5, 5, columns]]] + [[[1, 5, 6], [3, 5, 1], [4, 8, b"c%d" % n], [6, 5, 0]] for n in range(columns)]
    parquet(path, columns, rows, [page(0, [[1, 5, rows], [2, 5, 0], [3, 5, 3], [4, 5, 3]], sized(packed(rows << 1) + b"\0"))], 0, nodes=nodes)


def large(path, columns=3, rows=500, size=900_000):
    data = sized(b"x" * size) * rows
    deflate = zlib.compressobj(9, wbits=31)
    parquet(path, columns, rows, [page(0, [[1, 5, rows], [2, 5, 0], [3, 5, 3], [4, 5, 3]], data, deflate.compress(data) + deflate.flush())], 0, codec=2, plain=len(data))


def copied(path, stored, rows=500, size=900_000):
    """A page of PLAIN texts, as it is or compressed with Snappy."""
    value, tags = sized(b"x" * size), bytes([63 << 2 | 2, 1, 0])
    # Four bytes and the first of the text, the others by copies of the byte before: at most 64 each.
    copies = bytes([4 << 2]) + value[:5] + tags * ((size - 1) // 64) + bytes([((size - 1) % 64 - 1) << 2 | 2, 1, 0])
    data = value * rows
    parquet(path, 1, rows, [page(0, [[1, 5, rows], [2, 5, 0], [3, 5, 3], [4, 5, 3]], data, data if stored else packed(len(data)) + copies * rows)], 0, codec=0 if stored else 1, plain=len(data))


def numbers(path, rows=1 << 24):
    data = bytes(rows * 8)
    deflate = zlib.compressobj(9, wbits=31)
    parquet(path, 1, rows, [page(0, [[1, 5, rows], [2, 5, 0], [3, 5, 3], [4, 5, 3]], data, deflate.compress(data) + deflate.flush())], 0, 2, codec=2, plain=len(data))


def footer_of(fields): return lambda path: path.write_bytes(with_footer(b"PAR1", fields))


def column(name): return [[1, 5, 2], [3, 5, 0], [4, 8, name]]


PARQUET = {
    "a repeated text": repeated, "one repeated text of 1 MB": lambda path: repeated(path, 1, 1000, 1 << 20), "common prefixes": prefixed, "repeated Booleans": zeros,
    "lists of one text": lists, "long lists": lambda path: lists(path, 1000, 10_000, 0), "3,000 columns of nulls": nulls, "pages of 450 MB": large, "a page of 450 MB, Snappy": lambda path: copied(path, False), "a page of 450 MB, stored": lambda path: copied(path, True), "a page of 16 M numbers": numbers,
    "3,000,000 row groups": lambda path: parquet(path, 1, 0, [b""], 0, 2, 3_000_000),
    "30,000,000 empty structures": lambda path: (path.write_bytes(b"PAR1" + (size := (head := b"\x15\x02\x19\xfc" + packed(30_000_000)) + bytes(30_000_001)) + len(size).to_bytes(4, "little") + b"PAR1")),
    "30,000,000 empty row groups": lambda path: (path.write_bytes(b"PAR1" + (size := b"\x15\x02" + written(12, [[2, 9, [12, [[[4, 8, b"r"], [5, 5, 1]], column(b"a")]]]])[:-1] + b"\x29\xfc" + packed(30_000_000) + bytes(30_000_001)) + len(size).to_bytes(4, "little") + b"PAR1")),
    "1,000,000 columns": footer_of([[1, 5, 1], [2, 9, [12, [[[4, 8, b"r"], [5, 5, 1_000_000]]] + [column(b"c%d" % n) for n in range(1_000_000)]]], [3, 6, 0], [4, 9, [12, []]]]),
}
READS = {"csv": [], "sorted": ["--sort", "c0", "--memory", "64M"], "grouped": ["--group", "c0", "--memory", "64M"]}


def delta(path, lines):
    (path / "_delta_log").mkdir(parents=True)
    schema = json.dumps({"type": "struct", "fields": [{"name": "a", "type": "long", "nullable": True, "metadata": {}}]})
    start = [{"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": {"id": "x", "format": {"provider": "parquet", "options": {}}, "schemaString": schema, "partitionColumns": [], "configuration": {}}}]
    with open(path / "_delta_log" / f"{0:020}.json", "wb") as file:
        for action in start: file.write(json.dumps(action).encode() + b"\n")
        for line in lines: file.write(line)


DELTA = {
    "an unknown action of empty objects": lambda size: [b'{"x":[' + b",".join([b"{}"] * (size // 3)) + b"]}\n"],
    "tags of empty objects": lambda size: [b'{"add":{"path":"a","size":1,"tags":[' + b",".join([b"{}"] * (size // 3)) + b"]}}\n"],
    "many added files": lambda size: (b'{"add":{"path":"part-%08d.parquet","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}\n' % n for n in range(size // 64)),
}


def wide(path, rows, size, keys=1):
    with open(path, "w") as file:
        file.write("k,text\n")
        for row in range(rows): file.write(f"{row % keys},{chr(97 + row % 26) * size}\n")


JOIN = {
    "one key of 300 wide rows": (300, 10_000, 1, ["--join", "f.csv", "--on", "k", "--memory", "16M", "--limit", "60000"]), "one key of 3,000 rows": (3000, 100, 1, ["--join", "f.csv", "--on", "k", "--memory", "16M"]),
    "rows of 1 MB": (60, 1 << 20, 1, ["--join", "f.csv", "--on", "k", "--limit", "400"]), "nested": (200, 100_000, 10, ["--join", "f.csv", "--on", "k", "--sample", "20"]),
    "rows of 1 MB, sorted": (64, 1 << 20, 64, ["--sort", "text", "--memory", "64M"]), "rows of 1 MB, grouped": (64, 1 << 20, 64, ["--group", "text", "--memory", "64M"]),
    "rows of 1 MB, sampled": (64, 1 << 20, 64, ["--sample", "10"]), "rows of 1 MB by SQL": (64, 1 << 20, 64, ["--sql", "select k, text from f"]),
}


def lakes(kind, size):
    """The cases of whole files and tables: a name, a function that writes them, and the options of the command."""
    if kind == "parquet":
        for name, fill in PARQUET.items():
            for use, options in READS.items(): yield f"parquet {name}, {use}", fill, ["--from", "f.parquet", *options, "-f", "csv", "-o", "/dev/null"]
    elif kind == "delta":
        for name, lines in DELTA.items(): yield f"delta {name}", lambda path, l=lines: delta(path.parent / "t", l(size)), ["--from", "delta:t", "-f", "csv", "-o", "/dev/null"]
    elif kind == "join":
        for name, (rows, length, keys, options) in JOIN.items():
            yield f"join {name}", lambda path, r=rows, s=length, k=keys: wide(path.with_name("f.csv"), r, s, k), ["f.csv", *options, "-f", "csv", "-o", "/dev/null"]
    elif kind == "store":
        for name, (rows, length) in {"1,000,000 rows": (1_000_000, 10), "60 rows of 1 MB": (60, 1 << 20)}.items():
            for scheme in ("csv", "json", "sqlite"):
                yield f"store {scheme}, first sync of {name}", lambda path, r=rows, s=length: wide(path.with_name("f.csv"), r, s, r), \
                    ["sync", "--from", "f.csv", "--storage", f"{scheme}:s", "-q"]
    elif kind == "repair":
        rows = b"".join(b"%d,b%d,2024-01-03\n" % (n, n) for n in range(20_000))
        for start, text in DAMAGE:
            for name in ("utf-8", "utf-16le", "gb18030", "windows-1252"):
                def fill(path, s=start, t=text, e=name):
                    # Each line is a row of the rejects.
                    count = size // (8 if b"\n" in t else 2) // len(t)
                    damaged = b"id,text,day\n" + rows + b"1," + s + t * count + b'"x,2024-01-02\n' + rows
                    path.with_name("f.csv").write_bytes(damaged if e in ("utf-8", "windows-1252") else damaged.decode("latin-1").encode(e))
                yield f"repair {name} {start!r} {text!r}", fill, \
                    ["f.csv", "--repair", "--from-encoding", name, "--rejects", "r.csv", "--max-field", "64", "-f", "csv", "-o", "o.csv", "-q"]
    elif kind == "documents":
        for name, floods in (IMPORTS | DOCUMENTS).items():
            for begin, texts in floods if name != "xml" else []:
                for text in texts:
                    yield f"{name} as a table {begin!r} {text!r}", lambda path, n=name, b=begin, t=text: write(path.with_name(f"f.{n}"), b, t, size // 4), \
                        ["--from", f"f.{name}", "-o", "o.ndjson", "-q"]
    elif kind == "csv":
        header = ",".join(["a"] * 10_000)
        yield "csv 10,000 equal names", lambda path: path.write_text(header + "\n" + header + "\n"), ["f.csv", "-q", "-o", "o.ndjson"]


def added(report):
    """Compares the memory of reading the longest record with and without repair."""
    rows = b"".join(b"%d,b%d,2024-01-03\n" % (n, n) for n in range(20_000))
    for start, text in CLEAN:
        for name in ("utf-8", "utf-16le", "gb18030", "windows-1252"):
            with Folder(BASE) as folder:
                field = start + text * ((10 << 20) // len(text)) + start
                content = (b"id,text,more\n" + rows + b"1," + field + b"," + field + b"\n" + rows).decode("latin-1")
                (folder / "f.csv").write_bytes(content.encode(name))
                command = ["f.csv", "--from-encoding", name, "-o", "o.csv", "-q"]
                done = [Run([release / "bb-export", *command, *more], folder, limit=60 * SECONDS) for more in ([], ["--repair", "--rejects", "none"])]
                more = done[1].megabytes - done[0].megabytes
                faults = [f"exit codes {done[0].status} and {done[1].status}"] if any(run.status for run in done) else [f"{more:.0f} MB more"] if more > ADDED else []
                report.add(f"memory of repair {name} {start!r} {text!r}", faults)


def cases(formats, size):
    """A name, a function that writes the file, and the command: of a table, of an import, or its options."""
    for kind in formats:
        yield from lakes(kind, size)
        if kind == "xlsx":
            for part, floods in (("xl/worksheets/sheet1.xml", SHEET), ("xl/sharedStrings.xml", STRINGS), ("xl/styles.xml", STYLES),
                                 ("xl/workbook.xml", [(b"<workbook><sheets>", XML + [b"<sheet/>"])]), ("xl/_rels/workbook.xml.rels", [(b"<Relationships>", XML)])):
                for begin, texts in floods:
                    for text in texts:
                        yield f"xlsx {part} {begin!r} {text!r}", lambda path, p=part, b=begin, t=text: write_workbook(path, p, b, t, size), "table"
        for begin, texts in [(b"", BYTES + WORDS)] if kind in TABLES and kind != "xlsx" else IMPORTS.get(kind, []):
            for text in texts:
                bytes = min(size, IMPORTED << 20) if kind in IMPORTS else size
                yield f"{kind} {begin!r} {text!r}", lambda path, b=begin, t=text, n=bytes: write(path, b, t, n), "import" if kind in IMPORTS else "table"


def run(arguments):
    size = int(arguments.pop(0)) << 20 if arguments and arguments[0].isdigit() else MIB << 20
    report, slowest, largest = Report("floods"), (0, ""), (0, "")
    if not arguments or "repair" in arguments: added(report)
    for name, fill, use in cases(arguments or TABLES + list(IMPORTS) + LAKES, size):
        with Folder(BASE) as folder:
            kind = name.split()[0]
            fill(folder / f"f.{kind}")
            command = ["bb-export", *use] if isinstance(use, list) else ["bb-export", "--from", f"f.{kind}", "-o", "o.ndjson", "-q"] if use == "table" else ["bb-notes", "import", f"f.{kind}", "--storage", "csv:s"]
            done = Run([release / command[0], *command[1:]], folder, limit=60 * SECONDS)
            slowest, largest = max(slowest, (done.processor, name)), max(largest, (done.megabytes, name))
            faults = []
            if done.is_late or done.processor > SECONDS: faults.append(f"{done.processor:.1f} s")
            if done.megabytes > MEGABYTES: faults.append(f"{done.megabytes:.0f} MB")
            # A document may have no table.
            if done.status not in EXITS and not (done.status == 66 and " as a table " in name): faults.append(f"exit code {done.status}: {done.words[:200]}")
            report.add(name, faults)
    print(f"slowest: {slowest[0]:.1f} s, {slowest[1]}; largest: {largest[0]:.0f} MB, {largest[1]}")
    return report.end()
