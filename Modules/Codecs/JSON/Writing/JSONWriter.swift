public import Rows

/// Rows as JSON objects: keys in column order, nulls included, one record per line; in an array, or as lines (NDJSON).
///
/// Stateless: a batch gives the same bytes whatever was written before it.
public struct JSONWriter: Sendable {
  /// The text around the records.
  public enum Framing: Sendable, Hashable {
    /// `[`, one record per line with commas between, `]`.
    case array
    /// One record per line.
    case lines
  }

  /// The text around the records.
  let framing: Framing
  private let nonfinite: NonfinitePolicy
  /// Whether lists and JSON values are written as text that holds JSON.
  private let nestsAsText: Bool
  private let columns: [String]
  /// The spellings of columns whose text is not that of their cells.
  private let spellings: [ValueSpelling?]
  /// Before each value: `{"id":`, `,"name":`. All of them in one arena, so that they may be copied in registers.
  private let keys: Arena
  private let keyRanges: [(start: UInt32, length: UInt32)]
  /// The text after the last value of a record: `}`, or more.
  private let suffix: Arena

  /// Creates a writer of rows of `schema`.
  ///
  /// `prefix` and `suffix` surround every record, for formats that wrap records in messages; with `nestsAsText` lists
  /// and JSON values are written as text that contains JSON.
  public init(
    _ schema: Schema, framing: Framing, nonfinite: NonfinitePolicy = .error, nestsAsText: Bool = false,
    prefix: String = "", suffix: String = ""
  ) {
    self.framing = framing
    self.nonfinite = nonfinite
    self.nestsAsText = nestsAsText
    columns = schema.columns.map(\.name)
    spellings = schema.columns.map { $0.type.isTemporal && $0.spelling != .usual ? $0.spelling : nil }
    var text = ByteBuffer(capacity: 4096)
    var ranges: [(start: UInt32, length: UInt32)] = []
    for (position, column) in schema.columns.enumerated() {
      let start = text.count
      text.append(position == 0 ? prefix + "{" : ",")
      text.append(jsonString: column.name)
      text.append(byte: UInt8(ascii: ":"))
      ranges.append((UInt32(start), UInt32(text.count - start)))
    }
    keys = Arena(text.bytes())
    keyRanges = ranges
    self.suffix = Arena(Array((schema.width == 0 ? prefix + "{}" : "}").utf8) + Array(suffix.utf8))
  }

  /// Writes the text before the first record.
  public func begin(_ out: inout ByteBuffer) { if framing == .array { out.append("[") } }

  /// Writes the text after the last record.
  public func finish(isEmpty: Bool, _ out: inout ByteBuffer) {
    if framing == .array { out.append(isEmpty ? "]\n" as StaticString : "\n]\n") }
  }

  /// The comma between records of an array.
  public var separator: StaticString { framing == .array ? "," : "" }

  /// Writes the rows of a batch.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) {
    switch framing {
    case .array: try write(batch, isArray: true, &out)
    case .lines: try write(batch, isArray: false, &out)
    }
  }

  @inline(__always)
  private func write(_ batch: RowBatch, isArray: Bool, _ out: inout ByteBuffer) throws(Problem) {
    let width = batch.width, arena = batch.arena
    precondition(width == columns.count, "internal error: batch has the wrong number of columns")
    // For everything but text: keys, numbers, punctuation.
    let usual = keys.count + width * NumberWriter.longest + suffix.count + 4
    var cursor = WriteCursor(&out, margin: usual)
    var position = 0
    for row in 0..<batch.count {
      cursor.ensure(0, &out)
      if isArray {
        if row > 0 { cursor.put(UInt8(ascii: ",")) }
        cursor.put(UInt8(ascii: "\n"))
      }
      for column in 0..<width {
        let key = keyRanges[column]
        cursor.put(ByteRun(keys, key.start, key.length))
        switch unsafe batch.cells.base[position] {
        case .null: cursor.put("null")
        case .text(let start, let length):
          let run = ByteRun(arena, start, length)
          if let spelling = spellings[column], let text = spelling.text(of: run) {
            let copy = Arena(text)
            cursor.putJSON(ByteRun(copy, 0, UInt32(copy.count)), &out)
          } else {
            cursor.putJSON(run, &out)
          }
        case .json(let start, let length) where nestsAsText:
          cursor.putJSON(ByteRun(arena, start, length), &out)
        case .number(let start, let length), .json(let start, let length):
          cursor.putJSON(literal: ByteRun(arena, start, length), &out)
        case .integer(let value): cursor.put(value)
        case .real(let value):
          if value.isFinite {
            cursor.put(value)
          } else {
            try putNonfinite(value, column: column, row: row, &cursor)
          }
        case .boolean(let value): cursor.put(value ? "true" : "false")
        case .bytes(let start, let length):
          cursor.put(UInt8(ascii: "\""))
          cursor.putBase64(ByteRun(arena, start, length), &out)
          cursor.put(UInt8(ascii: "\""))
        }
        position &+= 1
      }
      cursor.put(ByteRun(suffix, 0, UInt32(suffix.count)))
      if !isArray { cursor.put(UInt8(ascii: "\n")) }
    }
    cursor.commit(to: &out)
  }

  @inline(never)
  private func putNonfinite(_ value: Double, column: Int, row: Int, _ cursor: inout WriteCursor) throws(Problem) {
    switch nonfinite {
    case .error: throw NonfinitePolicy.problem(value, column: columns[column], record: row, format: "JSON")
    case .null: cursor.put("null")
    case .string:
      cursor.put("\"")
      cursor.put(NonfinitePolicy.word(for: value))
      cursor.put("\"")
    }
  }
}
