import Testing

@testable import Objects

@Suite("patterns of keys") struct KeyPatternTests {
  @Test(
    "matches",
    arguments: [
      ("a/*.csv", "a/b.csv", true), ("a/*.csv", "a/b/c.csv", false), ("a/*.csv", "a/.csv", false),
      ("a/.*", "a/.b", true), ("a/?b", "a/üb", true), ("a/?b", "a//b", false), ("a/[x-z]1", "a/y1", true),
      ("a/[!x-z]1", "a/y1", false), ("a/[!x-z]1", "a/ä1", true), ("**/x", "x", true), ("**/x", "a/b/x", true),
      ("a/**/x", "a/x", true), ("a/**/x", "a/.b/x", false), ("a/**/*.csv", "a/b=c/d=e/f.csv", true),
      ("a/\\*", "a/*", true), ("a/\\*", "a/b", false), ("a[", "a[", true), ("*", "", true), ("*a*b*", "xaxbx", true),
      ("*a*b*", "xbxax", false), ("line*", "line\nbreak", true), ("é", "e\u{301}", false),
    ])
  func matches(pattern: String, key: String, isMatch: Bool) {
    #expect(KeyPattern(pattern).matches(key) == isMatch)
  }

  @Test(
    "the prefix ends before the first special character",
    arguments: [("a/b=*/c", "a/b="), ("a\\*b*", "a*b"), ("x", "x")])
  func prefix(pattern: String, prefix: String) { #expect(KeyPattern(pattern).prefix == prefix) }

  @Test("many stars need little time") func stars() {
    let pattern = KeyPattern(String(repeating: "*a", count: 200) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 1000)))
  }
}
