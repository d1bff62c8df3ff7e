import TestSupport
import Testing

/// The built-in shows are data: no code knows their names.
@Suite("built-in titles") struct TitleSourceTests {
  private static let top = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
  /// Where data is: the catalogue, the snapshot, and the descriptions of the APIs.
  private static let data = [
    "/Domain/Catalogue/", "/Snapshot/", "/CAssets/Files/", "/Sources/BuiltIn/", "/Conformance/", ".docc/",
  ]

  @Test("no code names a built-in show") func names() {
    let found = Shell().run(
      "cd \(Self.top) && grep -rnE 'Breaking Bad|Better Call Saul|El Camino|tt0903747|tt3032476|tt9243946' Modules Apps"
    ).out
    let lines = found.split(separator: "\n").filter { line in
      !Self.data.contains { line.contains($0) }
        && !(line.split(separator: ":", maxSplits: 2).last?.drop { $0 == " " }.hasPrefix("//") ?? false)
    }
    #expect(lines == [])
    #expect(found.contains("/Catalogue/Titles.swift"))
  }
}
