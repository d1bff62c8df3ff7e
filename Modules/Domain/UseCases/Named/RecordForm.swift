/// A record as text that a person edits: `column: value`, further lines of a value indented by two spaces; lines that begin with `#` are advice.
public struct RecordForm: Sendable {
  private let columns: [ColumnDescription]

  /// A form of these columns of a schema.
  public init(_ schema: Schema, _ columns: [String]) {
    self.columns = columns.compactMap { name in schema.position(of: name).map { schema.columns[$0] } }
  }

  /// The record's values, with `advice` above them.
  public func text(of record: StoredRecord, advice: [String] = []) -> [UInt8] {
    var text = ""
    for line in advice { text += "# \(line)\n" }
    for column in columns {
      let value = Self.text(record[column.name], column.type)
      let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
      text += "\(column.name):" + (lines.first.map { $0.isEmpty ? "" : " \($0)" } ?? "") + "\n"
      for line in lines.dropFirst() { text += "  \(line)\n" }
    }
    return Array(text.utf8)
  }

  /// What a person has changed between two texts of a form. What is the same in both stays as it is kept, whatever a form cannot show of it.
  /// - Throws: as `assignments(_:)`.
  public func changes(from old: [UInt8], to new: [UInt8]) throws(Problem) -> [Assignment] {
    let before = Set(try assignments(old))
    return try assignments(new).filter { !before.contains($0) }
  }

  /// What a person wrote, as assignments of all columns of the form; a value that was removed is null.
  /// - Throws: `usage` for a line that is no column's, with the nearest right name.
  public func assignments(_ text: [UInt8]) throws(Problem) -> [Assignment] {
    var values: [String: String] = [:], current: String?
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      if line.hasPrefix("#") { continue }
      if line.hasPrefix("  "), let column = current {
        values[column, default: ""] += "\n" + line.dropFirst(2)
        continue
      }
      if line.allSatisfy({ $0 == " " || $0 == "\r" }) {
        // An empty line within a text of several.
        if let column = current, values[column]?.isEmpty == false { values[column, default: ""] += "\n" }
        continue
      }
      guard let colon = line.firstIndex(of: ":") else {
        throw Problem(.usage, "line \(number + 1) is no “column: value”", hint: "indent further lines of a text")
      }
      let name = String(line[..<colon])
      guard columns.contains(where: { $0.name == name }) else {
        let near = Nearest.word(to: name, among: columns.map(\.name)).map { "did you mean \($0)?" }
        throw Problem(.usage, "line \(number + 1): no column “\(name)”", hint: near ?? "indent further lines of a text")
      }
      values[name] = String(line[line.index(after: colon)...].drop { $0 == " " })
      current = name
    }
    return try columns.map { column throws(Problem) in
      var value = values[column.name] ?? ""
      while let last = value.last, last == "\n" || last == " " { value.removeLast() }
      return value.isEmpty && column.isNullable
        ? Assignment(unset: column.name) : try Assignment(parsing: "\(column.name)=\(value)")
    }
  }

  /// Elements parted by `; `; the list as it is kept where that would be read as another.
  private static func list(_ elements: [String], _ array: [UInt8]) -> String {
    let isPlain = elements.allSatisfy { element in
      !element.isEmpty && !element.contains("; ") && element.first != " " && element.last != " " && element.last != ";"
        && !element.utf8.contains { $0 < 0x20 }
    }
    return isPlain && elements.first?.hasPrefix("[\"") != true
      ? elements.joined(separator: "; ") : String(decoding: array, as: UTF8.self)
  }

  private static func text(_ value: Value, _ type: ColumnType) -> String {
    switch value {
    case .null: ""
    case .text(let bytes), .number(let bytes): String(decoding: bytes, as: UTF8.self)
    case .json(let bytes):
      if case .list = type {
        list(ListText.elements(of: bytes), bytes)
      } else {
        String(decoding: bytes, as: UTF8.self)
      }
    case .integer(let number): String(number)
    case .real(let number): "\(number)"
    case .boolean(let truth): String(truth)
    case .bytes: ""
    }
  }
}
