import Codecs
public import Rows

/// The rows of a dataset as JSON, to be compared with those that were expected.
public struct RecordedRows: Sendable {
  private let dataset: String
  private let key: [String]
  private let rows: [JSON]

  /// Reads all rows of a stream.
  public init(_ stream: any RowStream) async throws(Problem) {
    let schema = stream.schema
    var rows: [JSON] = []
    while let batch = try await stream.next()?.batch() {
      for row in 0..<batch.count {
        rows.append(
          .object(
            schema.columns.enumerated().map { position, column in
              JSON.Member(Array(column.name.utf8), JSON(batch.value(row, position)))
            }))
      }
    }
    (dataset, self.rows) = (schema.name, rows)
    key = schema.key.map { schema.columns[$0].name }
  }

  /// The number of rows.
  public var count: Int { rows.count }
  /// The rows as text.
  public var bytes: [UInt8] { JSON.array(rows).indentedBytes() }

  /// The differences from expected rows, one line for each cell, and each row that only one of them has.
  /// - Throws: `badData` if the expected rows are not a JSON array of objects.
  public func differences(from expected: [UInt8], name: String) throws(Problem) -> [String] {
    let wanted = try JSON.parse(expected, name: name)
    guard let wanted = wanted.arrayValue, wanted.allSatisfy({ $0.objectMembers != nil }) else {
      throw Problem(.badData, "expected an array of objects", at: name)
    }
    var differences: [String] = [], others: [String: [JSON]] = [:]
    for (position, row) in rows.enumerated() { others[identity(row, position), default: []].append(row) }
    for (position, row) in wanted.enumerated() {
      let identity = identity(row, position)
      guard let found = others[identity]?.first else {
        differences.append("\(dataset) \(identity): the row is missing")
        continue
      }
      others[identity]?.removeFirst()
      let names = (row.objectMembers ?? []).map(\.name)
      let added = (found.objectMembers ?? []).map(\.name).filter { !names.contains($0) }
      for name in names + added {
        let old = row[name], new = found[name]
        guard old != new else { continue }
        differences.append(
          "\(dataset) \(identity), \(name): expected \(old.map(RESTText.value) ?? "no such column"), "
            + "found \(new.map(RESTText.value) ?? "no such column")")
      }
    }
    for (position, row) in rows.enumerated() where others[identity(row, position)]?.isEmpty == false {
      let identity = identity(row, position)
      others[identity]?.removeFirst()
      differences.append("\(dataset) \(identity): unexpected row")
    }
    return differences
  }

  /// The key of a row, or its number.
  private func identity(_ row: JSON, _ position: Int) -> String {
    guard !key.isEmpty else { return "row \(position + 1)" }
    return key.map { RESTText.shown(row[$0] ?? .null) }.joined(separator: " ")
  }
}
