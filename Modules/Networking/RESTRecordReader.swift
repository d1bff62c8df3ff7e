import Codecs
import Domain
import Rows

/// Makes rows of a dataset out of a source's records.
struct RESTRecordReader {
  let dataset: APIDataset
  private let columns: [RESTColumnReader?]
  private let isAsWritten: Bool
  private let report: @Sendable (String) -> Void
  /// Nothing is counted yet.
  private let members: RESTMembers

  /// - Throws: `configuration` for a selector that is not a JSON Pointer.
  init(
    _ dataset: APIDataset, asWritten: Bool, report: @escaping @Sendable (String) -> Void
  ) throws(Problem) {
    self.dataset = dataset
    isAsWritten = asWritten
    self.report = report
    var columns: [RESTColumnReader?] = []
    for column in dataset.schema.columns {
      guard let source = dataset.columns.first(where: { $0.name == column.name }) else {
        columns.append(nil)
        continue
      }
      columns.append(try RESTColumnReader(column, source, asWritten: asWritten))
    }
    self.columns = columns
    // What completes the rows may be in the list as well.
    members = try RESTMembers(
      dataset.columns, others: dataset.ignored + dataset.supplements.flatMap { $0.columns.map(\.from) })
  }

  /// The validated rows of the records of a list's responses; then the responses are confirmed.
  /// - Throws: `badData` with record and column.
  func rows(of answers: [RESTAnswer]) throws(Problem) -> RESTRows {
    var part = RESTRows(members: members)
    for answer in answers {
      for (position, record) in answer.records.enumerated() {
        part.members.add(record)
        part.rows.append(try row(of: record, position + 1, answer, &part.notes))
      }
    }
    for answer in answers { answer.believe() }
    return part
  }

  /// All rows in key order; reports anomalies.
  /// - Parameter isPartial: whether only some of the records were asked for.
  func whole(_ parts: [RESTRows], isPartial: Bool) -> (rows: [[Value]], findings: [MemberFinding]) {
    var rows: [[Value]] = []
    rows.reserveCapacity(parts.reduce(0) { $0 + $1.rows.count })
    var notes = RESTNotes(), members = self.members
    for part in parts {
      rows += part.rows
      notes.add(part.notes)
      members.add(part.members)
    }
    count(&rows, &notes)
    sort(&rows)
    if !isAsWritten { for line in notes.lines(dataset.schema.name) { report(line) } }
    return (rows, members.findings(dataset.schema.name, isPartial: isPartial))
  }

  /// The rows in batches of the usual size.
  func batches(of rows: [[Value]]) -> [RowBatch] {
    var batches: [RowBatch] = []
    var builder = RowBatchBuilder(width: dataset.schema.width)
    for row in rows {
      for value in row { builder.append(value: value) }
      if builder.isFull { batches.append(builder.takeBatch()) }
    }
    if builder.count > 0 { batches.append(builder.finish()) }
    return batches
  }

  /// One record as a row. A missing required value is an error.
  private func row(
    of record: JSON, _ number: Int, _ answer: RESTAnswer, _ notes: inout RESTNotes
  ) throws(Problem) -> [Value] {
    guard case .object = record else {
      throw Problem(
        .badData,
        "record \(number): expected an object, got \(record.kindName): \(RESTText.firstWords(record.canonicalBytes))",
        at: URLText.redacted(answer.url))
    }
    var row: [Value] = []
    row.reserveCapacity(columns.count)
    for position in columns.indices {
      guard let reader = columns[position] else {
        row.append(.null)
        continue
      }
      do throws(Problem) {
        let value = try reader.value(in: record, place: number, parent: answer.parent, &notes)
        if value == .null, !dataset.schema.columns[position].isNullable, !isAsWritten {
          throw Problem(.badData, "missing value")
        }
        row.append(value)
      } catch {
        throw Problem(
          .badData,
          "record \(number)\(identity(row)), \(dataset.schema.columns[position].name): \(error.message)",
          at: URLText.redacted(answer.url), hint: error.hint)
      }
    }
    return row
  }

  /// The key of a row as far as it is read, for messages.
  private func identity(_ row: [Value]) -> String {
    guard let first = dataset.schema.key.first, first < row.count else { return "" }
    return " (\(dataset.schema.columns[first].name) \(Self.shown(row[first])))"
  }

