import Rows
import Testing

@Suite("lists of names") struct NameListTests {
  @Test(
    "names are separated by commas; a quoted name may contain commas, marks and quotes",
    arguments: [
      ("a", ["a"]), ("a,b", ["a", "b"]), (" a , b ", ["a", "b"]), ("a b", ["a b"]), (#""a,b",c"#, ["a,b", "c"]),
      (#""d ""q""""#, [#"d "q""#]), (#"d "q""#, [#"d "q""#]), (#" "a" , "b" "#, ["a", "b"]), ("c:desc", ["c:desc"]),
      (#""""""#, [#"""#]), ("e\u{301},é", ["e\u{301}", "é"]), ("a,\u{301}", ["a", "\u{301}"]),
    ])
  func names(text: String, wanted: [String]) throws {
    let names = try NameListParser.list(text, of: "columns")
    #expect(names.map { Array($0.name.utf8) } == wanted.map { Array($0.utf8) })
    #expect(names.allSatisfy { $0.value == nil })
  }

  @Test(
    "a name as it is written is read as that name",
    arguments: ["a", "a,b", #"""#, #""a""#, " a", "a ", "", "é b", "a,\u{301}", "a:b", "a=b"])
  func written(name: String) throws {
    guard !name.isEmpty else { return #expect(NameListParser.written(name) == #""""#) }
    for mark: Unicode.Scalar? in [nil, ":", "="] {
      let names = try NameListParser.list("x,\(NameListParser.written(name))", mark: mark, of: "columns")
      #expect(names.map(\.name) == ["x", name])
    }
  }

  @Test(
    "the text after the mark belongs to the name before it",
    arguments: [
      ("a:desc,b", ["a|desc", "b"]), (#""c:desc":asc"#, ["c:desc|asc"]), (#""c:desc""#, ["c:desc"]), ("a:", ["a|"]),
      ("a : desc", ["a|desc"]), ("a:b:c", ["a|b:c"]),
    ])
  func values(text: String, wanted: [String]) throws {
    let names = try NameListParser.list(text, mark: ":", of: "sort")
    #expect(names.map { name in name.name + (name.value.map { "|\($0)" } ?? "") } == wanted)
  }

  @Test(
    "anything but a list is refused",
    arguments: [
      ("", "--columns “” contains an empty name"), ("a,,b", "contains an empty name"),
      ("a,", "contains an empty name"), (#""""#, "contains an empty name"), (#""a"#, "has an unterminated quote"),
      (#""a"b"#, "has text after a closing quote"),
    ])
  func refused(text: String, why: String) {
    let problem = #expect(throws: Problem.self) { try NameListParser.list(text, of: "columns") }
    #expect(problem?.kind == .usage)
    #expect(problem?.message.contains(why) == true)
  }
}
