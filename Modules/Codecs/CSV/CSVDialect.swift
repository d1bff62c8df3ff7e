public import Rows
import Synchronization

/// The ways in which a CSV file may differ from RFC 4180, by the names that W3C CSV on the Web gives them.
public struct CSVDialect: Sendable, Hashable {
  /// The byte between fields.
  public var delimiter = UInt8(ascii: ",")
  /// The byte around fields that contain delimiters or line ends; nil if no field is quoted.
  public var quote: UInt8? = UInt8(ascii: "\"")
  /// Whether a quote in a quoted field is doubled; else a backslash precedes it.
  public var doublesQuotes = true
  /// Lines that begin so are comments; empty if there are none.
  public var commentPrefix: [UInt8] = []
  /// Lines before the header.
  public var skippedRows = 0
  /// Records of the header; those after the first are skipped.
  public var headerRows = 1
  /// Whether spaces after a delimiter do not belong to the field.
  public var skipsInitialSpace = false
  /// Columns of a record, which decides whether a blank line is a record: it is if there is one column.
  public var columns = 0

  /// RFC 4180.
  public init() {}

  /// Whether a file of this dialect can be read as it is.
  public var isPlain: Bool {
    var usual = CSVDialect()
    usual.delimiter = delimiter
    usual.columns = columns
    usual.headerRows = min(headerRows, 1)
    return self == usual
  }
}

/// A CSV file of any dialect as RFC 4180 text with the same delimiter, converted while it is read.
///
/// Skipped lines are blank, so that the numbers of the other lines stay the same, except in files of one column.
public final class CSVDialectSource: ByteSource {
  /// The name of the original file.
  public var name: String { source.name }
  /// Unknown.
  public var size: Int? { nil }

