/// Reads the records of a text one by one, a damaged one again in other ways.
///
/// The extent of a record depends only on the text from its first byte on.
struct RecordReader: ~Copyable {
  private let dialect: CSVDialect
  private let repairs: Bool
  /// Whether the text was converted from another encoding.
  var isConverted = false
  private var parser: RecordParser
  private var plainParser: RecordParser
  private let maximumField: Int
  /// Makes the profile of the columns; nil if it is not known.
  var makeProfile: (@Sendable () -> ColumnProfile)? { didSet { madeProfile = nil } }
  private var madeProfile: ColumnProfile?
  /// The columns of the table; nil before they are known.
  var width: Int? { didSet { finder = nil } }
  private var finder: RecordReadings?

  /// The maximum lines and bytes of the search for one record, and the bytes of a line that is read again.
  private static let mostLines = 64, mostBytes = 8 << 10, longestLine = 64 << 10

  init(_ dialect: CSVDialect, repairs: Bool, maximumField: Int) {
    self.dialect = dialect
    self.repairs = repairs
    self.maximumField = maximumField
    parser = RecordParser(dialect)
    var plain = dialect
    plain.quote = nil
    plain.escape = .double
    plainParser = RecordParser(plain)
  }

  /// Reads the record at `start`.
  /// - Parameter isSkipped: whether it comes before the table, so that nothing needs to be right.
  mutating func record(
    _ text: Span<UInt8>, _ start: Int, isSkipped: Bool, isAtEnd: Bool
  ) throws(RecordParser.NeedsMore) -> ReadRecord {
    let line = try parser.line(text, start, isAtEnd: isAtEnd)
    if !dialect.comment.isEmpty, begins(text, start, line.end, with: dialect.comment) {
      return ReadRecord(fields: [bytes(text, start, line.end)], start: start, next: line.next, reason: .comment)
    }
    // A field that is too long is not closed.
    try parser.parse(text, start, isAtEnd: isAtEnd || text.count - start > maximumField)
    let fault = parser.fault?.reason, isBad = parser.isBad
    if isBad, !repairs, !isSkipped {
      return ReadRecord(
        fields: parser.values(text), start: start, next: line.next, reason: fault, isSure: false, isBad: true,
        fault: (parser.fault?.at ?? start) - start)
    }
    if isSkipped || !repairs { return isBad ? plain(text, start, line, fault) : exact(text, start) }
    guard let width, isBad || fault != nil || parser.fields.count != width else { return decoded(exact(text, start)) }
    if let found = try again(text, start, line, width, isAtEnd: isAtEnd) { return decoded(found) }
    return decoded(isBad ? plain(text, start, line, fault) : exact(text, start))
  }

  private func begins(_ text: Span<UInt8>, _ start: Int, _ end: Int, with mark: [UInt8]) -> Bool {
    guard end - start >= mark.count else { return false }
    for index in mark.indices where text[start + index] != mark[index] { return false }
    return true
  }

