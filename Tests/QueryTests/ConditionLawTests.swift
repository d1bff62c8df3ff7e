import Conformance
import Testing

@testable import Query
@testable import TestSupport

@Suite("conditions as they were before calculations") struct ConditionLawTests {
  /// Nested conjunctions and disjunctions are the same without nesting.
  private static func flat(_ predicate: Predicate) -> Predicate {
    switch predicate {
    case .condition: return predicate
    case .not(let part): return .not(flat(part))
    case .all(let parts):
      let all = parts.map(flat).flatMap { part -> [Predicate] in
        if case .all(let inner) = part { inner } else { [part] }
      }
      return all.count == 1 ? all[0] : .all(all)
    case .any(let parts):
      let all = parts.map(flat).flatMap { part -> [Predicate] in
        if case .any(let inner) = part { inner } else { [part] }
      }
      return all.count == 1 ? all[0] : .any(all)
    }
  }

  /// Whether the text was a condition, which must then mean the same.
  private static func compare(_ text: String) -> Bool {
    var old = PlainConditionParser(text)
    guard let wanted = try? old.parse() else { return false }
    let found = try? Predicate(parsing: text)
    #expect(found.map(flat) == flat(wanted), "\(text)")
    return true
  }

  @Test("generated conditions mean the same") func generated() {
    var random = SplitMix64(seed: 29), accepted = 0
    func pick(_ values: [String]) -> String { values[Int.random(in: 0..<values.count, using: &random)] }
    func blank() -> String { pick(["", " ", " ", " ", "  ", "\t"]) }
    func column() -> String {
      pick([
        "city", "id", "a.b", "\"a b\"", "\"say \"\"x\"\"\"", "not", "in", "and", "or", "case", "null", "date", "upper",
        "2024", "é", "e\u{301}", "between", "is", "starts", "true", "_x", "between1", "days",
      ])
    }
    func word() -> String {
      pick([
        "Berlin", "1", "-1", "1.50", "2024-01-31", "3 years ago", "Anna Smith", "'a'", "'it''s'", "''", "a'b", "x,y",
        "a+b", "a*2", "a-b", "a/b", "a.b", "a[1]", "null", "true", "case", "not", "is", "in", "\"id\"", "^[A-D]", "-",
        "*",
        "%", "a|b", "a=b", "<b>", "date", "now", "upper", "AND", "or", "é", "\u{301}", "'and'", "(a)", "f(x)", "0x1F",
      ])
    }
    // In lists, and after between, columns and calculations were values.
    func listed() -> String {
      let word = word()
      return word.hasPrefix("\"") || word.hasPrefix("(") || word == "f(x)" ? "x" : word
    }
    func test() -> String {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: "\(column())\(blank())\(pick(["is null", "is not null", "IS NULL", "is  not\tnull"]))"
      case 1: "\(column()) \(pick(["in", "not in", "IN"]))\(blank())(\(listed()),\(blank())\(listed()))"
      case 2: "\(column()) \(pick(["between", "not between"])) \(listed()) and \(listed())"
      case 3: "\(column()) \(pick(["starts with", "not starts with", "Starts  With"])) \(word())"
      case 4: "not \(column()) = \(word())"
      case 5: "\(column())\(blank())\(pick(["~", "!~", "=~"]))\(blank())\(word())"
      default:
        "\(column())\(blank())\(pick(["=", "!=", "<", "<=", ">", ">=", "==", "<>", "like"]))\(blank())\(word())"
      }
    }
    func condition(_ depth: Int) -> String {
      if depth == 0 { return test() }
      switch Int.random(in: 0..<6, using: &random) {
      case 0: return "(\(blank())\(condition(depth - 1))\(blank()))"
      case 1: return "\(condition(depth - 1)) \(pick(["and", "AND"])) \(condition(depth - 1))"
      case 2: return "\(condition(depth - 1)) \(pick(["or", "Or"])) \(condition(depth - 1))"
      case 3: return "not (\(condition(depth - 1)))"
      case 4: return blank() + condition(depth - 1) + blank()
      default: return test()
      }
    }
    for round in 0..<20_000 where Self.compare(condition(round % 4)) { accepted += 1 }
    #expect(accepted > 5_000)
  }

  @Test("the conditions of the golden cases mean the same") func golden() throws {
    let top = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }
    var found = 0
    let grep = "grep -rhoE -- \"--where '[^']*'\" \(top)/Tests/Golden \(top)/.github \(top)/Modules/Domain/Domain.docc"
    for line in Shell().run(grep).out.split(separator: "\n")
    where Self.compare(String(line.dropFirst(9).dropLast())) { found += 1 }
    #expect(found > 20)
  }
}
