/// Splits text into records by the rules of a dialect: ranges of the text, nothing is copied.
struct RecordParser {
  /// A field as a range of the text, without its quotes.
  struct Field {
    var start: Int, end: Int
    var isQuoted = false
    var hasEscapes = false
  }
  /// More text is needed to find the end of the record.
  struct NeedsMore: Error {}

  /// The maximum fields of a record; the rest of its line is in none.
  static let mostFields = 100_000

  let dialect: CSVDialect
  private(set) var fields: [Field] = []
  /// Where the text of the record ends, and where the next begins.
  private(set) var end = 0, next = 0
  private(set) var fault: (reason: Reject.Reason, at: Int)?

  private let first: UInt8, feed: UInt8, quote: UInt8, hasQuote: Bool, hasBackslash: Bool
  private let rest: [UInt8]
  /// Whether the delimiter ends with a space, which may be missing at the end of a line.
  private let endsWithSpace: Bool

  init(_ dialect: CSVDialect) {
    self.dialect = dialect
    first = dialect.delimiter[0]
    rest = Array(dialect.delimiter.dropFirst())
    feed = dialect.endsWithReturn ? 0x0D : 0x0A
    hasQuote = dialect.quote != nil
    quote = dialect.quote ?? 0
    hasBackslash = dialect.escape == .backslash
    endsWithSpace = rest == [0x20] && !dialect.splitsAtSpaces
  }

  /// Whether the record is unusable, rather than odd.
  var isBad: Bool { fault.map { !$0.reason.isSoft } ?? false }

  func line(_ text: Span<UInt8>, _ start: Int, isAtEnd: Bool) throws(NeedsMore) -> (end: Int, next: Int) {
    let at = ByteText.firstIndex(of: feed, in: text, from: start) ?? text.count
    if at == text.count, !isAtEnd { throw NeedsMore() }
    return (ending(text, start, at), min(at + 1, text.count))
  }

  /// Where the text of a line ends: line ends that were converted twice have several carriage returns, and the last
  /// line may have one alone.
  private func ending(_ text: Span<UInt8>, _ start: Int, _ feedAt: Int) -> Int {
    var end = feedAt
    while feed == 0x0A, end > start, text[end - 1] == 0x0D { end -= 1 }
    return end
  }

  func isDelimiter(_ text: Span<UInt8>, _ at: Int) -> Bool {
    guard at < text.count, text[at] == first else { return false }
    guard !rest.isEmpty else { return true }
    guard at + rest.count < text.count else { return false }
    for index in rest.indices where text[at + 1 + index] != rest[index] { return false }
    return true
  }

  /// Whether one character, whose code does not matter, is part of the structure.
  private func isEscapable(_ byte: UInt8) -> Bool { byte == first || byte == 0x5C || hasQuote && byte == quote }

  /// Reads the record at `start`.
  mutating func parse(_ text: Span<UInt8>, _ start: Int, isAtEnd: Bool) throws(NeedsMore) {
    fields.removeAll(keepingCapacity: true)
    fault = nil
    if dialect.splitsAtSpaces || !dialect.positions.isEmpty {
      (end, next) = try line(text, start, isAtEnd: isAtEnd)
      dialect.positions.isEmpty ? split(text, start) : cut(text, start)
      return
    }
    var at = start
    while true {
      if fields.count == Self.mostFields {
        (end, next) = try line(text, at, isAtEnd: isAtEnd)
        fault = (.longRow, at)
        return
      }
      if dialect.skipsInitialSpace { while at < text.count, text[at] == 0x20 { at += 1 } }
      let isLast =
        hasQuote && at < text.count && text[at] == quote
        ? try quoted(text, &at, isAtEnd: isAtEnd) : try unquoted(text, &at, isAtEnd: isAtEnd)
      if isLast { return }
    }
  }

  /// Fields between spaces.
  private mutating func split(_ text: Span<UInt8>, _ start: Int) {
    var at = start
    while at < end {
      while at < end, CellKind.isSpace(text[at]) { at += 1 }
      let from = at
      while at < end, !CellKind.isSpace(text[at]) { at += 1 }
      if at > from { fields.append(Field(start: from, end: at)) }
    }
    if fields.isEmpty { fields.append(Field(start: start, end: start)) }
  }

