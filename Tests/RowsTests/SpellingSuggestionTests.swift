import Rows
import Testing

@Suite("the nearest word") struct SpellingSuggestionTests {
  @Test("letters that differ, are missing or have changed places", arguments: ["lits", "lst", "listt", "LIST", "li"])
  func near(_ word: String) {
    #expect(SpellingSuggestion.word(to: word, among: ["show", "list", "edit"]) == (word == "li" ? nil : "list"))
  }
  @Test(
    "a word that begins with another letter is seldom meant",
    arguments: [
      ("force", "source", false), ("xml", "kml", false), ("desc", "nest", false), ("head", "seed", false),
      ("orce", "force", true), ("istorage", "storage", true), ("xpisode", "episode", true),
      ("sotrage", "storage", true),
    ])
  func firstLetter(_ word: String, _ other: String, _ isNear: Bool) {
    #expect(SpellingSuggestion.word(to: word, among: [other]) == (isNear ? other : nil))
  }
  @Test("a very long text is not compared") func long() {
    let text = String(repeating: "a", count: 2_000_000)
    #expect(SpellingSuggestion.word(to: text, among: [text + "b", "a"]) == nil)
    #expect(SpellingSuggestion.word(to: "aa", among: [text, "ab"]) == "ab")
  }
}
