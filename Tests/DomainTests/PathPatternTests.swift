import Domain
import Rows
import Testing

@Suite("paths with placeholders") struct PathPatternTests {
  private func values(_ texts: (String, String?)...) -> [PartitionValue] {
    texts.map { PartitionValue(column: $0.0, text: $0.1.map { Array($0.utf8) }) }
  }

  @Test("placeholders are replaced; directories COLUMN={COLUMN} are Hive partitions") func replaced() throws {
    let pattern = try #require(try PathPattern("out/show={show}/{season}/p-{n}-{date}.csv"))
    #expect(pattern.columns == ["show", "season"] && pattern.hiveColumns == ["show"])
    #expect(pattern.root == "out" && pattern.isNumbered)
    let path = try pattern.path(values(("show", "Breaking Bad"), ("season", nil)), number: 3, date: "2026-01-02")
    #expect(path == "out/show=Breaking Bad/%5F_HIVE_DEFAULT_PARTITION__/p-3-2026-01-02.csv")
    #expect(pattern.glob() == "out/show=*/*/p-*-*.csv")
    #expect(pattern.glob(values(("show", "a*"), ("season", "1"))) == "out/show=a%2A/1/p-*-*.csv")
    #expect(try PathPattern("out/a.csv") == nil)
    #expect(try PathPattern("o{{ut/a.csv") == nil)
    #expect(PathPattern.plainPath("{{x}}-}{{{{.csv") == "{x}-}{{.csv")
    #expect(try PathPattern("o{{ut/{a}.csv")?.glob() == "o{ut/*.csv")
    #expect(try PathPattern("[x]/{a}.csv")?.glob() == "\\[x]/*.csv")
    #expect(try PathPattern("n={n}/{n}.csv")?.columns == ["n"])
    #expect(try PathPattern("{a}.csv")?.root == "." && PathPattern("/{a}.csv")?.root == "/")
    for text in ["{", "a{}", "{a"] { #expect(throws: Problem.self) { try PathPattern(text) } }
  }

  @Test(
    "any text comes back from a path",
    arguments: [
      "a/b", "x=y", "50%", "%41", "%", "line\nfeed", "\t", "\u{7f}", "é", "e\u{301}", "\u{202e}evil", "..", ".", "~",
      "a b", " a ", "007", "true", "null", "NULL", "'", "\"", "#", "*", "?", "[x]", "{y}", "^", "\\", ":", "C:\\", "日本",
      "\u{1}\u{1f}", "-", "_x", ".x", "a;b", "&", "+", "$HOME", "`ls`",
      "\u{301}x", "\u{200d}", ".\u{308}", "=\u{301}", "*\u{301}",
    ])
  func roundTrip(text: String) throws {
    let pattern = try #require(try PathPattern("out/v={v}/part.csv"))
    let path = try pattern.path(values(("v", text)), number: 0, date: "")
    #expect(path.utf8.split(separator: UInt8(ascii: "/")).count == 3)
    #expect(PathPattern.hiveValues(of: path) == values(("v", text)))
  }

  @Test("no value makes a name that readers skip", arguments: [nil, "_x", ".x", "...", "__HIVE", "x"] as [String?])
  func visible(text: String?) throws {
    for path in ["out/{v}.csv", "out/{v}/a.csv", "{v}.csv", "out/{v}-{v}/{n}.csv"] {
      let pattern = try #require(try PathPattern(path)), values = values(("v", text))
      let path = try pattern.path(values, number: 0, date: "")
      #expect(path.split(separator: "/").allSatisfy { !$0.hasPrefix(".") && !$0.hasPrefix("_") })
      #expect(pattern.isNumbered || pattern.glob(values) == path)
    }
  }

  @Test("a directory NAME=VALUE is read back as the column that it has, or refused") func names() throws {
    for (text, column) in [("k={k}", "k"), ("a%3Db={a=b}", "a=b"), ("a b={a b}", "a b"), ("é={é}", "é")] {
      let pattern = try #require(try PathPattern("out/\(text)/x.csv"))
      #expect(pattern.hiveColumns == [column] && pattern.text == "out/\(text)/x.csv")
      let path = try pattern.path(values((column, "v=1")), number: 0, date: "")
      #expect(PathPattern.hiveValues(of: path) == values((column, "v=1")))
    }
    for text in ["out/a=b={a=b}/x.csv", "a=b={a=b}/x.csv", "a={a=b}/x.csv", "out/a%3Db={a%3Db}/x.csv"] {
      let problem = #expect(throws: Problem.self, "\(text)") { try PathPattern(text) }
      #expect(problem?.kind == .usage && "\(problem?.hint ?? "")".contains("a%"), "\(text)")
    }
    #expect(try PathPattern("out/x{k}=\u{301}/y.csv")?.text == "out/x{k}=\u{301}/y.csv")
    #expect(try PathPattern("out/y={k}/x.csv")?.hiveColumns == [])
    #expect(try PathPattern("out/[\u{301}{k}.csv")?.glob() == "out/\\[\u{301}*.csv")
  }

  @Test("what a path cannot hold is refused: empty text, a long name, a directory above") func refused() throws {
    let pattern = try #require(try PathPattern("out/v={v}/{v}.csv")),
      name = try #require(try PathPattern("o/{v}/a.csv"))
    for text in ["", "__HIVE_DEFAULT_PARTITION__", String(repeating: "x", count: 254)] {
      #expect(throws: Problem.self) { try pattern.path(values(("v", text)), number: 0, date: "") }
    }
    for text in ["..", "."] {
      #expect(throws: Problem.self) { try name.path(values(("v", text)), number: 0, date: "") }
    }
    #expect(PathPattern.hiveValues(of: "a=1/a=2/=3/b/c=.csv") == values(("a", "1")))
  }
}
