import Rows
import Testing

@testable import Query
@testable import TestSupport

@Suite("predicates") struct PredicateTests {
  static func ids(_ text: String) async throws -> [Int64] {
    try await SelectionTests.ids { try $0.filter(by: text) }
  }

  @Test(
    "and, or, not, parentheses and the operators select rows",
    arguments: [
      ("id = 1 or id = 3", [1, 3]), ("id = 1 and name = Más", [1]), ("id < 3 and (name ~ menos or id = 1)", [1, 2]),
      ("(id = 1)", [1]), ("((id = 1) or (id = 2 and name = 'x'))", [1]), ("not id = 1", [2, 3, 4, 5]),
      ("not (id = 1 or id = 2) and id < 5", [3, 4]), ("NOT NOT id = 1", [1]), ("id = 1 OR id = 2 AND id = 3", [1]),
      // Of null a comparison is neither true nor false, and neither is its negation.
      ("not name = Más", [2, 3, 4]), ("not (name = Más and id = 1)", [2, 3, 4, 5]), ("not name is null", [1, 2, 3, 4]),
      ("not alive = true", [2]), ("not born <= 1958", [4]), ("not (born > 1958)", [1, 5]),
      ("id between 2 and 4", [2, 3, 4]), ("id not between 2 and 4", [1, 5]),
      ("born between 1957 and 1958", [1, 2, 5]), ("id between 2 and 3 or id = 5", [2, 3, 5]),
      ("id not in (1, 2)", [3, 4, 5]), ("name starts with MAS", [1, 2]), ("name not starts with mas", [3, 4]),
      ("tags starts with É", [3]), ("name starts with ''", [1, 2, 3, 4]), ("name =~ '^m.*s$'", [2]),
      ("name =~ '(?i)^m.s'", [1, 2]), ("tags =~ '^b'", [1, 5]), ("tags =~ '^b$'", [5]), ("id =~ '[1-3]'", [1, 2, 3]),
      ("name = mas o menos", [2]), ("(name = mas o menos)", [2]), ("name = 'x' or name = mas o menos", [2]),
      ("id = \"id\"", [1, 2, 3, 4, 5]), ("score > \"id\"", [1, 2, 3, 5]), ("not score > \"id\"", [4]),
    ])
  func select(text: String, wanted: [Int64]) async throws {
    #expect(try await Self.ids(text) == wanted)
  }

  @Test(
    "invalid predicates are refused with a hint",
    arguments: [
      ("name = Tom and Jerry", "missing operator at character 21", "quote the value"),
      ("name = Tom Riddle and Jerry", "“and” in a value without quotes at character 19", "quote the value"),
      ("name = f (x)", "parenthesis in a value without quotes at character 10", "quote the value"),
      ("name = f)", "unexpected ) at character 9", "quote the value"),
      ("(id = 1", "missing ) at character 8", "close the parenthesis"),
      ("id = 1 or", "missing column at character 10", "quote the value"),
      ("id between 1", "missing and at character 13", "use between A and B"),
      ("name ~ \"x\"", "expected a value, found a column at character 8", "quote a value as '…'; \"…\" is a column"),
      ("id = 1 && id = 2", "“&&” in a value without quotes at character 8", "use and, or quote the value"),
      ("name in (a,b||c)", "“||” in a value without quotes at character 16", "use or, or quote the value"),
      ("name =~ '(a'", "", "write \\( for a parenthesis"),
      ("name =~ 'a{9999}'", "", "use at most 1000, the smaller count first"),
      ("name =~ '(a{1000}){1000}'", "", "use smaller repetition counts"),
      ("name =~ '(?<=a)b'", "", "use (…) or (?:…); flags go to the beginning: (?i)…"),
      ("tags = \"name\"", "", "compare columns of the same type, or quote a value as '…'"),
      ("id = \"nme\"", "", "did you mean name?"),
      (String(repeating: "(", count: 200) + "id = 1", "too many parentheses at character 101", "use at most 100"),
    ])
  func complaints(text: String, message: String, hint: String) async {
    let problem = await #expect(throws: Problem.self) { _ = try await Self.ids(text) }
    #expect(problem?.kind == .usage && problem?.hint.description == hint, "\(String(describing: problem))")
    #expect(problem?.message.hasSuffix(message) == true, "\(String(describing: problem))")
  }

