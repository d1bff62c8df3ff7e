import Codecs
import Domain
import Rows

/// Makes rows of a dataset out of a source's records.
struct RESTRecordReader {
  let dataset: APIDataset
  /// The schema of the rows, which have the links of detail requests after the dataset's columns.
  let rowSchema: Schema
  let columns: [RESTColumnReader?]
  private let links: [JSONPointer]
  private let isAsWritten: Bool
  private let errorLimit: Int
  /// Whether records are kept that lack the members of a column.
  private let keepsSamples: Bool
  private static let mostSamples = 50
  /// Nothing is counted yet.
  let members: RESTMembers

  /// - Parameters:
  ///   - keepsSamples: whether records are kept that lack the members of a column.
  ///   - errorLimit: the most errors of a response that are reported, at least 1.
  /// - Throws: `configuration` for a selector that is not a JSON Pointer.
  init(_ dataset: APIDataset, asWritten: Bool, errorLimit: Int, keepsSamples: Bool = false) throws(Problem) {
    self.dataset = dataset
    self.keepsSamples = keepsSamples
    isAsWritten = asWritten
    self.errorLimit = max(1, errorLimit)
    var columns: [RESTColumnReader?] = []
    for column in dataset.schema.columns {
      guard let source = dataset.columns.first(where: { $0.name == column.name }) else {
        columns.append(nil)
        continue
      }
      columns.append(try RESTColumnReader(column, source, asWritten: asWritten))
    }
    self.columns = columns
    var links: [JSONPointer] = [], pointers: [String] = []
    for pointer in dataset.supplements.compactMap(\.link) {
      links.append(try JSONPointer(pointer))
      pointers.append(pointer)
    }
    self.links = links
    let hidden = pointers.indices.map { ColumnDescription("#url\($0)", .text) }
    let schema = dataset.schema
    rowSchema =
      hidden.isEmpty
      ? schema
      : Schema(
        schema.name, schema.summary, key: schema.key.map { schema.columns[$0].name }, columns: schema.columns + hidden)
    // What completes the rows may be in the list as well.
    members = try RESTMembers(
      dataset.columns,
      others: dataset.ignored + pointers + dataset.supplements.flatMap { $0.columns.flatMap(\.pointers) })
  }

  /// The validated rows of a page.
  /// - Throws: `badData` with record and column, for up to `errorLimit` records.
  func rows(of page: RESTPage) throws(Problem) -> RESTRows {
    var part = RESTRows(members: members), problems: [Problem] = []
    part.rows.reserveCapacity(page.records.count)
    for (position, record) in page.records.enumerated() {
      part.members.add(record.value)
      do throws(Problem) {
        if let row = try row(of: record, position + 1, page.context, &part.notes) {
          part.rows.append(row)
          if keepsSamples, part.samples.count < Self.mostSamples {
            part.samples.append(RESTDriftSample(key: dataset.schema.key.map { row[$0] }, record: record))
          }
        }
      } catch {
        problems.append(error)
        if problems.count >= errorLimit { break }
      }
    }
    // Mostly every column finds its member.
    if keepsSamples, !dataset.columns.contains(where: part.members.lacks) { part.samples = [] }
    if var first = problems.first {
      first.others = Array(problems.dropFirst())
      throw first
    }
    return part
  }

  /// The rows in batches of the usual size.
  func batches(of rows: [[Value]]) -> [RowBatch] {
    var batches: [RowBatch] = []
    var builder = RowBatchBuilder(width: rowSchema.width)
    for row in rows {
      for value in row { builder.append(value: value) }
      if builder.isFull { batches.append(builder.takeBatch()) }
    }
    if builder.count > 0 { batches.append(builder.takeBatch()) }
    return batches
  }

  /// One record as a row; nil if it is to be skipped. A missing required value is an error.
  private func row(
    of record: RESTRecord, _ number: Int, _ context: RESTContext, _ notes: inout RESTNotes
  ) throws(Problem) -> [Value]? {
    if dataset.recordForm == .list, !context.isXML, dataset.explode.isEmpty, record.value.objectMembers == nil {
      throw Problem(
        .badData,
        "record \(number): expected an object, got \(record.value.kindName): "
          + RESTText.firstWords(record.value.canonicalBytes),
        at: URLText.redacted(context.url))
    }
    var row: [Value] = []
    row.reserveCapacity(columns.count + links.count)
    for position in columns.indices {
      guard let reader = columns[position] else {
        row.append(.null)
        continue
      }
      do throws(Problem) {
        guard let value = try reader.value(in: record, place: number, context, &notes) else { return nil }
        if value == .null, !dataset.schema.columns[position].isNullable, !isAsWritten {
          throw Problem(.badData, "missing value")
        }
        row.append(value)
      } catch {
        throw Problem(
          .badData,
          "record \(number)\(identity(row)), \(dataset.schema.columns[position].name): \(error.message)",
          at: URLText.redacted(context.url), hint: error.hint)
      }
    }
    return row + linked(record)
  }

  func linked(_ record: RESTRecord) -> [Value] {
    links.map { record.value.value(at: $0)?.elementText.stringBytes.map { .text($0) } ?? .null }
  }

  /// The key of a row as far as it is read, for messages.
  private func identity(_ row: [Value]) -> String {
    guard let first = dataset.schema.key.first, first < row.count else { return "" }
    return " (\(dataset.schema.columns[first].name) \(Self.shown(row[first])))"
  }

  // MARK: - Keys

  /// Counts the records that share a key where the dataset has a column for that; elsewhere notes that they do.
  func count(_ rows: inout [[Value]], _ notes: inout RESTNotes) {
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
  func sort(_ rows: inout [[Value]]) {
    let key = dataset.schema.key
    guard rows.indices.dropFirst().contains(where: { precedes(rows[$0], rows[$0 - 1], by: key) == true }) else {
      return
    }
    rows = rows.enumerated().sorted { precedes($0.element, $1.element, by: key) ?? ($0.offset < $1.offset) }
      .map(\.element)
  }

  /// Whether one row comes before another; nil for rows of one key.
  func precedes(_ a: [Value], _ b: [Value], by key: [Int]) -> Bool? {
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
  static func shown(_ value: Value) -> String {
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
struct RESTRows: Sendable {
  var rows: [[Value]] = []
  var notes = RESTNotes()
  var members: RESTMembers
  /// Some records, if a column found its member in none.
  var samples: [RESTDriftSample] = []
  /// Whether the members were compared with the stored rows.
  var isCompared = false
}