  private func bytes(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> [UInt8] {
    var bytes = ByteText.withRoom(end - start)
    for index in start..<end { bytes.append(text[index]) }
    return bytes
  }

  /// The record that the parser has just read.
  private func exact(_ text: Span<UInt8>, _ start: Int) -> ReadRecord {
    let quoted = parser.fields.contains { $0.isQuoted } ? parser.fields.map(\.isQuoted) : []
    return ReadRecord(
      fields: parser.values(text), quoted: quoted, start: start, next: parser.next, reason: parser.fault?.reason)
  }

  /// A line split at its delimiters: copied once, as it may be long.
  private mutating func plain(
    _ text: Span<UInt8>, _ start: Int, _ line: (end: Int, next: Int), _ reason: Reject.Reason?
  ) -> ReadRecord {
    let source = text.extracting(start..<line.end), quote = dialect.quote
    var found = ReadRecord(fields: [], start: start, next: line.next, reason: reason, isSure: false)
    guard (try? plainParser.parse(source, 0, isAtEnd: true)) != nil else {
      found.fields = [bytes(text, start, line.end)]
      return found
    }
    for var field in plainParser.fields {
      if let quote, field.end - field.start > 1, source[field.start] == quote, source[field.end - 1] == quote {
        (field.start, field.end) = (field.start + 1, field.end - 1)
      }
      found.fields.append(plainParser.value(source, field))
    }
    return found
  }

  /// Reads a damaged record in other ways: its first line alone, then more lines.
  private mutating func again(
    _ text: Span<UInt8>, _ start: Int, _ line: (end: Int, next: Int), _ width: Int, isAtEnd: Bool
  ) throws(RecordParser.NeedsMore) -> ReadRecord? {
    let isBad = parser.isBad, fault = parser.fault?.reason
    let isExact = !isBad && parser.fields.count == width
    var exact: ReadRecord? = isBad ? nil : self.exact(text, start)
    let end = parser.next
    let first = text.extracting(start..<(line.end - start <= Self.longestLine ? line.end : start))
    let other = isExact || first.isEmpty ? nil : otherDelimiter(first, width)
    guard let quote = dialect.quote, isBad || fault != nil || ByteText.firstIndex(of: quote, in: first) != nil else {
      if let other {
        return ReadRecord(fields: other, start: start, next: line.next, reason: .anotherDelimiter)
      }
      return nil
    }
    if finder == nil { finder = RecordReadings(dialect, quote: quote, width: width) }
    var readings = first.isEmpty ? [] : finder?.readings(first) ?? []
    if let other {
      readings.insert(RecordReadings.Reading(cost: 8, fields: other, reasons: [.anotherDelimiter]), at: 0)
    }
    if let best = RecordReadings.best(readings, profile()) {
      let reading = best.reading, reasons = reading.reasons
      var isTaken = true
      if isExact {
        let isSame = fault?.isSoft == true && reading.cost >= RecordReadings.inside && reading.fields == exact?.fields
        isTaken = !(end > line.next && reading.cost > 0) && !isSame
      } else if !isBad {
        isTaken =
          (fault != nil || !reasons.isEmpty)
          && reasons.allSatisfy { $0 == .missingDelimiter || $0 == .anotherDelimiter || fault != nil && $0.isSoft }
        if isTaken, reasons.contains(.missingDelimiter), let profile = profile(), profile.isUseful,
          let fields = exact?.fields
        {
          let padded = Array((fields + Array(repeating: [], count: width)).prefix(width))
          isTaken = profile.total(reading.fields) >= profile.total(padded) + 0.5
        }
      }
      if isTaken {
        let reason = reading.cost == 0 && !isBad ? nil : reading.reasons.min { $0.rawValue < $1.rawValue } ?? fault
        let quoted = reading.fields == exact?.fields ? exact?.quoted ?? [] : []
        return ReadRecord(
          fields: reading.fields, quoted: quoted, start: start, next: line.next, reason: reason, isSure: best.isSure)
      }
    }
    guard isBad else {
      exact?.isSure = true
      return exact
    }
    var next = line.next, last = line.end
    for _ in 0..<Self.mostLines {
      if next - start > Self.mostBytes || next >= text.count && isAtEnd { break }
      (last, next) = try parser.line(text, next, isAtEnd: isAtEnd)
      if last - start > Self.longestLine { break }
      let lines = text.extracting(start..<last)
      guard ByteText.count(of: quote, in: lines) % 2 == 0 else { continue }
      let readings = finder?.readings(lines) ?? []
      guard let first = readings.first, first.cost <= 2 * RecordReadings.stray,
        let best = RecordReadings.best(readings, profile())
      else { continue }
      return ReadRecord(
        fields: best.reading.fields, start: start, next: next,
        reason: best.reading.reasons.min { $0.rawValue < $1.rawValue } ?? fault, isSure: best.isSure)
    }
    return nil
  }

  private mutating func profile() -> ColumnProfile? {
    if madeProfile == nil { madeProfile = makeProfile?() }
    return madeProfile
  }

  /// The fields of a line in another delimiter, if they are as many and fit.
  private mutating func otherDelimiter(_ line: Span<UInt8>, _ width: Int) -> [[UInt8]]? {
    guard width >= 3, let profile = profile() else { return nil }
    for delimiter: UInt8 in [0x2C, 0x3B, 0x09, 0x7C, 0x20] where dialect.delimiter != [delimiter] {
      guard let found = Self.fields(of: line, delimiter, dialect, width) else { continue }
      let fits = found.enumerated().allSatisfy { profile.fit($0.offset, $0.element) >= 0.25 }
      if !profile.isUseful || fits && profile.total(found) >= 0.7 * Double(width) { return found }
    }
    return nil
  }

  /// The `width` fields of a line in another delimiter; nil if it has more or fewer.
  private static func fields(
    of line: Span<UInt8>, _ delimiter: UInt8, _ dialect: CSVDialect, _ width: Int
  ) -> [[UInt8]]? {
    guard ByteText.count(of: delimiter, in: line) >= width - 1 else { return nil }
    var other = CSVDialect()
    (other.delimiter, other.quote, other.escape) = ([delimiter], dialect.quote, dialect.escape)
    var parser = RecordParser(other)
    guard (try? parser.parse(line, 0, isAtEnd: true)) != nil, !parser.isBad, parser.fields.count == width else {
      return nil
    }
    // Spaces separate words, not fields, if the delimiter of the table is among them.
    let isProse =
      delimiter == 0x20
      && parser.fields.contains { field in
        !field.isQuoted && (field.start..<field.end).contains { line[$0] == dialect.delimiter[0] }
      }
    return isProse ? nil : parser.values(line)
  }

  /// The names in a line that has another delimiter than the table.
  static func names(in line: [UInt8], _ dialect: CSVDialect, width: Int) -> [[UInt8]]? {
    guard width >= 3 else { return nil }
    for delimiter: UInt8 in [0x2C, 0x3B, 0x09, 0x7C, 0x20] where dialect.delimiter != [delimiter] {
      guard let found = fields(of: line.span, delimiter, dialect, width), Set(found).count == width else { continue }
      if found.allSatisfy({ !$0.allSatisfy(CellKind.isSpace) && !CellKind.of($0).isTyped }) { return found }
    }
    return nil
  }

  /// The record without bytes that are not UTF-8.
  private func decoded(_ record: ReadRecord) -> ReadRecord {
    var decoded = record
    for (index, field) in record.fields.enumerated() where !ByteText.isUTF8(field) {
      decoded.fields[index] = ByteText.repaired(field, isConverted: isConverted)
      decoded.reason = .badEncoding
    }
    return decoded
  }
}
