import Codecs
import Domain
import Query
import Rows

/// A table with texts worth searching, and columns of every type that conditions compare.
private let sample = Schema(
  "sample", key: ["show", "number"],
  columns: [
    ColumnDescription("show", .text, nullable: false), ColumnDescription("number", .integer, nullable: false),
    ColumnDescription("text", .text), ColumnDescription("names", .list(.text)), ColumnDescription("score", .real),
    ColumnDescription("exact", .decimal), ColumnDescription("day", .date), ColumnDescription("seen", .boolean),
    ColumnDescription("link", .url), ColumnDescription("at", .timestamp),
  ])
private let words = [
  "Straße", "STRASSE", "éclair", "e\u{301}CLAIR", "İstanbul", "don't", "x2y", "日本語", "a", "ab", "_", "=1+1", "ﬁx",
  "\0z",
]

private func row(_ random: inout SplitMix, _ number: Int) -> [Value] {
  func text() -> String {
    (0..<random.below(4)).map { _ in words[random.below(words.count)] }.joined(
      separator: [" ", "-", "", "\n"][random.below(4)])
  }
  let list =
    "[" + (0..<random.below(3)).map { _ in JSONText.quoted(words[random.below(4)]) }.joined(separator: ",") + "]"
  func maybe(_ value: Value) -> Value { random.below(5) == 0 ? .null : value }
  return [
    .text(["A", "a", "B\0", ""][random.below(4)]), .integer(Int64(number)), maybe(.text(text())),
    maybe(.json(Array(list.utf8))), maybe(.real([0.0, -0.0, 1.5, -3][random.below(4)])),
    maybe(.number(Array(["1.10", "1e400", "2", "10"][random.below(4)].utf8))),
    maybe(.text(["1958", "1966-03", "1966-03-07"][random.below(3)])), maybe(.boolean(random.below(2) == 0)),
    maybe(.text("https://example.org/\(random.below(3))")), maybe(.text(time(&random))),
  ]
}

/// Timestamps that are close or equal, with up to 9 digits of fraction.
private func time(_ random: inout SplitMix) -> String {
  let digits = (0..<random.below(10)).map { _ in ["0", "0", "5"][random.below(3)] }.joined()
  return "2024-01-01T00:00:\(["00", "10"][random.below(2)])\(digits.isEmpty ? "" : "." + digits)Z"
}

private func condition(_ random: inout SplitMix) -> Condition {
  let ordered: [Condition.Operator] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual, .isIn]
  let comparison = ordered[random.below(ordered.count)]
  switch random.below(12) {
  case 0: return Condition("number", comparison, ["3", "10", "9007199254740993", "1.5", "1e1"][random.below(5)])
  case 1: return Condition("show", comparison, ["A", "B\0", ""][random.below(3)])
  case 2: return Condition("text", comparison, words[random.below(words.count)])
  case 3: return Condition("score", comparison, ["0", "-0.0", "1.5"][random.below(3)])
  case 4: return Condition("exact", comparison, ["1.1", "2", "1e400"][random.below(3)])
  case 5: return Condition("day", comparison, ["1958", "1966", "1966-03"][random.below(3)])
  case 6: return Condition("seen", random.below(2) == 0 ? .equal : .notEqual, "true")
  case 7: return Condition("names", random.below(2) == 0 ? .equal : .notEqual, words[random.below(4)])
  case 8:
    return Condition("text", random.below(2) == 0 ? .contains : .containsNot, ["strasse", "É", "1+1"][random.below(3)])
  case 9:
    return Condition(
      ["text", "score", "names", "number"][random.below(4)], random.below(2) == 0 ? .isNull : .isNotNull)
  case 10:
    let values = ["2024", "2024-01-01T00:00:10", "2024-01-01T01:00:00.50+01:00", time(&random)]
    return Condition("at", comparison, values[random.below(4)])
  default: return Condition("link", comparison, "https://example.org/\(random.below(3))")
  }
}

private func predicate(_ random: inout SplitMix, _ depth: Int) -> Predicate {
  guard depth > 0 else {
    guard random.below(6) == 0 else { return .condition(condition(&random)) }
    let columns = [["number", "number"], ["show", "text"], ["text", "link"], ["score", "number"]][random.below(4)]
    return .condition(Condition(columns[0], [.equal, .less, .notEqual][random.below(3)], column: columns[1]))
  }
  switch random.below(4) {
  case 0: return .all([predicate(&random, depth - 1), predicate(&random, depth - 1)])
  case 1: return .any([predicate(&random, depth - 1), predicate(&random, depth - 1)])
  case 2: return .not(predicate(&random, depth - 1))
  default: return predicate(&random, 0)
  }
}

private func selection(_ random: inout SplitMix) -> Selection {
  var selection = Selection()
  selection.conditions = (0..<random.below(3)).map { _ in condition(&random) }
  if random.below(2) == 0 { selection.predicates = [predicate(&random, 3)] }
  if random.below(3) == 0 { selection.alternatives = [[condition(&random), condition(&random)]] }
  if random.below(3) == 0 {
    selection.search = ["strasse", "ecl", "日", "x2 a", "", "-", "istanbul", "\"a\" OR b*"][random.below(8)]
  }
  if random.below(3) == 0 {
    selection.sort = [
      Selection.SortKey(["text", "number", "score", "at"][random.below(4)], descending: random.below(2) == 0)
    ]
  }
  if random.below(3) == 0 { selection.limit = random.below(6) }
  if random.below(4) == 0 { selection.offset = random.below(4) }
  if random.below(8) == 0 { (selection.sample, selection.seed) = (3, 7) }
  return selection
}

extension StoreLaw {
  /// The part of a selection that a store applies.
  static let pushdown: [StoreLaw] = [
    StoreLaw("a selection that is pushed down gives the rows that it gives of all") { it in
      var random = SplitMix(state: 20)
      for round in 0..<6 {
        let rows = (0..<40).map { it.held(row(&random, round * 30 + $0)) }
        var change = TableChange(sample, upserts: rows)
        if round > 0 { change.deletes = [[rows[0][0], .integer(Int64(round * 30 - 7))]] }
        if round % 2 == 0 {
          try await it.apply(change)
        } else {
          let stream = try await it.store.rows(of: sample.name, RowRequest())
          var load = TableLoad("load", time: "", sample, stream)
          load.replacesSource = true
          try await it.store.load(load)
          try await it.apply(change)
        }
        for _ in 0..<40 {
          let selection = selection(&random)
          let all = try await it.store.rows(of: sample.name, RowRequest())
          let some = try await it.store.rows(of: sample.name, RowRequest(selection: selection))
          let wanted = try await StoreUnderLaw.values(selection.apply(to: all, scratch: NoScratch()))
          let seen = try await StoreUnderLaw.values(selection.apply(to: some, scratch: NoScratch()))
          try it.expect(seen == wanted, "\(selection) gives \(seen.count) rows instead of \(wanted.count)")
        }
      }
    }
  ]
}
