import Codecs
import TestSupport
import Testing

/// Metadata next to a file: `--csvw`, `--datapackage`; and the place of the records: `--records`.
@Suite("--csvw, --datapackage, --records") struct MetadataTests {
  @Test("types are preserved by the metadata next to a CSV file", arguments: ["csv", "tsv"]) func csvw(_ format: String)
  {
    let shell = Shell()
    shell.write(
      "t.ndjson",
      "{\"zip\":\"00123\",\"n\":\"7\",\"l\":[\"a\",\"b\"],\"d\":1.10}\n{\"zip\":null,\"n\":\"\",\"l\":[],\"d\":30}\n")
    let done = shell.run(
      "bb-export --from t.ndjson -o out.\(format) --csvw --null NULL -q && bb-export --from out.\(format) -f ndjson -q | cmp - t.ndjson && ls"
    )
    #expect(done.out == "out.\(format)\nout.\(format)-metadata.json\nt.ndjson\n" && done.err == "", "\(done.err)")
    #expect(shell.run("grep -c 'csvw#type\":\"list-of-text\"' out.\(format)-metadata.json").out == "1\n")
  }

  @Test("a file without a header has the names and types of its metadata; lists that are joined are text there")
  func ways() {
    let shell = Shell()
    shell.write("t.ndjson", "{\"n\":\"7\",\"l\":[\"a\",\"b\"]}\n{\"n\":null,\"l\":[]}\n")
    let bare = shell.run(
      "bb-export --from t.ndjson -o a.csv --csvw --no-headers --delimiter ';' && bb-export --from a.csv -f ndjson | cmp - t.ndjson"
    )
    #expect(bare.status == 0 && bare.err == "", "\(bare.err)")
    let joined = shell.run(
      "bb-export --from t.ndjson -o b.csv --csvw --datapackage --nested join && bb-export --from b.csv -f ndjson")
    #expect(joined.out == "{\"n\":\"7\",\"l\":\"a; b\"}\n{\"n\":null,\"l\":\"\"}\n" && joined.err == "", "\(joined)")
    #expect(
      shell.run("grep -c 'list-of-text' b.csv-metadata.json datapackage.json").out.hasSuffix(":0\ndatapackage.json:0\n")
    )
    let short = shell.run("printf '1;2;3\n' > a.csv; bb-export --from a.csv")
    #expect(
      short.status == 65 && short.err.contains("expected 2 columns as named, found 3"), "\(short)")
  }

  @Test("a package describes the files of a directory") func dataPackage() throws {
    let shell = Shell()
    let done = shell.run(
      "mkdir p && bb-export episodes --source snapshot --limit 2 -o p/e.csv -o p/e.json --datapackage -q; ls p; cat p/datapackage.json"
    )
    #expect(done.status == 0 && done.out.hasPrefix("datapackage.json\ne.csv\ne.json\n"), "\(done.err)")
    let package = try JSON.parse(Array(shell.run("cat p/datapackage.json").out.utf8), name: "datapackage.json")
    #expect(package["name"] == .string("episodes"))
    let resources = package["resources"]?.arrayValue ?? []
    #expect(resources.compactMap { $0["path"]?.stringValue } == ["e.csv", "e.json"])
    #expect(
      resources.first?["schema"]?["primaryKey"]
        == .array([.string("production"), .string("season"), .string("episode")]))
    #expect(resources.first?["schema"]?["fields"]?[1]?["type"] == .string("integer"))
  }

  @Test(
    "what cannot be described is refused before anything is written",
    arguments: [
      ("--csvw", "--csvw requires a CSV or TSV output file"),
      ("--datapackage", "--datapackage requires an output file"),
      ("--csvw -o a.json", "--csvw requires a CSV or TSV output file"),
      ("--datapackage -o a.csv -o p/b.csv", "p/b.csv is elsewhere"),
      ("--csvw --nested flatten -o a.csv", "omit --nested"),
      ("--csvw -o a.csv -f json -o a.csv-metadata.json", "use a different file name"),
    ])
  func refused(_ options: String, _ words: String) {
    let shell = Shell()
    let done = shell.run("mkdir p; bb-export episodes --source snapshot \(options) > out; echo $?; cat out; ls . p")
    #expect(done.out == "64\n.:\nout\np\n\np:\n" && done.err.contains(words), "\(done.err)")
  }

  @Test("records inside a document") func records() {
    let shell = Shell()
    shell.write("api.json", "{\"meta\": {\"a\": [1]}, \"results\": [{\"id\": 1}, {\"id\": 2}], \"next\": null}")
    #expect(shell.run("bb-export --from api.json --records /results -f csv").out == "id\n1\n2\n")
    let without = shell.run("bb-export --from api.json -f csv; echo $?")
    #expect(without.out == "id\n1\n2\n0\n" && without.err.contains("--records /results"), "\(without.err)")
    for (pointer, words, status) in [
      ("results", "invalid JSON Pointer", "64"), ("/nothing", "no value at /nothing", "65"),
      ("/meta", "expected an array", "65"),
    ] {
      let done = shell.run("bb-export --from api.json --records \(pointer) -f csv; echo $?")
      #expect(done.out == "\(status)\n" && done.err.contains(words), "\(done.err)")
    }
    shell.write("t.csv", "a\n1\n")
    let csv = shell.run("bb-export --from t.csv --records /a; echo $?")
    #expect(csv.out == "64\n" && csv.err.contains("omit --records"), "\(csv.err)")
  }
}
