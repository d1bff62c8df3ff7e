import Codecs
public import Rows

/// The path of a partitioned output: `out/production={production}/part-{n}.parquet`.
///
/// `{COLUMN}` is the value of a column, `{n}` the number of the file within its partition, from 0, and `{date}` the
/// date of the export; `{{` is a brace. A directory `COLUMN={COLUMN}` is a Hive partition: readers take the column from
/// it, and the files do not contain it.
public struct PathPattern: Sendable, Hashable {
  private enum Piece: Sendable, Hashable {
    case text(String), column(Int), number, date
  }
  private let pieces: [Piece]
  /// The columns in the path, in their order, each once.
  public let columns: [String]
  /// The columns that only the path has.
  public let hiveColumns: [String]
  /// Whether a partition may have several files.
  public var isNumbered: Bool { pieces.contains(.number) }
  /// The directory above the first placeholder, without a trailing slash; `.` for the current one.
  public let root: String

  /// The text of a null value in a path.
  static let null = "__HIVE_DEFAULT_PARTITION__"

  /// Parses a path; nil if it has no placeholder.
  /// - Throws: `usage` for an unterminated or empty placeholder.
  public init?(_ path: String) throws(Problem) {
    // By code points: a value or a name may begin with a combining mark.
    var pieces: [Piece] = [], columns: [String] = [], text = ""
    var hive: [String] = [], rest = path.unicodeScalars[...]
    while let next = rest.popFirst() {
      guard next == "{" else {
        if next == "}", rest.first == "}" { rest.removeFirst() }
        text.unicodeScalars.append(next)
        continue
      }
      if rest.first == "{" {
        rest.removeFirst()
        text.append("{")
        continue
      }
      guard let end = rest.firstIndex(where: { $0 == "}" }), end > rest.startIndex else {
        throw Problem(.usage, "invalid placeholder in “\(path)”", hint: "use {COLUMN}, {n} or {date}; {{ is a brace")
      }
      let name = String(rest[..<end])
      rest = rest[rest.index(after: end)...]
      let isHive = rest.first == "/" ? try Self.isHive(text, name) : false
      if !text.isEmpty { pieces.append(.text(text)) }
      text = ""
      switch (name, isHive) {
      case ("n", false): pieces.append(.number)
      case ("date", false): pieces.append(.date)
      default:
        if isHive, !Self.contains(hive, name) { hive.append(name) }
        if !Self.contains(columns, name) { columns.append(name) }
        pieces.append(.column(columns.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? 0))
      }
    }
    if !text.isEmpty { pieces.append(.text(text)) }
    guard pieces.contains(where: { if case .text = $0 { false } else { true } }) else { return nil }
    (self.pieces, self.columns, hiveColumns) = (pieces, columns, hive)
    var before = ""
    if case .text(let text)? = pieces.first { before = text }
    let slash = before.utf8.lastIndex(of: UInt8(ascii: "/"))
    root = slash.map { $0 == before.startIndex ? "/" : String(before[..<$0]) } ?? "."
  }

  /// Whether a directory whose name begins with the end of a text, `COLUMN=`, is read back as a column.
  /// - Throws: `usage` if it would be read back as another one.
  private static func isHive(_ text: String, _ column: String) throws(Problem) -> Bool {
    let start = text.utf8.lastIndex(of: UInt8(ascii: "/")).map { text.utf8.index(after: $0) } ?? text.startIndex
    let name = text[start...].utf8
    guard name.last == UInt8(ascii: "=") else { return false }
    let literal = name.dropLast(), end = literal.firstIndex(of: UInt8(ascii: "=")) ?? literal.endIndex
    if end == literal.endIndex, unescaped(String(Substring(literal))) == Array(column.utf8) { return true }
    guard literal.elementsEqual(column.utf8) || column.utf8.starts(with: name) else { return false }
    throw Problem(
      .usage, "the directories “\(column)=” would be read back as another column",
      hint: "use \(escaped(Array(column.utf8)))={\(column)}")
  }

