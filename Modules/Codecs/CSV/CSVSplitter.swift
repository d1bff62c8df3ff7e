internal import CMasks
import Rows

/// Cuts a file into pieces of whole records, without looking at more than quotes and line feeds.
///
/// A record ends at a line feed outside quotes, where the number of quotes before it is even: the quotes of a piece are
/// counted, and its last border is found from the end. Pieces in which an unquoted field contains a quote are scanned
/// field by field, as are records larger than the usual piece, so that memory is bounded by the limits on fields and
/// records.
struct CSVSplitter: Sendable {
  private let source: any ByteSource
  private let reading: CSVReading
  /// The treatment of a quote inside an unquoted field; may become `kept` if none has occurred.
  var strayQuotes: CSVStrayQuotes
  /// The bytes of the file in which the records begin that are given; nil for all.
  var part: Range<Int>?
  /// The columns of the file; nil before they are known.
  var names: [String]?
  /// The beginning of the record that was cut off.
  private var rest: [UInt8] = []
  private var place = JSONPlace()
  private var isAtEnd = false
  private var isAtStart = true
  /// The part of a file of which each line is a record; nil for other sources.
  private let lines: FileRange?

  init(_ source: any ByteSource, _ reading: CSVReading, _ strayQuotes: CSVStrayQuotes) {
    self.source = source
    lines = source as? FileRange
    self.reading = reading
    self.strayQuotes = strayQuotes
  }

  mutating func follow(_ lines: FileRange) {
    let (part, names) = (part, names)
    self = CSVSplitter(lines, reading, strayQuotes)
    (self.part, self.names) = (part, names)
    (isAtStart, place) = (false, JSONPlace(offset: lines.start, lines: 0, lineStart: lines.start))
  }

  /// The next piece; nil at the end.
  /// - Throws: `badData` for a field, a record or a header that is too large, and for a line break in a field of lines.
  mutating func next() throws(Problem) -> CSVPiece? {
    if let lines {
      guard let piece = try nextPiece() else { return nil }
      if let at = piece.brokenLine(reading.delimiter) {
        let line = try piece.place(of: at).lines + lines.linesBefore() + 1
        throw Problem(
          .badData, "a field has a line break", at: "\(source.name):\(line)", hint: .omit(.linesAsRecords))
      }
      return piece
    }
    guard let part else { return try nextPiece() }
    while let piece = try nextPiece() {
      if piece.place.offset >= part.upperBound { return nil }
      if let records = piece.records(in: part, reading.delimiter) { return records }
    }
    return nil
  }

  private mutating func nextPiece() throws(Problem) -> CSVPiece? {
    var text = ArenaBuilder(capacity: max(Arena.usualCapacity, rest.count))
    text.append(rest)
    rest = []
    while !isAtEnd, text.room > 0 {
      if try source.read(into: &text, limit: text.room) == 0 { isAtEnd = true }
    }
    let start = isAtStart ? Self.markLength(text) : 0
    isAtStart = false
    var end = isAtEnd ? text.count : lastBorder(text, from: start)
    if end == 0, !isAtEnd { end = try grow(&text, from: start) }
    guard text.count > 0 else { return nil }
    if !isAtEnd { rest = unsafe Array(UnsafeBufferPointer(start: text.base + end, count: text.count - end)) }
    let first = JSONPlace(offset: place.offset + start, lines: place.lines, lineStart: place.lineStart + start)
    place = place.advanced(over: text, from: 0, to: end)
    text.truncate(to: end)
    if isAtEnd, unsafe text.base[end - 1] != 0x0A { text.append([0x0A]) }
    return CSVPiece(text: text, start: start, place: first)
  }

  /// Reads on, a little at a time, until a record of the text ends or the source does.
  /// - Returns: the end of the last complete record.
  private mutating func grow(_ text: inout ArenaBuilder, from start: Int) throws(Problem) -> Int {
    var fields = CSVFields(reading, names, from: start)
    while true {
      do throws(CSVSyntaxError) { try unsafe fields.scan(text.base, to: text.count) } catch {
        let place = place.advanced(over: text, from: 0, to: min(error.offset, text.count))
        throw Problem(.badData, error.message, at: "\(source.name):\(place)", hint: error.hint)
      }
      if fields.border > 0 { return fields.border }
      if isAtEnd { return text.count }
      if text.room == 0 {
        // Beyond the largest field the text grows once, to the largest record: memory that is not touched costs
        // nothing.
        let isSmall = text.capacity < reading.maximumField / 2
        let largest = 2 * reading.maximumField + Arena.usualCapacity
        text.reserve(isSmall ? text.capacity * 2 : max(largest, text.capacity * 2))
      }
      let room = min(text.room, Arena.usualCapacity)
      if try source.read(into: &text, limit: room) == 0 { isAtEnd = true }
    }
  }