  @Test("a filter keeps exactly the rows that match one by one, on random predicates and tables") func law()
    async throws
  {
    var random = LargeSelectionTests.Generator(state: 17)
    func pick<T>(_ values: [T]) -> T { values[Int(random.next() % UInt64(values.count))] }
    func condition() -> String {
      switch random.next() % 13 {
      case 0: "few \(pick(["=", "!=", "<", "<=", ">", ">="])) \(pick(["3", "3.0", "-1", "1e400"]))"
      case 1:
        "exact \(pick(["=", "!=", "<", "<=", ">", ">="])) \(pick(["0.1", "1", "9007199254740993", "0", "-1e400", "123456789012345678901234567890"]))"
      case 2: "score \(pick(["=", "<", ">="])) \(pick(["0", "-0.0", "0.30000000000000004", "9007199254740993"]))"
      case 3: "word \(pick(["=", "!=", "<", ">="])) '\(pick(["", "a", "é", "prefix-abcdefghij"]))'"
      case 4:
        "word \(pick(["~", "!~", "starts with", "not starts with"])) '\(pick(["", "k", "STRASSE", "fi", "é", "abcdefghi"]))'"
      case 5: "day \(pick(["=", "!=", "<", "<=", ">", ">="])) \(pick(["1958", "1958-03", "1958-03-07"]))"
      case 6: "seen \(pick(["=", "!="])) true"
      case 7: "tags \(pick(["=", "!=", "~", "starts with"])) \(pick(["a", "'b,c'"]))"
      case 8: "\(pick(["word", "exact", "tags"])) \(pick(["is null", "is not null"]))"
      case 9: "few \(pick(["=", "<", ">="])) \"exact\""
      case 11:
        "at \(pick(["=", "!=", "<", "<=", ">", ">="])) \(pick(["2024", "2024-01-01T00:00:00Z", "2024-01-01T00"]))"
      case 10: "word =~ '\(pick(["^p.*j$", "[a-e]", "(?i)^STRA", "é|e", "\\\\d{15}"]))'"
      default: "exact in (0.10, 1, 9007199254740992)"
      }
    }
    func predicate(_ depth: Int) -> String {
      if depth == 0 { return condition() }
      switch random.next() % 4 {
      case 0: return "(\(predicate(depth - 1)) and \(predicate(depth - 1)))"
      case 1: return "(\(predicate(depth - 1)) or \(predicate(depth - 1)))"
      case 2: return "not (\(predicate(depth - 1)))"
      default: return condition()
      }
    }
    for seed in 0..<150 {
      let table = AdversarialTable.table(120, seed: UInt64(seed))
      let text = predicate(3)
      let filter = try RowFilter(try Predicate(parsing: text), of: table.schema) { (name) throws(Problem) in
        try table.schema.column(named: name)
      }
      for batch in try await table.stream(60).collect() {
        let reader = CellReader(batch)
        var scratch: [UInt8] = [], rows = Array(0..<Int32(batch.count))
        let wanted = rows.filter { filter.matches(reader, Int($0), &scratch) }
        filter.filter(reader, &rows, &scratch)
        #expect(rows == wanted, "\(text)")
      }
    }
  }
}

@Suite("patterns") struct PatternTests {
  static func matches(_ pattern: String, _ text: String) throws -> Bool {
    let search = PatternSearch(try Pattern(pattern).program)
    return unsafe Array(text.utf8).withUnsafeBytes { unsafe search.matches($0) }
  }

  @Test(
    "patterns",
    arguments: [
      ("", "", true), ("", "x", true), ("a", "xay", true), ("^a", "xa", false), ("a$", "xa", true), ("^$", "", true),
      ("^$", "x", false), ("a.c", "abc", true), ("a.c", "a\nc", false), ("(?s)a.c", "a\nc", true), ("a.c", "aéc", true),
      ("^.$", "é", true), ("^..$", "é", false), ("[^a]", "a", false), ("[^a]", "日", true), ("[à-ü]", "é", true),
      ("[à-ü]", "e", false), ("(ab)+c", "ababc", true), ("^(ab)+c", "abac", false), ("a{2,3}", "a", false),
      ("^a{2,3}$", "aaa", true), ("^a{2,3}$", "aaaa", false), ("^a{2,}$", "aaaaaa", true), ("a|b|", "", true),
      ("\\bcat\\b", "a cat.", true), ("\\bcat\\b", "concat", false), ("\\Bcat", "concat", true),
      ("\\d+-\\d+", "12-3", true), ("\\w", "é", false), ("\\S", " \t", false), ("(?i)straße", "STRAßE", true),
      ("(?i)É", "é", true), ("\\.", "x", false), ("\\u00e9", "é", true), ("\\x{1F600}", "😀", true), ("[]a]", "]", true),
      ("[a-]", "-", true), ("a??b", "b", true), ("(a*)*b", "aaac", false), ("日本", "x日本y", true),
      ("[\\d.]+$", "v1.2", true), ("^[^\\s]+$", "a b", false),
    ])
  func patterns(pattern: String, text: String, wanted: Bool) throws {
    #expect(try Self.matches(pattern, text) == wanted)
  }