  /// The path as it is parsed.
  public var text: String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text.replacing("{", with: "{{").replacing("}", with: "}}")
      case .column(let column): "{\(columns[column])}"
      case .number: "{n}"
      case .date: "{date}"
      }
    }.joined()
  }

  /// A path without placeholders, in which `{{` and `}}` are braces.
  public static func plainPath(_ path: String) -> String {
    path.replacing("{{", with: "{").replacing("}}", with: "}")
  }

  /// The files of a table: Hive partitions by columns, with the files `before{n}after`.
  package init(partitionedBy columns: [String], before: String, after: String) {
    (self.columns, hiveColumns, root) = (columns, columns, ".")
    let directories = columns.enumerated().flatMap { position, column -> [Piece] in
      [.text((position > 0 ? "/" : "") + Self.escaped(Array(column.utf8)) + "="), .column(position)]
    }
    pieces = directories + [.text((columns.isEmpty ? "" : "/") + before), .number, .text(after)]
  }

  /// Whether only the path has a column.
  package func isHive(_ column: String) -> Bool { Self.contains(hiveColumns, column) }

  /// Byte for byte: é in one code point and in two are two columns.
  private static func contains(_ names: [String], _ name: String) -> Bool {
    names.contains { $0.utf8.elementsEqual(name.utf8) }
  }

  /// The path of a file.
  /// - Parameters:
  ///   - values: the value of each of `columns`.
  ///   - number: the number of the file within its partition.
  ///   - date: the date of the export.
  /// - Throws: `badData` for a value that cannot be part of a path.
  public func path(_ values: [PartitionValue], number: Int, date: String) throws(Problem) -> String {
    var path = ""
    for piece in pieces {
      switch piece {
      case .text(let text): path += text
      case .column(let column):
        try check(values[column])
        path += Self.escaped(values[column], after: path)
      case .number: path += String(number)
      case .date: path += date
      }
    }
    for component in path.utf8.split(separator: UInt8(ascii: "/")).suffix(32) {
      if component.count > 255 {
        throw Problem(.badData, "the name of a partition is longer than 255 bytes: \(Substring(component))")
      }
      if component.elementsEqual("%2E".utf8) || component.elementsEqual("%2E.".utf8) {
        throw Problem(.badData, "the value “.\(Substring(component.dropFirst(3)))” cannot be the name of a partition")
      }
    }
    return path
  }

  private func check(_ value: PartitionValue) throws(Problem) {
    guard let text = value.text else { return }
    if text.isEmpty {
      throw Problem(
        .badData, "column \(value.column): an empty text cannot be part of a path, because readers take it for null",
        hint: "exclude these rows, or choose another column")
    }
    if text.elementsEqual(Self.null.utf8) {
      throw Problem(
        .badData, "column \(value.column): “\(Self.null)” cannot be part of a path: it means null",
        hint: "exclude these rows, or choose another column")
    }
  }

  /// A value in a path that so far is `path`. A dot or an underscore that begins a name is escaped: readers skip such
  /// files and directories.
  private static func escaped(_ value: PartitionValue, after path: String) -> String {
    let text = value.text.map(escaped) ?? null
    let dot = UInt8(ascii: "."), line = UInt8(ascii: "_")
    guard path.utf8.last ?? 47 == 47, let first = text.utf8.first, first == dot || first == line else { return text }
    return (first == dot ? "%2E" : "%5F") + Substring(text.utf8.dropFirst())
  }

  /// A value as Hive writes it in a path.
  static func escaped(_ value: [UInt8]) -> String {
    var bytes: [UInt8] = []
    for byte in value {
      guard byte < 0x20 || byte == 0x7F || "\"#%'*/:=?\\{[]^".utf8.contains(byte) else {
        bytes.append(byte)
        continue
      }
      let digits = Array("0123456789ABCDEF".utf8)
      bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The value of a name in a path: the inverse of `escaped`; nil for null.
  public static func unescaped(_ text: String) -> [UInt8]? {
    text.utf8.elementsEqual(null.utf8) ? nil : PercentCoding.bytes(of: text)
  }

  /// The columns and values of the directories of a path, `name=value`.
  public static func hiveValues(of path: String) -> [PartitionValue] {
    var values: [PartitionValue] = []
    for component in path.utf8.split(separator: UInt8(ascii: "/")).dropLast() {
      guard let mark = component.firstIndex(of: UInt8(ascii: "=")), mark > component.startIndex else { continue }
      let name = unescaped(String(Substring(component[..<mark]))).map { String(decoding: $0, as: UTF8.self) } ?? ""
      if values.contains(where: { $0.column.utf8.elementsEqual(name.utf8) }) { continue }
      let value = String(Substring(component[component.index(after: mark)...]))
      values.append(PartitionValue(column: name, text: unescaped(value)))
    }
    return values
  }

  /// A pattern of the files that an export with these values may have written; nil for any values.
  public func glob(_ values: [PartitionValue]? = nil) -> String {
    var pattern = ""
    for piece in pieces {
      switch piece {
      case .text(let text): pattern += Self.quoted(text)
      case .column(let column):
        pattern += values.map { Self.quoted(Self.escaped($0[column], after: pattern)) } ?? "*"
      case .number, .date: pattern += "*"
      }
    }
    return pattern
  }

  /// A text without special characters of patterns.
  public static func quoted(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { quoted, scalar in
      if "*?[\\".unicodeScalars.contains(scalar) { quoted.append("\\") }
      quoted.unicodeScalars.append(scalar)
    }
  }
}
