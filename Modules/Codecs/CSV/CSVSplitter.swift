internal import CMasks
import Rows

/// Cuts a file into pieces of whole records, without looking at more than quotes and line feeds.
///
/// A record ends at a line feed outside quotes, where the number of quotes before it is even: the quotes of a piece are
/// counted, and its last border is found from the end. Pieces in which an unquoted field contains a quote are scanned
/// field by field, as are records larger than a chunk, so that memory is bounded by the limits on fields and records.
struct CSVSplitter: Sendable {
  private let source: any ByteSource
  private let reading: CSVReading
  /// The treatment of a quote inside an unquoted field; may become `kept` if none has occurred.
  var strayQuotes: CSVStrayQuotes
  /// The columns of the file; nil before they are known.
  var names: [String]?
  /// The beginning of the record that was cut off.
  private var rest: Chunk?
  private var place = JSONPlace()
  private var isAtEnd = false
  private var isAtStart = true

  init(_ source: any ByteSource, _ reading: CSVReading, _ strayQuotes: CSVStrayQuotes) {
    self.source = source
    self.reading = reading
    self.strayQuotes = strayQuotes
  }

  /// The next piece; nil at the end.
  /// - Throws: `badData` for a field, a record or a header that is too large.
  mutating func next() throws(Problem) -> CSVPiece? {
    var chunk = rest ?? Chunk()
    rest = nil
    while !isAtEnd, chunk.count < chunk.capacity {
      if try source.read(into: chunk, limit: chunk.capacity - chunk.count) == 0 { isAtEnd = true }
    }
    let start = isAtStart ? Self.markLength(chunk) : 0
    isAtStart = false
    var end = isAtEnd ? chunk.count : lastBorder(chunk, from: start)
    if end == 0, !isAtEnd { (chunk, end) = try grown(chunk, from: start) }
    guard chunk.count > 0 else { return nil }
    if !isAtEnd { rest = Self.copy(chunk, from: end, capacity: Chunk.usualCapacity) }
    let piece = CSVPiece(
      chunk: chunk, start: start,
      place: JSONPlace(offset: place.offset + start, lines: place.lines, lineStart: place.lineStart + start))
    place = unsafe place.advanced(over: chunk.base, count: end)
    chunk.count = end
    if isAtEnd, unsafe chunk.base[end - 1] != 0x0A {
      unsafe chunk.base[end] = 0x0A
      chunk.count += 1
    }
    return piece
  }

  /// Reads on, a little at a time, until a record of the chunk ends or the source does.
  private mutating func grown(_ chunk: Chunk, from start: Int) throws(Problem) -> (Chunk, Int) {
    var chunk = chunk
    var fields = CSVFields(reading, names, from: start)
    while true {
      do throws(CSVFault) { try unsafe fields.scan(chunk.base, to: chunk.count) } catch {
        let place = unsafe place.advanced(over: chunk.base, count: error.offset)
        throw Problem(.badData, error.message, at: "\(source.name):\(place)", hint: error.hint)
      }
      if fields.border > 0 { return (chunk, fields.border) }
      if isAtEnd { return (chunk, chunk.count) }
      if chunk.count == chunk.capacity {
        // Beyond the largest field the chunk grows once, to the largest record: memory that is not touched costs
        // nothing.
        let isSmall = chunk.capacity < reading.maximumField / 2
        let largest = 2 * reading.maximumField + Chunk.usualCapacity
        chunk = Self.copy(chunk, from: 0, capacity: isSmall ? chunk.capacity * 2 : max(largest, chunk.capacity * 2))
      }
      let room = min(chunk.capacity - chunk.count, Chunk.usualCapacity)
      if try source.read(into: chunk, limit: room) == 0 { isAtEnd = true }
    }
  }

  /// The place after the last line feed outside quotes; 0 when there is none.
  private func lastBorder(_ chunk: Chunk, from start: Int) -> Int {
    if strayQuotes == .kept,
      unsafe bb_has_stray_quote(chunk.base + start, chunk.count - start, reading.delimiter) != 0
    {
      var fields = CSVFields(reading, nil, from: start)
      // A field that is too large is reported when the chunk grows.
      do throws(CSVFault) { try unsafe fields.scan(chunk.base, to: chunk.count) } catch { return 0 }
      return fields.border
    }
    var isInside = unsafe bb_count_byte(chunk.base, chunk.count, UInt8(ascii: "\"")) & 1 == 1
    var at = chunk.count
    while at > 0 {
      at -= 1
      let byte = unsafe chunk.base[at]
      if byte == UInt8(ascii: "\"") { isInside.toggle() }
      if byte == 0x0A, !isInside { return at + 1 }
    }
    return 0
  }

  /// The bytes of a byte order mark.
  private static func markLength(_ chunk: Chunk) -> Int {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard chunk.count >= 3, unsafe mark.elementsEqual(UnsafeBufferPointer(start: chunk.base, count: 3)) else {
      return 0
    }
    return 3
  }

  private static func copy(_ chunk: Chunk, from start: Int, capacity: Int) -> Chunk {
    let copy = Chunk(capacity: max(capacity, chunk.count - start))
    unsafe copy.base.update(from: chunk.base + start, count: chunk.count - start)
    copy.count = chunk.count - start
    return copy
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
  /// Fields of the record that ended.
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
  mutating func scan(_ base: UnsafePointer<UInt8>, to end: Int) throws(CSVFault) {
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
        throw CSVFault.fieldTooLong(name, maximum: reading.maximumField, at: fieldStart)
      }
      if at - recordStart > 2 * reading.maximumField {
        throw CSVFault.recordTooLong(maximum: reading.maximumField, at: recordStart)
      }
    }
  }

  private mutating func event(_ byte: UInt8, at place: Int) throws(CSVFault) {
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
      guard fields < max(names.count, 1) else { throw CSVFault.ragged(nil, of: names.count, at: fieldStart) }
    } else if fields >= CSVReading.maximumColumns {
      throw CSVFault.tooManyColumns(at: fieldStart)
    }
  }
}