  @Test("a search takes time proportional to the text, also where others try every way") func time() throws {
    let text = String(repeating: "a", count: 50_000)
    let started = ContinuousClock.now
    #expect(try !Self.matches("(a*)*(a|aa)*$b", text))
    #expect(try !Self.matches("(a|a)*(a?){30}c", text))
    // The states of this one are exponentially many.
    #expect(try Self.matches("(a|b)*a(a|b){20}$", text))
    let mixed = String((0..<50_000).map { $0 % 7 < 3 || $0 % 11 == 0 ? "a" : "b" })
    _ = try Self.matches("(a|b)*a(a|b){14}c$", mixed)
    #expect(ContinuousClock.now - started < .seconds(30))
  }

  @Test("every character is matched by its own range and by no other") func ranges() throws {
    let search = PatternSearch(try Pattern("^[\u{7F}-\u{81}\u{7FF}-\u{801}\u{FFFE}-\u{10001}]$").program)
    for code: UInt32 in [
      0x7E, 0x7F, 0x80, 0x81, 0x82, 0x7FE, 0x7FF, 0x800, 0x801, 0x802, 0xFFFD, 0xFFFE, 0x10001, 0x10002,
    ] {
      let scalar = try #require(Unicode.Scalar(code))
      let wanted = (0x7F...0x81).contains(code) || (0x7FF...0x801).contains(code) || (0xFFFE...0x10001).contains(code)
      #expect(unsafe Array(String(scalar).utf8).withUnsafeBytes { unsafe search.matches($0) } == wanted, "\(code)")
    }
  }
}

@Suite("search without folding") struct FoldedNeedleTests {
  @Test("what is certain is the same as after folding, for every length, place and byte")
  func law() {
    var random = LargeSelectionTests.Generator(state: 3)
    let pieces: [[UInt8]] = ["a", "B", "z", "-", " ", "0", "@", "[", "`", "{"].map { Array($0.utf8) }
    let others = ["é", "\u{212A}", "ſ", "ß", "ﬁ", "\u{301}", "İ"].map { Array($0.utf8) }
    for length in 0...40 {
      for offset in 0..<16 {
        for isASCII in [true, false] {
          var text = [UInt8](repeating: 0x61, count: offset)
          while text.count < offset + length {
            text += isASCII || random.next() % 8 != 0 ? pieces[Int(random.next() % 10)] : others[Int(random.next() % 7)]
          }
          let part = Array(text[offset...])
          let start = part.isEmpty ? 0 : Int(random.next()) % part.count
          let wanted = Fold.folded(Array(part[start..<min(part.count, start + 1 + Int(random.next() % 4))]))
          for needle in [wanted, Array("a".utf8), Array("ab".utf8), Array("k".utf8), Array("ss".utf8)] {
            // As in a batch: more bytes follow.
            let bytes = text + [UInt8](repeating: 0x42, count: 256)
            let folded = Fold.folded(part), tested = FoldedNeedle(folded: needle)
            unsafe bytes.withUnsafeBytes { bytes in
              let view = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + part.count)])
              if let known = unsafe tested.isFound(in: view) {
                #expect(known == tested.isContained(inFolded: folded), "\(part) \(needle)")
              } else {
                #expect(!isASCII)
              }
              guard let first = needle.first, first != 0x20, let known = unsafe tested.isFound(in: view, atWord: true),
                Words.ranges(of: needle).count == 1, Words.ranges(of: needle)[0] == 0..<needle.count
              else { return }
              var found = false
              Words.forEachStart(in: folded) { start in
                found = found || Words.begins(folded, at: start, with: needle)
                return !found
              }
              #expect(known == found, "\(part) \(needle) at a word")
            }
          }
        }
      }
    }
  }
}
