"""The fuzzers of Tests/Fuzz: libFuzzer varies the input of every reader of untrusted text."""
import os, pathlib, re, shutil, subprocess
from runs import Folder, Report, top

SECONDS = 20
# The first inputs of each; libFuzzer varies them.
SEEDS = {
    "csv": ["a,b\n1,\"x, \"\"y\"\"\"\n,\n", "id;x\r\n1;2\r\n", "a\n2024-05-01\n1e400\n0.10\n", "\ufeffa,a,\n1,2,3\n",
            "at,n\n37°36'37.8\"N,1\n\"q\",x\"\"\n", "a\n\n\"\"\n\\N\n"],
    "dialect": ["a;b\n1;2\n3;x;4\n", "T\n\nid,name,day\n1,\"a \"\"b\"\",2024-01-02\n2,\"c,2024-01-03\n3,d\n4,e,2024-01-04,\n\nTotal,,\n", "a\tb\n\"x\t1\n'y',2\n",
                "sep=|\r\nx|y\r\n1|'2\r\n", "a||b\r1||2\r", "# c\nx  y z\n1  2 3\n\n", "\ufeff\"n\\\"\",m\n\\,1\n", "a,b\n1,2\na,b\n3,4\nc,d,e\n1,2,3\n4,5,6\n7,8,9\n1,2,3\n4,5,6\n"],
    "json": ['[{"a":1,"b":[1,"x"],"c":null},{"a":1.10,"b":{"d":"\\u00e9\\ud83d\\ude00"}}]', '[]', '[{"a":true},{"a":"x"}]', '{"a":1e400}'],
    "ndjson": ['{"a":1}\n{"a":"x","b":[]}\n', '\n{"a":{"b":null}}\r\n'],
    "workbook": ['<row r="1"><c r="A1" t="inlineStr"><is><t>a_x000D_</t></is></c><c t="b"><v>1</v></c></row><row><c t="d"><v>2024-05-01</v></c></row>',
                 '<x:worksheet><x:sheetData><row/><row><c t="e"><v>#N/A</v></c><c s="1"><f>1</f><v>1e3</v></c></row></x:sheetData></x:worksheet>',
                 '<si><r><t>a&amp;b</t></r><rPh><t>c</t></rPh></si><si><t/></si>', '[$-409]d\\ mmm;@', '[h]:mm:ss.0"x"', 'General'],
    "parquet": ["PAR1", "\x15\x02\x19\x2c\x48\x01s\x15\x02\x00\x15\x04\x25\x02\x18\x01n\x00\x16\x00\x19\x0c\x00"],
    "delta": ['{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"a\\",\\"type\\":\\"long\\",'
              '\\"nullable\\":true,\\"metadata\\":{}},{\\"name\\":\\"p\\",\\"type\\":\\"string\\",\\"nullable\\":true,\\"metadata\\":{}}]}","partitionColumns":["p"],"configuration":{}}}\n'
              '{"add":{"path":"p=1/a%20b.parquet","partitionValues":{"p":"1"},"size":9,"modificationTime":0,"dataChange":true,"stats":"{\\"numRecords\\":1,\\"minValues\\":{\\"a\\":1},\\"maxValues\\":{\\"a\\":2},\\"nullCount\\":{\\"a\\":0}}"}}\n'
              '\x00{"remove":{"path":"p=1/a%20b.parquet"}}\n{"txn":{"appId":"x","version":3}}', "PAR1\x00\x15\x02\x19\x2c\x48\x01s\x15\x02\x00"],
    # One bitmap each: a list and a range of rows.
    "deletions": [bytes.fromhex("d1d339640100000000000000" "00000000" "3a300000" "01000000" "00000200" "10000000" "0100" "0500" "0900"),
                  bytes.fromhex("d1d339640100000000000000" "00000000" "3b300000" "01" "00000400" "0100" "0300" "0400")],
    "xml": ['<?xml version="1.0"?><gpx><wpt lat="1" lon="2"><name>a &amp; b &#233;</name><!-- c --><x/></wpt></gpx>', "<a:b><![CDATA[x]]></a:b>"],
    "selection": ["season = 1", "\"a b\" in ('x''y', z)", "name ~ 'é'", "died is not null", "a:desc", "bb:S05E14", "x !~ y"],
    "coordinates": ["47.05,8.3", "47°3'0\"N 8°18'0\"E", "geo:47.05,8.3;u=5", "N47 3 E8 18.5", "-0,180"],
    "source": ['{"bb_source":1,"name":"x","base_url":"https://example.org","auth":{"type":"bearer","env":"X"},"rate":{"per_second":5},"datasets":'
               '[{"name":"t","path":"/t","params":{"a":"b"},"records":"/results","paging":{"type":"page","param":"page","stop":"empty","max_pages":9},'
               '"key":["id"],"columns":[{"name":"id","type":"integer"},{"name":"born","from":"/birthday","type":"date","formats":["MM-DD-YYYY","YYYY"],"null":["","?"]}]}]}'],
    "dates": ["Sun, 06 Nov 1994 08:49:37 GMT", "09-07-1958", "1958", "March 1966", "2024-05-17", "2024-05-17T10:00:00.5Z", "1715940000.25", "1e9"],
    "words": ["vi -c 'set a' \"b c\" d\\ e", "'a'\\''b'"],
}


