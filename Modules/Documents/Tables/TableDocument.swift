import Codecs
public import Rows
import Synchronization

/// A document that contains tables, read from left to right.
protocol TableDocument: Sendable {
  /// The bytes of a document; the most bytes of a value.
  init(_ source: any ByteSource, limit: Int) throws(Problem)
  /// Goes to the next table, past what is left of the current one. Returns its title, empty if it has none; nil at the
  /// end.
  mutating func nextTable() throws(Problem) -> String?
  /// The names of the current table's columns, if its records are `fields`.
  var columns: [[UInt8]] { get }
  /// The next record of the current table; nil at its end.
  mutating func nextRecord() throws(Problem) -> DocumentRecord?
  /// The way of reading that the user may not expect; nil for the usual one.
  var note: String? { get }
  /// Whether parts of one table may come one by one, each with its title.
  static var isInterleaved: Bool { get }
  /// Whether types are inferred from texts, as in CSV.
  static var isText: Bool { get }
}

extension TableDocument {
  var columns: [[UInt8]] { [] }
  var note: String? { nil }
  static var isInterleaved: Bool { false }
  static var isText: Bool { true }
}

/// A document whose records each name their table, which may alternate.
protocol MixedDocument: TableDocument {
  /// The current table.
  var table: String? { get set }
  /// The record that was read, and its table.
  var pending: (table: String, record: DocumentRecord)? { get set }
  /// Reads up to the next record, which is pending then.
  mutating func read() throws(Problem)
}

extension MixedDocument {
  mutating func nextTable() throws(Problem) -> String? {
    while try nextRecord() != nil {}
    if pending == nil { try read() }
    table = pending?.table
    return table
  }

  mutating func nextRecord() throws(Problem) -> DocumentRecord? {
    guard let table else { return nil }
    if pending == nil { try read() }
    guard let (name, record) = pending, name == table else {
      self.table = nil
      return nil
    }
    pending = nil
    return record
  }
}

enum DocumentRecord {
  /// A value for each column, whose types are to be inferred from the texts; nil is null.
  case fields([[UInt8]?])
  /// Texts by name, whose types are to be inferred; what is missing is null.
  case texts([(name: [UInt8], value: [UInt8])])
  /// An object whose values have types.
  case object(JSON)
}

/// A text format, other than CSV and JSON, that tables are read from: a value in the list `all`.
public struct DocumentFormat: Sendable, Hashable {
  /// Its name in options.
  public let name: String
  /// The extensions of its files, in lower case.
  public let extensions: [String]
  fileprivate let document: any TableDocument.Type

  init(_ name: String, _ extensions: [String], _ document: any TableDocument.Type) {
    (self.name, self.extensions, self.document) = (name, extensions, document)
  }

  /// The formats, in the order of the help.
  public static let all: [DocumentFormat] = [
    markdown, html, yaml, geojson, gpx, kml, vcard, singer, sql,
  ]

  /// Whether types are inferred from texts, as in CSV.
  public var isText: Bool { document.isText }

  /// Whether the names are equal.
  public static func == (a: DocumentFormat, b: DocumentFormat) -> Bool { a.name == b.name }
  /// By name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// The tables of one document.
public final class DocumentTables: Sendable {
  private let format: DocumentFormat
  private let limit: Int
  private let open: @Sendable () throws(Problem) -> any ByteSource
  private let known = Mutex<[String]?>(nil)
  private static let mostTables = 10_000

  /// The tables of the bytes that `open` opens each time.
  /// No value has more than `limit` bytes.
  public init(
    _ format: DocumentFormat, limit: Int, open: @escaping @Sendable () throws(Problem) -> any ByteSource
  ) { (self.format, self.limit, self.open) = (format, limit, open) }

  /// The names of the tables, each different: their titles, or their numbers from 1. The document is read once for
  /// them.
  /// - Throws: `badData` with the line of what cannot be read; `io`.
  public func names() throws(Problem) -> [String] {
    if let names = known.withLock({ $0 }) { return names }
    let source = try open(), document = format.document
    var names = DocumentTableNames(), opened = try document.init(source, limit: limit)
    while let title = try opened.nextTable() {
      _ = names.name(title, isInterleaved: document.isInterleaved)
      guard names.all.count <= Self.mostTables else {
        throw Problem(.badData, "the document has more than \(Self.mostTables) tables", at: source.name)
      }
    }
    known.withLock { [all = names.all] in $0 = all }
    return names.all
  }

  /// A table as text: CSV if the format is text, else one JSON object per line.
  /// - Parameter table: its name among `names`.
  /// - Throws: `badData` with the line of what cannot be read; `io`.
  public func text(of table: String) throws(Problem) -> any ByteSource {
    try DocumentTableSource(try open(), format.document, table: table, isText: format.isText, limit: limit)
  }
}

private struct DocumentTableNames {
  private(set) var all: [String] = []
  private var known: Set<String> = []