  /// The place after the last line feed outside quotes; 0 when there is none.
  private func lastBorder(_ text: borrowing ArenaBuilder, from start: Int) -> Int {
    if strayQuotes == .kept,
      unsafe bb_has_stray_quote(text.base + start, text.count - start, reading.delimiter) != 0
    {
      var fields = CSVFields(reading, nil, from: start)
      // A field that is too large is reported when the text grows.
      do throws(CSVSyntaxError) { try unsafe fields.scan(text.base, to: text.count) } catch { return 0 }
      return fields.border
    }
    var isInside = unsafe bb_count_byte(text.base, text.count, UInt8(ascii: "\"")) & 1 == 1
    var at = text.count
    while at > 0 {
      at -= 1
      let byte = unsafe text.base[at]
      if byte == UInt8(ascii: "\"") { isInside.toggle() }
      if byte == 0x0A, !isInside { return at + 1 }
    }
    return 0
  }

  /// The bytes of a byte order mark.
  private static func markLength(_ text: borrowing ArenaBuilder) -> Int {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard text.count >= 3, unsafe mark.elementsEqual(UnsafeBufferPointer(start: text.base, count: 3)) else {
      return 0
    }
    return 3
  }
}

/// Follows fields and records through text that is still being read.
struct CSVFields {
  private let reading: CSVReading
  private let names: [String]?
  /// The next byte to look at.
  private var at: Int
  private var fieldStart: Int
  private var recordStart: Int
  private var fields = 0
  /// Whether the field begins with a quote, and whether the next byte is inside its quotes.
  private var isQuoted = false, isInside = false
  /// The place after the last record that ended; 0 when none did.
  private(set) var border = 0

  /// A record begins at `start`; `names` are the columns when they are known.
  init(_ reading: CSVReading, _ names: [String]?, from start: Int) {
    self.reading = reading
    self.names = names
    (at, fieldStart, recordStart) = (start, start, start)
  }

  /// Continues to `end`; 64 bytes may be read after it. Bytes that do not fill a block of 64 are left for the next
  /// call.
  /// - Throws: For a field, a record or a header that is too large.
  mutating func scan(_ base: UnsafePointer<UInt8>, to end: Int) throws(CSVSyntaxError) {
    while end - at >= 64 {
      let masks = unsafe bb_read_csv_block(base + at, reading.delimiter)
      var events = isInside ? masks.quotes : masks.quotes | masks.delimiters | masks.feeds
      if events != 0 {
        // Inside quotes only the next quote counts, after it everything does.
        events = masks.quotes | masks.delimiters | masks.feeds
        while events != 0 {
          try event(unsafe base[at + events.trailingZeroBitCount], at: at + events.trailingZeroBitCount)
          events &= events - 1
        }
      }
      at += 64
      if at - fieldStart > reading.maximumField + 2 {
        let name = names.flatMap { fields < $0.count ? $0[fields] : nil }
        throw CSVSyntaxError.fieldTooLong(name, maximum: reading.maximumField, at: fieldStart)
      }
      if at - recordStart > 2 * reading.maximumField {
        throw CSVSyntaxError.recordTooLong(maximum: reading.maximumField, at: recordStart)
      }
    }
  }

  private mutating func event(_ byte: UInt8, at place: Int) throws(CSVSyntaxError) {
    if byte == UInt8(ascii: "\"") {
      if place == fieldStart { isQuoted = true }
      if isQuoted { isInside.toggle() }
      return
    }
    if isInside { return }
    fieldStart = place + 1
    isQuoted = false
    if byte == 0x0A {
      (recordStart, border, fields) = (fieldStart, fieldStart, 0)
      return
    }
    fields += 1
    if let names {
      guard fields < max(names.count, 1) else { throw CSVSyntaxError.ragged(nil, of: names.count, at: fieldStart) }
    } else if fields >= CSVReading.maximumColumns {
      throw CSVSyntaxError.tooManyColumns(at: fieldStart)
    }
  }
}
