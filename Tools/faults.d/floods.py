"""Large files of one repeated byte or text, against every reader of both programs: no crash, few seconds, little memory."""
import zipfile
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


def cases(formats, size):
    """A name, a function that writes the file, and the command."""
    for kind in formats:
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
    size = int(arguments[0]) << 20 if arguments else MIB << 20
    report, slowest, largest = Report("floods"), (0, ""), (0, "")
    for name, fill, use in cases(arguments[1:] or TABLES + list(IMPORTS), size):
        with Folder(BASE) as folder:
            kind = name.split()[0]
            fill(folder / f"f.{kind}")
            command = ["bb-export", "--from", f"f.{kind}", "-o", "o.ndjson", "-q"] if use == "table" else ["bb-notes", "import", f"f.{kind}", "--storage", "csv:s"]
            done = Run([release / command[0], *command[1:]], folder, limit=60 * SECONDS)
            slowest, largest = max(slowest, (done.processor, name)), max(largest, (done.megabytes, name))
            faults = []
            if done.is_late or done.processor > SECONDS: faults.append(f"{done.processor:.1f} s")
            if done.megabytes > MEGABYTES: faults.append(f"{done.megabytes:.0f} MB")
            if done.status not in EXITS: faults.append(f"exit code {done.status}: {done.words[:200]}")
            report.add(name, faults)
    print(f"slowest: {slowest[0]:.1f} s, {slowest[1]}; largest: {largest[0]:.0f} MB, {largest[1]}")
    return report.end()