  /// Fields at fixed characters, without the spaces around them.
  private mutating func cut(_ text: Span<UInt8>, _ start: Int) {
    var bounds = [start], at = start
    while at < end {
      at += 1
      while at < end, text[at] & 0xC0 == 0x80 { at += 1 }
      bounds.append(at)
    }
    if bounds.count == 1 { return fields.append(Field(start: start, end: start)) }
    for columns in dialect.positions {
      var from = bounds[min(columns.lowerBound - 1, bounds.count - 1)]
      var to = bounds[min(columns.upperBound, bounds.count - 1)]
      while from < to, text[from] == 0x20 { from += 1 }
      while to > from, text[to - 1] == 0x20 { to -= 1 }
      fields.append(Field(start: from, end: to))
    }
  }

  /// Reads an unquoted field; whether it is the last one.
  private mutating func unquoted(_ text: Span<UInt8>, _ at: inout Int, isAtEnd: Bool) throws(NeedsMore) -> Bool {
    var field = Field(start: at, end: at), sawQuote = false
    let count = text.count, first = first, feed = feed, quote = quote
    while at < count {
      let byte = text[at]
      // Most bytes are letters, digits or spaces.
      if byte != first, byte != feed, byte != quote, byte != 0x5C {
        at += 1
        continue
      }
      if byte == feed {
        field.end = ending(text, field.start, at)
        end = field.end
        next = at + 1
        close(text, field, sawQuote)
        return true
      }
      if byte == first {
        if !rest.isEmpty, !isAtEnd, at + rest.count >= count { throw NeedsMore() }
        if isDelimiter(text, at) {
          field.end = at
          at += 1 + rest.count
          append(field, sawQuote)
          return false
        }
      } else if hasBackslash, byte == 0x5C {
        if at + 1 >= count, !isAtEnd { throw NeedsMore() }
        if at + 1 < count, isEscapable(text[at + 1]) {
          field.hasEscapes = true
          at += 1
        }
      } else if hasQuote, byte == quote {
        sawQuote = true
      }
      at += 1
    }
    if !isAtEnd { throw NeedsMore() }
    field.end = ending(text, field.start, at)
    (end, next) = (field.end, count)
    close(text, field, sawQuote)
    return true
  }

  private mutating func append(_ field: Field, _ sawQuote: Bool) {
    if sawQuote, !hasBackslash, fault == nil { fault = (.strayQuoteInside, field.start) }
    fields.append(field)
  }

  /// Appends the last field, and an empty one after a delimiter whose space is missing.
  private mutating func close(_ text: Span<UInt8>, _ field: Field, _ sawQuote: Bool) {
    var field = field
    guard endsWithSpace, field.end > field.start, text[field.end - 1] == first else { return append(field, sawQuote) }
    field.end -= 1
    append(field, sawQuote)
    fields.append(Field(start: end, end: end))
  }