  private let source: any ByteSource
  private let dialect: CSVDialect
  private let maximumField: Int
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var input = ArenaBuilder()
    /// The next byte of `input`.
    var at = 0
    var isAtEnd = false
    var output: [UInt8] = []
    /// The next byte of `output` for the reader.
    var taken = 0
    /// The number of the current line, from 1.
    var line = 1
    /// Records that were converted.
    var records = 0
  }

  /// Reads `source`, whose fields have at most `maximumField` bytes.
  public init(_ source: any ByteSource, _ dialect: CSVDialect, maximumField: Int) {
    self.source = source
    self.dialect = dialect
    self.maximumField = maximumField
  }

  /// Appends converted bytes.
  public func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try state.withLock { (state) throws(Problem) in
      if state.taken == state.output.count {
        state.output.removeAll(keepingCapacity: true)
        state.taken = 0
        while state.output.count < 1 << 16, try convertLine(&state) {}
      }
      let count = min(limit, state.output.count - state.taken)
      text.append(state.output[state.taken..<state.taken + count])
      state.taken += count
      return count
    }
  }

  /// The same file from its beginning; nil if it cannot be read again.
  public func reopened() throws(Problem) -> (any ByteSource)? {
    try source.reopened().map { CSVDialectSource($0, dialect, maximumField: maximumField) }
  }

  // MARK: - Input

  private func peek(_ state: inout State) throws(Problem) -> UInt8? {
    if state.at == state.input.count {
      if state.isAtEnd { return nil }
      state.input.removeAll()
      state.at = 0
      state.isAtEnd = try source.read(into: &state.input, limit: state.input.capacity) == 0
      if state.isAtEnd { return nil }
    }
    return unsafe state.input.base[state.at]
  }

  private func next(_ state: inout State) throws(Problem) -> UInt8? {
    guard let byte = try peek(&state) else { return nil }
    state.at += 1
    if byte == 0x0A { state.line += 1 }
    return byte
  }

  // MARK: - Conversion

  private static let plainQuote = UInt8(ascii: "\"")

  /// Converts a line to skip, a comment or a record; false at the end of the file.
  private func convertLine(_ state: inout State) throws(Problem) -> Bool {
    guard try peek(&state) != nil else { return false }
    if state.line == 1, state.records == 0 { try skipByteOrderMark(&state) }
    if state.line <= dialect.skippedRows {
      try skipLine(&state)
      return true
    }
    var begun: [UInt8] = []
    while !dialect.commentPrefix.isEmpty, begun.count < dialect.commentPrefix.count, let byte = try peek(&state),
      byte == dialect.commentPrefix[begun.count]
    {
      begun.append(byte)
      _ = try next(&state)
    }
    if !begun.isEmpty, begun.count == dialect.commentPrefix.count {
      try skipLine(&state)
      return true
    }
    let start = state.output.count, line = state.line
    try convertRecord(begun, &state)
    state.records += 1
    if dialect.headerRows > 1, 2...dialect.headerRows ~= state.records {
      state.output.removeLast(state.output.count - start)
      for _ in line..<max(state.line, line + 1) { endSkippedLine(&state) }
    }
    return true
  }

  private func skipByteOrderMark(_ state: inout State) throws(Problem) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard state.input.count >= 3, unsafe mark.elementsEqual(UnsafeBufferPointer(start: state.input.base, count: 3))
    else { return }
    state.at = 3
  }

  private func skipLine(_ state: inout State) throws(Problem) {
    while let byte = try next(&state), byte != 0x0A {}
    endSkippedLine(&state)
  }

  private func endSkippedLine(_ state: inout State) {
    if dialect.columns != 1 || state.records == 0 { state.output.append(0x0A) }
  }

  /// - Parameter begun: the first bytes of the record, which have been read.
  private func convertRecord(_ begun: [UInt8], _ state: inout State) throws(Problem) {
    var begun = begun
    while true {
      let end = try convertField(begun, &state)
      begun = []
      state.output.append(end)
      if end == 0x0A { return }
    }
  }

  /// Converts a field.
  /// - Returns: the delimiter or line feed after it.
  private func convertField(_ begun: [UInt8], _ state: inout State) throws(Problem) -> UInt8 {
    let line = state.line
    var field = begun, isQuoted = false
    if field.isEmpty {
      while dialect.skipsInitialSpace, try peek(&state) == 0x20 { _ = try next(&state) }
      if let quote = dialect.quote, try peek(&state) == quote {
        isQuoted = true
        _ = try next(&state)
        try readQuoted(quote, into: &field, from: line, &state)
      }
    } else if begun.first == dialect.quote {
      throw Problem(.badData, "a comment prefix cannot begin with the quote character", at: "\(name):\(line)")
    }
    let quotedCount = field.count
    var end = UInt8(0x0A)
    while let byte = try next(&state) {
      if byte == dialect.delimiter || byte == 0x0A {
        end = byte
        break
      }
      field.append(byte)
      try check(field, line)
    }
    if end == 0x0A, field.count > quotedCount, field.last == 0x0D { field.removeLast() }
    guard !isQuoted || field.count == quotedCount else {
      throw Problem(.badData, "unexpected text after the quote that ends a field", at: "\(name):\(line)")
    }
    if isQuoted || field.contains(Self.plainQuote) {
      state.output.append(Self.plainQuote)
      for byte in field {
        if byte == Self.plainQuote { state.output.append(byte) }
        state.output.append(byte)
      }
      state.output.append(Self.plainQuote)
    } else {
      state.output += field
    }
    return end
  }

  /// Reads a quoted field after its first quote, including the last.
  private func readQuoted(
    _ quote: UInt8, into field: inout [UInt8], from line: Int, _ state: inout State
  ) throws(Problem) {
    while let byte = try next(&state) {
      if byte == quote {
        guard dialect.doublesQuotes, try peek(&state) == quote else { return }
        _ = try next(&state)
      } else if byte == UInt8(ascii: "\\"), !dialect.doublesQuotes, let escaped = try next(&state) {
        field.append(escaped)
        continue
      }
      field.append(byte)
      try check(field, line)
    }
    throw Problem(.badData, "unterminated quoted field", at: "\(name):\(line)")
  }

  private func check(_ field: [UInt8], _ line: Int) throws(Problem) {
    guard field.count > maximumField else { return }
    throw Problem(
      .badData, "a field has more than \(maximumField >> 20) MiB", at: "\(name):\(line)",
      hint: .raise(.maximumField))
  }
}