  mutating func name(_ title: String, isInterleaved: Bool) -> String {
    if isInterleaved, known.contains(title) { return title }
    var name = title.isEmpty ? String(all.count + 1) : title, number = 2
    while !known.insert(name).inserted {
      name = "\(title) \(number)"
      number += 1
    }
    all.append(name)
    return name
  }
}

/// A table of a document as CSV or as lines of JSON.
private final class DocumentTableSource: ByteSource {
  let name: String
  var size: Int? { nil }
  private let source: any ByteSource
  private let document: any TableDocument.Type
  private let table: String
  private let isText: Bool
  private let limit: Int
  private let state: Mutex<State>

  private struct State {
    var document: any TableDocument
    var names = DocumentTableNames()
    /// The columns of CSV, by name; nil for JSON.
    var columns: [[UInt8]: Int] = [:]
    var text: [UInt8] = [], at = 0
    var isInTable = false
  }

  init(
    _ source: any ByteSource, _ document: any TableDocument.Type, table: String, isText: Bool, limit: Int
  ) throws(Problem) {
    name = source.name
    self.source = source
    self.document = document
    self.table = table
    self.isText = isText
    self.limit = limit
    state = Mutex(State(document: try document.init(source, limit: limit)))
    try collectColumns()
  }

  var notes: [Warning] {
    source.notes + (state.withLock { $0.document.note }.map { [Warning("\(name): read with \($0)")] } ?? [])
  }

  func reopened() throws(Problem) -> (any ByteSource)? {
    guard let again = try source.reopened() else { return nil }
    return try DocumentTableSource(again, document, table: table, isText: isText, limit: limit)
  }

  /// Reads the table once for the names of its columns, if its records have them, and begins again.
  private func collectColumns() throws(Problem) {
    try state.withLock { state throws(Problem) in
      var names: [[UInt8]] = []
      while let record = try Self.next(&state, document, table) {
        guard case .texts(let fields) = record else {
          if case .fields = record { state.text = Self.line(state.document.columns) }
          return Self.append(record, &state)
        }
        for field in fields where state.columns[field.name] == nil {
          state.columns[field.name] = names.count
          names.append(field.name)
        }
      }
      guard !names.isEmpty else {
        return state.text = isText ? Self.line(state.document.columns) : []
      }
      guard let again = try source.reopened() else {
        throw Problem(.usage, "cannot be read from a pipe", at: name, hint: "save it to a file first")
      }
      state = State(
        document: try document.init(again, limit: limit), columns: state.columns, text: Self.line(names))
    }
  }

  /// The next record of the table; nil at the end.
  private static func next(
    _ state: inout State, _ document: any TableDocument.Type, _ table: String
  ) throws(Problem) -> DocumentRecord? {
    while true {
      if state.isInTable {
        if let record = try state.document.nextRecord() { return record }
        state.isInTable = false
        if !document.isInterleaved { return nil }
      }
      guard let title = try state.document.nextTable() else { return nil }
      state.isInTable = state.names.name(title, isInterleaved: document.isInterleaved) == table
    }
  }

  private static func line(_ fields: [[UInt8]?]) -> [UInt8] {
    var text: [UInt8] = []
    for (position, field) in fields.enumerated() {
      if position > 0 { text.append(UInt8(ascii: ",")) }
      guard let field else { continue }
      text.append(UInt8(ascii: "\""))
      for byte in field {
        if byte == UInt8(ascii: "\"") { text.append(byte) }
        text.append(byte)
      }
      text.append(UInt8(ascii: "\""))
    }
    text.append(0x0A)
    return text
  }

  private static func append(_ record: DocumentRecord, _ state: inout State) {
    switch record {
    case .fields(let fields): state.text += line(fields)
    case .texts(let fields):
      var values: [[UInt8]?] = Array(repeating: nil, count: state.columns.count)
      for field in fields { if let column = state.columns[field.name] { values[column] = field.value } }
      state.text += line(values)
    case .object(let object): state.text += object.canonicalBytes + [0x0A]
    }
  }

  func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try state.withLock { state throws(Problem) in
      if state.at == state.text.count {
        state.text.removeAll(keepingCapacity: true)
        state.at = 0
        while state.text.count < 64 << 10, let record = try Self.next(&state, document, table) {
          Self.append(record, &state)
        }
      }
      let count = min(limit, state.text.count - state.at)
      text.append(state.text[state.at..<state.at + count])
      state.at += count
      return count
    }
  }
}
