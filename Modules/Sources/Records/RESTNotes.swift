import Domain
import Rows

/// The anomalies in the records of one request that were accepted, one line per kind.
struct RESTNotes: Sendable {
  var keyName = ""
  /// The column that tells records of one key apart.
  var counter: String?
  var repeatedKeys: [String] = []
  /// Listed records without details.
  var withoutFurther: [String] = []
  /// Records without details now that had them before.
  var keptFurther: [String] = []
  /// By column: values that are invalid and became null, with how often.
  var invalid: [String: [String]] = [:]
  /// By column: values that are invalid, whose records were skipped.
  var skipped: [String: [String]] = [:]
  /// By column: the number of values that did not fit.
  var misfits: [String: Int] = [:]
  /// By column: known formats, which the column does not have, of texts that did not fit, with a text.
  var otherFormats: [String: [String: String]] = [:]
  /// By column: local times that the clock of the zone showed twice.
  var ambiguous: [String: [String]] = [:]
  /// By column: words that are none of those known.
  var unknownWords: [String: [String]] = [:]

  /// Adds the anomalies of more records.
  mutating func add(_ other: RESTNotes) {
    repeatedKeys += other.repeatedKeys
    withoutFurther += other.withoutFurther
    keptFurther += other.keptFurther
    invalid.merge(other.invalid) { $0 + $1 }
    skipped.merge(other.skipped) { $0 + $1 }
    misfits.merge(other.misfits, uniquingKeysWith: +)
    otherFormats.merge(other.otherFormats) { $0.merging($1) { first, _ in first } }
    ambiguous.merge(other.ambiguous) { $0 + $1 }
    unknownWords.merge(other.unknownWords) { $0 + $1 }
  }

  func lines(_ dataset: String) -> [String] {
    var lines: [String] = []
    if !repeatedKeys.isEmpty {
      lines.append(
        "\(dataset): \(keyName)\(repeatedKeys.count == 1 ? "" : "s") \(Self.list(repeatedKeys)) "
          + "\(repeatedKeys.count == 1 ? "occurs" : "occur") more than once; all records were kept"
          + (counter.map { ", distinguished by \($0)" } ?? ""))
    }
    if !withoutFurther.isEmpty {
      lines.append("\(dataset): no details available for \(Self.list(withoutFurther)); those columns are null")
    }
    if !keptFurther.isEmpty {
      lines.append("\(dataset): no details available for \(Self.list(keptFurther)); keeping the stored values")
    }
    for (column, texts) in invalid.sorted(by: { $0.key < $1.key }) {
      lines.append(
        "\(dataset): replaced \(texts.count) invalid \(texts.count == 1 ? "value" : "values") of \(column) with null: "
          + "\(Self.list(texts))"
      )
    }
    for (column, texts) in skipped.sorted(by: { $0.key < $1.key }) {
      let records = texts.count == 1 ? "1 record with an invalid value" : "\(texts.count) records with invalid values"
      lines.append("\(dataset): skipped \(records) of \(column): \(Self.list(texts))")
    }
    for (column, texts) in ambiguous.sorted(by: { $0.key < $1.key }) {
      let values = texts.count == 1 ? "1 local time" : "\(texts.count) local times"
      lines.append("\(dataset): \(values) of \(column) occurred twice, using the first: \(Self.list(texts))")
    }
    for (column, words) in unknownWords.sorted(by: { $0.key < $1.key }) {
      lines.append("\(dataset): unexpected values of \(column), kept unchanged: \(Self.list(words))")
    }
    return lines
  }

  /// Words with commas and an “and”; each once, at most ten.
  static func list(_ words: [String]) -> String {
    var distinct: [String] = [], known: Set<String> = []
    for word in words where known.insert(word).inserted { distinct.append(word) }
    if distinct.count > 10 { return distinct.prefix(10).joined(separator: ", ") + " and \(distinct.count - 10) more" }
    guard let last = distinct.popLast() else { return "" }
    return distinct.isEmpty ? last : distinct.joined(separator: ", ") + " and " + last
  }

  /// The findings about values that do not fit their columns: at least 5 % of a column, or in a known format.
  func findings(_ dataset: APIDataset, records: Int) -> [MemberFinding] {
    var findings: [MemberFinding] = []
    for (name, count) in misfits.sorted(by: { $0.key < $1.key }) {
      guard let column = dataset.columns.first(where: { $0.name == name }) else { continue }
      if count * 20 >= records, records >= 20 {
        var finding = MemberFinding(.retyped, in: dataset.schema.name, column.from, count: count)
        finding.column = name
        findings.append(finding)
      }
      for (format, text) in (otherFormats[name] ?? [:]).sorted(by: { $0.key < $1.key }) {
        var finding = MemberFinding(.format, in: dataset.schema.name, column.from, count: count)
        finding.column = name
        finding.detail = "values of \(name) are in the format \(format), for example \(text); add it to “formats”"
        findings.append(finding)
      }
    }
    return findings
  }
}
