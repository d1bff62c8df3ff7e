import Testing

@testable import Site

@Suite("the index of the search") struct SearchIndexTests {
  @Test("no file has more than 4 MiB, and no entry is lost up to 64 MiB") func files() {
    var index = SearchIndex()
    let text = String(repeating: "word ", count: 200)
    for number in 0..<20_000 {
      index.add(.quote, SiteLink("quotes/index.html", fragment: "q\(number)"), "n\(number)", [text, nil, "end"])
    }
    let (files, omitted) = index.files
    #expect(files.count > 4 && files.allSatisfy { $0.count <= 4 << 20 } && omitted.isEmpty)
    #expect(files.allSatisfy { $0.starts(with: Array("(window.BB ||= []).push({\"files\":\(files.count),".utf8)) })
    let entries = files.reduce(0) { $0 + $1.count(where: { $0 == UInt8(ascii: "#") }) }
    #expect(entries == 20_000)
    #expect(String(decoding: files[0], as: UTF8.self).contains("word  · end\"]"))
  }

  @Test("beyond 64 MiB the largest datasets are omitted") func omitted() {
    var index = SearchIndex()
    let text = String(repeating: "x", count: 64 << 10)
    for number in 0..<1100 { index.add(.comment, SiteLink("c.html", fragment: "c\(number)"), "c", [text]) }
    index.add(.movie, SiteLink("m.html"), "a movie", [])
    let (files, omitted) = index.files
    #expect(omitted == ["comments"] && files.count == 1)
    #expect(String(decoding: files[0], as: UTF8.self).contains("a movie"))
  }
}
