import Query
import Codecs
import Rows

extension CheckRule {
  /// Records with the same key. A column that numbers duplicates is not part of the key.
  static let duplicateKey = CheckRule("duplicate-key", "records with the same identifier") { table, _ in
    let key = table.key.filter { table.columns[$0].name != "occurrence" }
    guard !key.isEmpty else { return [] }
    let names = key.map { table.columns[$0].name }
    return groups(table) { row in key.map { table.value(row, $0) } }.map { rows in
      let value = key.map { table.value(rows[0], $0).plainText }.joined(separator: [UInt8(ascii: "/")])
      return CheckFinding(
        record: table.record(rows[0]), column: names.joined(separator: ", "), value: Array(value), count: rows.count,
        "\(rows.count) records share this \(names.joined(separator: ", "))")
    }
  }

  /// Records that are called the same, or say the same.
  static let duplicates: [CheckRule] = [
    ("duplicate-name", "characters with the same name", "characters", ["name"], "characters share this name"),
    (
      "duplicate-title", "episodes of a show with the same title", "episodes", ["production", "title"],
      "episodes share this title"
    ),
    ("duplicate-title", "movies with the same title", "movies", ["title"], "movies share this title"),
    (
      "duplicate-text", "identical quotes by the same character", "quotes", ["character", "quote"],
      "quotes share this text"
    ),
  ].map { name, summary, dataset, columns, words in
    CheckRule(name, summary, in: dataset) { table, _ in
      let positions = columns.compactMap(table.position)
      guard positions.count == columns.count, let last = positions.last else { return [] }
      return groups(table) { row in
        let values = positions.map { table.texts(row, $0).first.map { Value.text(Fold.folded($0)) } ?? .null }
        return values.last == .null ? nil : values
      }.map { rows in
        CheckFinding(
          record: table.record(rows[0]), column: columns[columns.count - 1], value: table.texts(rows[0], last).first,
          count: rows.count, "\(rows.count) \(words): \(listed(rows.map { table.record($0) }))")
      }
    }
  }

  /// Rows that share what `key` makes of them, in groups of two and more, in the order of their first; nil groups with
  /// nothing.
  private static func groups(_ table: CheckTable, by key: (Int) -> [Value]?) -> [[Int]] {
    var rows: [[Value]: [Int]] = [:]
    for row in 0..<table.count {
      if let key = key(row) { rows[key, default: []].append(row) }
    }
    return rows.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
  }

  /// Keys in a sentence, at most five of them.
  static func listed(_ keys: [[UInt8]]) -> String {
    let texts = keys.prefix(5).map { String(decoding: $0, as: UTF8.self) }
    return texts.joined(separator: ", ") + (keys.count > 5 ? " and \(keys.count - 5) more" : "")
  }
}
