import Rows
import Testing

@testable import Persistence

/// A `bb.json` to which two sides of a merge added tables.
@Suite("Merged manifests") struct MergedManifestTests {
  private func manifest(_ lines: String...) throws(Problem) -> DirectoryManifest {
    let text = "{\"format\": 2, \"storage\": \"csv\", \"datasets\": {\n" + lines.map { $0 + "\n" }.joined() + "}}\n"
    return try DirectoryManifest(Array(text.utf8), at: "bb.json")
  }

  @Test("commas and lines that are there twice do not matter")
  func repaired() throws {
    let found = try manifest(
      #"  "a": {"key":["id"]}"#, #"  "notes": {"key":["n"],"cursor":1}"#, #"  "notes": {"key":["n"],"cursor":1},"#,
      #"  "b": {"key":[],"source":"x"},"#)
    #expect(found.tables.keys.sorted() == ["a", "b", "notes"])
    #expect(found.storage == "csv" && found.tables["b"]?.source == "x" && found.tables["notes"]?.others.count == 1)
    #expect(try DirectoryManifest(found.bytes, at: "") == found)
  }

  @Test("an empty one is written so that lines can be added")
  func empty() throws {
    let empty = DirectoryManifest(storage: "csv")
    #expect(
      String(decoding: empty.bytes, as: UTF8.self) == "{\"format\": 2, \"storage\": \"csv\", \"datasets\": {\n}}\n")
    #expect(try DirectoryManifest(empty.bytes, at: "") == empty)
  }

  @Test("two descriptions of one table, and other damage, are reported with their lines")
  func refused() throws {
    let two = #expect(throws: Problem.self) {
      try manifest(#"  "notes": {"key":["a"]}"#, #"  "b": {"key":[]},"#, #"  "notes": {"key":["b"]}"#)
    }
    #expect(two?.message == "lines 2 and 4 describe the same table, “notes”" && two?.place == "bb.json:4")
    for line in [#"  "a": {"key":[]} x"#, #"  "a": {"key":[]}, "b": {"#, "", "x"] {
      #expect(
        #expect(throws: Problem.self) { try manifest(#"  "z": {"key":[]}"#, line, #"  "y": {"key":[]}"#) }?.kind
          == .badData)
    }
  }
}