  /// Counts the records that share a key where the dataset has a column for that; elsewhere says that they do.
  private func count(_ rows: inout [[Value]], _ notes: inout RESTNotes) {
    let schema = dataset.schema
    let counter = dataset.occurrence.flatMap(schema.position)
    let key = schema.key.filter { $0 != counter }
    guard !key.isEmpty else { return }
    notes.counter = dataset.occurrence
    notes.keyName = key.map { schema.columns[$0].name }.joined(separator: ", ")
    // Most sources give each key once, and in order.
    if counter == nil, rows.indices.dropFirst().allSatisfy({ precedes(rows[$0 - 1], rows[$0], by: key) == true }) {
      return
    }
    var seen: [[Value]: Int64] = [:]
    for position in rows.indices {
      let values = key.map { rows[position][$0] }
      let times = (seen[values] ?? 0) + 1
      seen[values] = times
      if let counter { rows[position][counter] = .integer(times) }
      if times == 2 { notes.repeatedKeys.append(values.map(Self.shown).joined(separator: " ")) }
    }
  }

  /// Sorts rows by their key; those that share one stay in their order.
  private func sort(_ rows: inout [[Value]]) {
    let key = dataset.schema.key
    guard rows.indices.dropFirst().contains(where: { precedes(rows[$0], rows[$0 - 1], by: key) == true }) else {
      return
    }
    rows = rows.enumerated().sorted { precedes($0.element, $1.element, by: key) ?? ($0.offset < $1.offset) }
      .map(\.element)
  }

  /// Whether one row comes before another; nil for rows of one key.
  private func precedes(_ a: [Value], _ b: [Value], by key: [Int]) -> Bool? {
    for position in key where a[position] != b[position] { return Self.precedes(a[position], b[position]) }
    return nil
  }

  /// The order of keys: numbers by value, texts by bytes.
  private static func precedes(_ a: Value, _ b: Value) -> Bool {
    switch (a, b) {
    case (.integer(let a), .integer(let b)): a < b
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    case (.real(let a), .real(let b)): a < b
    case (.boolean(let a), .boolean(let b)): !a && b
    default: rank(a) < rank(b)
    }
  }
  private static func rank(_ value: Value) -> Int {
    switch value {
    case .null: 9
    case .boolean: 0
    case .integer, .real, .number: 1
    case .text: 2
    case .bytes, .json: 3
    }
  }

  /// A key's value in a message.
  private static func shown(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): String(value)
    case .integer(let value): String(value)
    case .real(let value): String(value)
    case .number(let bytes), .text(let bytes), .json(let bytes), .bytes(let bytes): RESTText.firstWords(bytes)
    }
  }
}

/// The rows of some responses, and their anomalies.
struct RESTRows {
  var rows: [[Value]] = []
  var notes = RESTNotes()
  var members: RESTMembers
}

/// The anomalies in the records of one request that were accepted, one line per kind.
struct RESTNotes {
  /// The key's columns.
  var keyName = ""
  /// The column that tells records of one key apart.
  var counter: String?
  /// Duplicate keys.
  var repeatedKeys: [String] = []
  /// Listed records without details.
  var withoutFurther: [String] = []
  /// Records without details now that had them before.
  var keptFurther: [String] = []
  /// By column: texts that were nonsense and became null, with how often.
  var invalid: [String: [String]] = [:]
  /// By column: words that are none of those known.
  var unknownWords: [String: [String]] = [:]

  /// Adds the anomalies of more records.
  mutating func add(_ other: RESTNotes) {
    repeatedKeys += other.repeatedKeys
    withoutFurther += other.withoutFurther
    keptFurther += other.keptFurther
    invalid.merge(other.invalid) { $0 + $1 }
    unknownWords.merge(other.unknownWords) { $0 + $1 }
  }

  /// The reportings.
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
    for (column, words) in unknownWords.sorted(by: { $0.key < $1.key }) {
      lines.append("\(dataset): unexpected values of \(column), kept unchanged: \(Self.list(words))")
    }
    return lines
  }

  /// Words with commas and an “and”; each once, at most ten.
  private static func list(_ words: [String]) -> String {
    var distinct: [String] = []
    for word in words where !distinct.contains(word) { distinct.append(word) }
    if distinct.count > 10 { return distinct.prefix(10).joined(separator: ", ") + " and \(distinct.count - 10) more" }
    guard let last = distinct.popLast() else { return "" }
    return distinct.isEmpty ? last : distinct.joined(separator: ", ") + " and " + last
  }
}