def has_libfuzzer():
    """Whether Swift can link a program with libFuzzer."""
    with Folder() as folder:
        (folder / "a.swift").write_text('@_cdecl("LLVMFuzzerTestOneInput") public func test(_: UnsafePointer<UInt8>?, _: Int) -> CInt { 0 }\n')
        return subprocess.run(["swiftc", "-parse-as-library", "-sanitize=fuzzer", "a.swift", "-o", "a"], cwd=folder, capture_output=True).returncode == 0


def program():
    """The fuzzers, built for release."""
    folder = top / ".build/fuzz"
    print("building the fuzzers (once, a few minutes)" if not (folder / "release/Fuzz").exists() else "building the fuzzers", flush=True)
    done = subprocess.run(["swift", "build", "--package-path", top, "--scratch-path", folder, "-c", "release", "--product", "Fuzz"],
                          env=os.environ | {"BB_FUZZ": "1"}, capture_output=True, text=True)
    if done.returncode: raise SystemExit("fuzz: the build failed\n" + "\n".join(re.findall(r".*error.*", done.stdout + done.stderr)[:10]))
    return folder / "release/Fuzz"


def fuzz(report, path, name, seconds):
    """Runs one target for some seconds and prints the number of inputs; inputs that crash it are kept in .build/fuzz."""
    with Folder() as folder:
        # A corpus that is kept grows from run to run.
        kept = os.environ.get("BB_FUZZ_CORPUS")
        corpus, found = pathlib.Path(kept, name) if kept else folder / "corpus", folder / "found"
        corpus.mkdir(parents=True, exist_ok=True); found.mkdir()
        for number, seed in enumerate(SEEDS.get(name, ["bb?"])): (corpus / str(number)).write_bytes(seed if isinstance(seed, bytes) else seed.encode())
        done = subprocess.run([path, corpus, f"-max_total_time={seconds}", "-max_len=2000", "-timeout=25", "-rss_limit_mb=2000", f"-artifact_prefix={found}/",
                               "-print_final_stats=1", "-seed=1"],
                              # What Swift keeps for ever counts as a leak.
                              env=os.environ | {"BB_FUZZ_TARGET": name, "SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "detect_leaks=0"}, capture_output=True, text=True, errors="replace")
        inputs = re.search(r"number_of_executed_units:\s*(\d+)", done.stderr)
        crashes = []
        for input in found.iterdir():
            place = top / ".build/fuzz" / f"{name}-{input.name[:20]}"
            shutil.copy(input, place)
            crashes.append(f"{place}: {input.read_bytes()[:200]!r}")
        why = re.findall(r"Fatal error.*|ERROR: .*", done.stderr)[:2]
        report.add(name, [*why, *crashes] or ["it crashed"] if done.returncode else [])
        if not done.returncode: print(f"fuzz: {name}: {inputs[1] if inputs else '?'} inputs in {seconds} s", flush=True)


def run(arguments):
    report = Report("fuzz")
    if not has_libfuzzer():
        report.skip("all", "this Swift has no libFuzzer")
        return report.end()
    path = program()
    seconds = next((int(a) for a in arguments if a.isdigit()), SECONDS)
    if "--self-test" in arguments:
        fuzz(report, path, "self-test", 60)
        if not report.failures: print("self-test: nothing is fuzzed")
        return bool(report.failures)
    for name in [a for a in arguments if a in SEEDS] or list(SEEDS): fuzz(report, path, name, seconds)
    return report.end()