  /// Reads a quoted field; whether it is the last one, or the record is bad.
  private mutating func quoted(_ text: Span<UInt8>, _ at: inout Int, isAtEnd: Bool) throws(NeedsMore) -> Bool {
    var field = Field(start: at + 1, end: at + 1, isQuoted: true)
    let begin = at, count = text.count
    var scan = at + 1
    while true {
      while scan < count, text[scan] != quote, !hasBackslash || text[scan] != 0x5C {
        scan += 1
        // After a quote that is not closed, the next one may be far away.
        if scan & 31 == 0, !hasBackslash { scan = ByteText.firstIndex(of: quote, in: text, from: scan) ?? count }
      }
      if scan >= count {
        if !isAtEnd { throw NeedsMore() }
        (end, next, fault) = (count, count, (.unterminated, begin))
        return true
      }
      if text[scan] == 0x5C, quote != 0x5C {
        if scan + 1 >= count, !isAtEnd { throw NeedsMore() }
        if scan + 1 < count, isEscapable(text[scan + 1]) { field.hasEscapes = true }
        scan += 2
        continue
      }
      if scan + 1 >= count, !isAtEnd { throw NeedsMore() }
      guard scan + 1 < count, text[scan + 1] == quote, dialect.escape != .none else { break }
      field.hasEscapes = true
      scan += 2
    }
    field.end = min(scan, count)
    fields.append(field)
    let after = scan + 1
    if try finish(text, &at, after, isAtEnd: isAtEnd) { return true }
    if at > begin { return false }
    var spaces = after
    while spaces < count, text[spaces] == 0x20 || text[spaces] == 0x09, text[spaces] != first { spaces += 1 }
    if spaces > after {
      if spaces >= count, !isAtEnd { throw NeedsMore() }
      let mark = fault
      if try finish(text, &at, spaces, isAtEnd: isAtEnd) {
        fault = mark ?? (.spaceAfterQuote, after)
        return true
      }
      if at > begin {
        fault = mark ?? (.spaceAfterQuote, after)
        return false
      }
    }
    (end, next, fault) = (after, after, (.textAfterQuote, after))
    return true
  }

  /// Ends a quoted field at a delimiter, which advances `at`, or at a line end.
  /// - Returns: whether the record ends here.
  private mutating func finish(
    _ text: Span<UInt8>, _ at: inout Int, _ after: Int, isAtEnd: Bool
  ) throws(NeedsMore) -> Bool {
    let count = text.count
    if after >= count {
      if !isAtEnd { throw NeedsMore() }
      (end, next) = (count, count)
      return true
    }
    if isDelimiter(text, after) {
      at = after + 1 + rest.count
      return false
    }
    if !rest.isEmpty, !isAtEnd, after + rest.count >= count { throw NeedsMore() }
    let byte = text[after]
    if byte == feed {
      (end, next) = (after, after + 1)
      return true
    }
    if feed == 0x0A, byte == 0x0D {
      var at = after + 1
      while at < count, text[at] == 0x0D { at += 1 }
      if at == count, !isAtEnd { throw NeedsMore() }
      if at == count || text[at] == 0x0A {
        (end, next) = (after, min(at + 1, count))
        return true
      }
    }
    if endsWithSpace, byte == first {
      let line = try line(text, after, isAtEnd: isAtEnd)
      if line.end == after + 1 {
        fields.append(Field(start: line.end, end: line.end))
        (end, next) = line
        return true
      }
    }
    return false
  }

  // MARK: - Values

  /// The value of a field, without escapes.
  func value(_ text: Span<UInt8>, _ field: Field) -> [UInt8] {
    var value = ByteText.withRoom(field.end - field.start)
    append(text, field, to: &value)
    return value
  }

  func append(_ text: Span<UInt8>, _ field: Field, to value: inout [UInt8]) {
    var at = field.start
    while at < field.end {
      let byte = text[at]
      if field.hasEscapes, at + 1 < field.end {
        let isPair = byte == quote && hasQuote && field.isQuoted && text[at + 1] == quote && dialect.escape != .none
        if isPair || byte == 0x5C && hasBackslash {
          if !isPair, !isEscapable(text[at + 1]) { value.append(byte) }
          value.append(text[at + 1])
          at += 2
          continue
        }
      }
      value.append(byte)
      at += 1
    }
  }

  func values(_ text: Span<UInt8>) -> [[UInt8]] {
    var values: [[UInt8]] = []
    values.reserveCapacity(fields.count)
    for field in fields { values.append(value(text, field)) }
    return values
  }

  func kind(_ text: Span<UInt8>, _ field: Field) -> CellKind { CellKind.of(text.extracting(field.start..<field.end)) }

  /// Whether the record is a line of nothing or of spaces.
  func isBlank(_ text: Span<UInt8>) -> Bool {
    guard fields.count == 1, !fields[0].isQuoted else { return false }
    for index in fields[0].start..<fields[0].end where !CellKind.isSpace(text[index]) { return false }
    return true
  }
}
