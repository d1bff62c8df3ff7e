extension PythonTests {
  /// Prints each value of each record in hexadecimal, one record per line.
  static let csv = """
    import csv, io, sys
    csv.field_size_limit(1 << 30)
    text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="")
    for row in csv.reader(text, delimiter=sys.argv[1]):
        print(",".join(value.encode().hex() for value in row))
    """
  /// The same for an array of objects, or for lines: `n`, `true`, a number's literal, `"` and text, or nested JSON.
  static let json = """
    import json, sys
    class Number(str): pass
    def shown(value):
        if value is None: return "n"
        if isinstance(value, bool): return str(value).lower()
        if isinstance(value, Number): return str(value)
        return dumped(value) if isinstance(value, (list, dict)) else "\\"" + value
    def dumped(value):
        if isinstance(value, Number): return str(value)
        if isinstance(value, list): return "[" + ",".join(map(dumped, value)) + "]"
        if isinstance(value, dict): return "{" + ",".join(dumped(k) + ":" + dumped(v) for k, v in value.items()) + "}"
        return json.dumps(value, ensure_ascii=False)
    load = lambda text: json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=dict)
    text = sys.stdin.buffer.read().decode("utf-8", "strict")
    records = load(text) if sys.argv[1] == "array" else [load(line) for line in text.split("\\n") if line]
    for record in records:
        print(",".join(shown(value).encode().hex() for value in record.values()))
    """

  /// Prints the text of each cell of the tables of a page in hexadecimal, one row per line; nothing but the page's own
  /// tags may be there.
  static let html = """
    import html.parser, sys
    class Page(html.parser.HTMLParser):
        rows, inside = [], False
        def handle_starttag(self, tag, attributes):
            if tag == "tr": self.rows.append([])
            is_row = dict(attributes).get("scope") == "row"
            if tag == "tr" or tag == "th" and not is_row: self.inside = False
            elif tag in ("td", "th"):
                self.rows[-1].append("")
                self.inside = True
            elif tag == "a" and self.inside: assert dict(attributes)["href"].lower().startswith(("http://", "https://", "mailto:"))
            elif tag == "img" and self.inside: self.rows[-1][-1] += dict(attributes)["alt"]
            else: assert tag in sys.argv[1].split(), tag
            assert not any(name.startswith("on") for name, _ in attributes)
        def handle_endtag(self, tag):
            if tag == "table": self.inside = False
        def handle_data(self, data):
            if self.inside: self.rows[-1][-1] += data
        def handle_comment(self, data): raise Exception(data)
    page = Page()
    page.feed(sys.stdin.buffer.read().decode("utf-8", "strict"))
    for row in page.rows[1:]:
        row[-1] = row[-1].removesuffix("\\n")
        print(",".join(value.encode().hex() for value in row))
    """

  /// Prints each value that PyYAML finds: `n`, `True`, an integer's digits, a float's bits, `"` and text, or nested
  /// JSON.
  static let yaml = """
    import json, struct, sys, yaml
    def shown(value):
        if value is None: return "n"
        if isinstance(value, float): return struct.pack(">d", value).hex()
        if isinstance(value, (list, dict)): return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        return "\\"" + value if isinstance(value, str) else str(value)
    for record in yaml.load(sys.stdin.buffer.read().decode("utf-8", "strict"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        print(",".join(shown(value).encode().hex() for value in record.values()))
    """

  /// Prints name and coordinates of each place of GPX or KML.
  static let map = """
    import struct, sys, xml.etree.ElementTree as tree
    root = tree.fromstring(sys.stdin.buffer.read())
    for place in root.iter():
        kind = place.tag.split("}")[1]
        if kind not in ("wpt", "Placemark"): continue
        part = lambda name: next((e.text or "" for e in place.iter() if e.tag.endswith("}" + name)), None)
        pair = [place.get("lon"), place.get("lat")] if kind == "wpt" else part("coordinates").split(",")
        assert not any("e" in number.lower() for number in pair)
        values = [part("name") or "", *(struct.pack(">d", float(number)).hex() for number in pair)]
        print(",".join(value.encode().hex() for value in values))
    """

  /// Runs the SQL through the shell of SQLite, and prints what Python finds in the database: `n`, an integer's
  /// digits, a real's bits, `"` and text, `x` and bytes.
  static let sql = """
    import os, sqlite3, struct, subprocess, sys, tempfile
    directory = tempfile.TemporaryDirectory()
    path = os.path.join(directory.name, "x.db")
    done = subprocess.run(["sqlite3", "-bail", path], input=sys.stdin.buffer.read(), capture_output=True)
    assert done.returncode == 0 and not done.stderr, done.stderr
    base = sqlite3.connect(path)
    base.text_factory = lambda text: ("text", text)
    def shown(value):
        if value is None: return b"n"
        if isinstance(value, float): return struct.pack(">d", value).hex().encode()
        if isinstance(value, tuple): return b"\\"" + value[1]
        return b"x" + value if isinstance(value, bytes) else str(value).encode()
    for row in base.execute("select * from \\"%s\\" order by rowid" % sys.argv[1]):
        print(",".join(shown(value).hex() for value in row))
    """

}
