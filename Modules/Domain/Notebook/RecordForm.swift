import Codecs
public import Rows

/// A record as editable text: `column: value`; continuation lines of a value are indented by two spaces; lines that
/// start with `#` are comments.
public struct RecordForm: Sendable {
  private let columns: [ColumnDescription]

  /// A form of these columns of a schema.
  public init(_ schema: Schema, _ columns: [String]) {
    self.columns = columns.compactMap { name in schema.position(of: name).map { schema.columns[$0] } }
  }

  /// The record's values, with `advice` above them.
  public func text(of record: Record, advice: [String] = []) -> [UInt8] {
    var text: [UInt8] = []
    func put(_ value: [UInt8], first: String, further: String) {
      for (position, line) in Self.lines(value).enumerated() {
        text += (position > 0 ? further : line.isEmpty ? String(first.dropLast()) : first).utf8 + line + [Self.lineFeed]
      }
    }
    for line in advice { put(Array(line.utf8), first: "# ", further: "# ") }
    for column in columns {
      put(Array(Self.text(record[column.name], column.type).utf8), first: "\(column.name): ", further: "  ")
    }
    return text
  }

  /// The changes between two texts of a form. Unchanged columns keep their stored value, including what a form cannot
  /// show.
  /// - Throws: like `assignments(_:)`.
  public func changes(from old: [UInt8], to new: [UInt8]) throws(Problem) -> [Assignment] {
    // An editor that ends every line with CR LF means nothing by it.
    let further = Self.lines(new).dropLast(), endsAsWindows = !further.isEmpty && further.allSatisfy { $0.last == 13 }
    func plain(_ text: [UInt8]) -> [UInt8] {
      guard endsAsWindows else { return text }
      var lines = Self.lines(text)
      for index in lines.indices { while lines[index].last == 13 { lines[index].removeLast() } }
      return Array(lines.joined(separator: [Self.lineFeed]))
    }
    let before = Set(try assignments(plain(old)))
    return try assignments(plain(new)).filter { !before.contains($0) }
  }

  /// The text as assignments to all columns of the form; a removed value is null.
  /// - Throws: `usage` for an unknown column, with the nearest name, and for a duplicate column.
  public func assignments(_ text: [UInt8]) throws(Problem) -> [Assignment] {
    var values: [String: [UInt8]] = [:], current: String?
    for (number, line) in Self.lines(text).enumerated() {
      if line.first == UInt8(ascii: "#") { continue }
      if line.starts(with: "  ".utf8), let column = current {
        values[column, default: []] += [Self.lineFeed] + line.dropFirst(2)
        continue
      }
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == 13 }) {
        // An empty line within a text of several.
        if let column = current, values[column]?.isEmpty == false { values[column, default: []].append(Self.lineFeed) }
        continue
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        throw Problem(.usage, "line \(number + 1): expected “column: value”", hint: "indent continuation lines")
      }
      let name = String(decoding: line[..<colon], as: UTF8.self)
      guard columns.contains(where: { $0.name == name }) else {
        throw Problem(
          .usage, "line \(number + 1): unknown column “\(name)”",
          hint: .nearest(name, among: columns.map(\.name)) ?? "indent continuation lines")
      }
      guard values[name] == nil else {
        throw Problem(.usage, "line \(number + 1): duplicate column \(name)", hint: "indent continuation lines")
      }
      values[name] = Array(line[line.index(after: colon)...].drop { $0 == UInt8(ascii: " ") })
      current = name
    }
    return try columns.map { column throws(Problem) in
      var value = values[column.name] ?? []
      while let last = value.last, last == Self.lineFeed || last == UInt8(ascii: " ") { value.removeLast() }
      return value.isEmpty && column.isNullable
        ? Assignment(unset: column.name)
        : try Assignment(parsing: "\(column.name)=\(String(decoding: value, as: UTF8.self))")
    }
  }

  private static let lineFeed = UInt8(ascii: "\n")

  /// Lines as every editor knows them; as Characters, CR LF and a line feed before an accent are others.
  private static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    text.split(separator: lineFeed, omittingEmptySubsequences: false)
  }

  /// The elements separated by `; `, or the JSON array if that text would be read as another list.
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
