import TestSupport
import Testing

/// CSV files with metadata of other programs next to them (W3C CSV on the Web).
@Suite("Foreign CSVW metadata") struct ForeignMetadataTests {
  /// What bb-export reads from a CSV file with this table description, as NDJSON.
  private func read(_ csv: String, _ description: String, _ arguments: String = "") -> Shell.Outcome {
    let shell = Shell()
    shell.write("t.csv", csv)
    shell.write("t.csv-metadata.json", "{\"@context\":\"http://www.w3.org/ns/csvw\",\"url\":\"t.csv\",\(description)}")
    return shell.run("bb-export --from t.csv -f ndjson \(arguments)")
  }

  @Test(
    "datatypes are read as the standard writes them",
    arguments: [
      (#""integer""#, "+1\n007\n -3 \n", "1 7 -3"), (#""double""#, "1.50\nINF\n", nil),
      (#""boolean""#, "1\n0\ntrue\n", "true false true"),
      (#"{"base":"boolean","format":"Y|N"}"#, "Y\nN\n", "true false"),
      (#"{"base":"decimal","format":{"decimalChar":",","groupChar":"."}}"#, "\"1.234,50\"\n", "1234.50"),
      (#"{"base":"date","format":"d.M.yyyy"}"#, "2.1.2020\n", "\"2020-01-02\""),
      (#""date""#, "2020-01-02\n2020-01-03Z\n", "\"2020-01-02\" \"2020-01-03Z\""),
      (
        #""dateTime""#, "2020-01-02T10:00:00Z\n2020-01-02T10:00:00+02:00\n",
        "\"2020-01-02T10:00:00Z\" \"2020-01-02T10:00:00+02:00\""
      ),
      (#"{"base":"dateTime","format":"yyyy-MM-dd HH:mm"}"#, "2020-01-02 10:00\n", "\"2020-01-02T10:00:00\""),
    ] as [(String, String, String?)])
  func datatypes(_ datatype: String, _ lines: String, _ expected: String?) {
    let done = read("a\n\(lines)", #""tableSchema":{"columns":[{"name":"a","datatype":\#(datatype)}]}"#)
    guard let expected else {
      #expect(done.status == 65 && done.err.contains("nonfinite"), "\(done.err)")
      return
    }
    let values = expected.split(separator: " ").map { "{\"a\":\($0)}\n" }.joined()
    #expect(done.out == values && done.err == "", "\(done.err)")
  }

  @Test("dates in an unknown format are read as text with a warning", arguments: ["date", "dateTime"])
  func unknownDates(datatype: String) {
    let done = read(
      "a\n2020-01-02Z\n", #""tableSchema":{"columns":[{"name":"a","datatype":"\#(datatype)"}]}"#)
    #expect(done.out == "{\"a\":\"2020-01-02Z\"}\n" && done.err == "", "\(done.err)")
    let other = read("a\n01/02/2020\n", #""tableSchema":{"columns":[{"name":"a","datatype":"\#(datatype)"}]}"#)
    #expect(other.out == "{\"a\":\"01/02/2020\"}\n" && other.status == 0)
    #expect(other.err.contains("read a as text: “01/02/2020” is not a "), "\(other.err)")
  }

  @Test("summaries, units and roles are kept") func annotations() {
    let shell = Shell()
    shell.write("t.csv", "a,b\nx,1\n")
    shell.write(
      "t.csv-metadata.json",
      """
      {"@context":"http://www.w3.org/ns/csvw","url":"t.csv","tableSchema":{"columns":[{"name":"a","datatype":"string",
      "dc:description":"what a is","https://bb.invalid/csvw#role":"title"},{"name":"b","datatype":"integer",
      "https://bb.invalid/csvw#unit":"m"}]}}
      """)
    let done = shell.run("bb-export --from t.csv -o u.csv --csvw && cat u.csv-metadata.json")
    for text in ["\"dc:description\":\"what a is\"", "csvw#role\":\"title\"", "csvw#unit\":\"m\""] {
      #expect(done.out.contains(text), "\(text): \(done.out)\(done.err)")
    }
  }

  @Test("nulls, defaults, separators and the dialect are honoured") func everything() {
    let done = read(
      "about\na;b;c\n# comment\nNA;;'x|y'\n'-';1;\n",
      ##""dialect":{"delimiter":";","quoteChar":"'","skipRows":1,"commentPrefix":"#"},"##
        + #""tableSchema":{"null":["NA","-"],"columns":["#
        + #"{"titles":{"en":"a"},"datatype":"integer"},{"name":"b","datatype":"integer","default":"5"},{"name":"c","separator":"|"}]}"#
    )
    #expect(done.out == "{\"a\":null,\"b\":5,\"c\":[\"x\",\"y\"]}\n{\"a\":null,\"b\":1,\"c\":[]}\n", "\(done)")
  }

  @Test("what is not applied is reported once") func ignored() {
    let done = read(
      "a\n1\n",
      #""dialect":{"skipColumns":1},"tableSchema":{"columns":[{"name":"a","datatype":{"base":"string","format":"[0-9]","minLength":2}}]}"#
    )
    #expect(done.out == "{\"a\":\"1\"}\n")
    #expect(
      done.err
        == "bb-export: warning: t.csv-metadata.json: not applied: skipColumns, minLength, format of a; check the rules with: bb-export check t.csv\n",
      "\(done.err)")
  }

  @Test("a value that does not fit is refused with its record; --types decides otherwise") func misfit() {
    let description = #""tableSchema":{"columns":[{"name":"a","datatype":"integer"}]}"#
    let done = read("a\n1\nx\n", description)
    #expect(
      done.status == 65 && done.err.contains("invalid value “x” for a") && done.err.contains("record 2"), "\(done.err)")
    #expect(read("a\n1\n007\n", description, "--types a=text").out == "{\"a\":\"1\"}\n{\"a\":\"007\"}\n")
  }

  @Test("a date that does not fit is refused with the format that the metadata says") func misfitDate() {
    let description =
      #""tableSchema":{"columns":[{"name":"a","datatype":{"base":"date","format":"dd/MM/yyyy"},DEFAULT}]}"#
    let done = read("a\n01/02/2024\n31/02/2024\n", description.replacing(",DEFAULT", with: ""))
    #expect(
      done.status == 65
        && done.err.contains("invalid value “31/02/2024” for a: expected dd/MM/yyyy, as its metadata says (record 2)"),
      "\(done.err)")
    let missing = read("a,b\n,1\n", description.replacing("DEFAULT", with: #""default":"2024-01-01""#))
    #expect(missing.err.contains("invalid default “2024-01-01” for a: expected dd/MM/yyyy"), "\(missing.err)")
  }

  @Test("metadata of earlier versions has the types under their old name") func earlier() {
    let done = read(
      "a,b\n1,NULL\n2,\"\"\n",
      #""tableSchema":{"null":["NULL",""],"columns":[{"name":"a","titles":"a","datatype":"string","bb:type":"text"},{"name":"b","titles":"b","datatype":"string","bb:type":"text"}]}"#
    )
    #expect(done.out == "{\"a\":\"1\",\"b\":null}\n{\"a\":\"2\",\"b\":\"\"}\n" && done.err == "", "\(done)")
  }
}
