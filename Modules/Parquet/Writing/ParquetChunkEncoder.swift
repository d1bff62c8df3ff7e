import Codecs
import Rows

/// Encodes the values of one column in a row group: a dictionary page if it pays, then pages of data.
struct ParquetChunkEncoder: ~Copyable {
  /// The numbers of encodings in the format's enumeration `Encoding`.
  private enum Encoding {
    static let plain = 0, runLength = 3, deltaBinaryPacked = 5, dictionary = 8
  }
  /// A page also ends after so many bytes of text.
  private static let maximumPageBytes = 1 << 20

  private let options: ParquetOptions
  private let compressor: PageCompressor
  private let groupStart: Int
  private var page = ByteBuffer(), compressed = ByteBuffer()

  /// An encoder whose pages `compressor` compresses, of a row group that begins at `groupStart` in the output.
  init(_ options: ParquetOptions, _ compressor: PageCompressor, groupStart: Int) {
    self.options = options
    self.compressor = compressor
    self.groupStart = groupStart
  }

  /// Appends the pages of a column chunk.
  mutating func append(_ values: ParquetValues, rows: Int, to out: inout ByteBuffer) throws(Problem)
    -> ParquetChunk
  {
    var chunk = ParquetChunk()
    if values.isDictionary {
      chunk.dictionaryOffset = out.count - groupStart
      page.removeAll()
      Self.appendPlain(values, 0..<values.entryCount, to: &page)
      let sizes = try appendPage(to: &out) { header in
        header.structure(7) {
          $0.integer32(1, values.entryCount)
          $0.integer32(2, Encoding.plain)
        }
      }
      chunk.uncompressedSize += sizes.uncompressed
      chunk.compressedSize += sizes.compressed
    }
    let encoding: Int =
      values.isDictionary ? Encoding.dictionary : values.areAscending ? Encoding.deltaBinaryPacked : Encoding.plain
    chunk.encodings = [encoding, Encoding.runLength] + (values.isDictionary ? [Encoding.plain] : [])
    chunk.levelCount = values.levelCount

    var level = 0, value = 0, row = 0
    repeat {
      let (levelEnd, valueEnd, rowEnd) = pageEnd(values, level: level, value: value, row: row, rows: rows)
      page.removeAll()
      Self.appendLevels(values, level..<levelEnd, to: &page)
      switch encoding {
      case Encoding.dictionary: Self.appendIndices(values, value..<valueEnd, to: &page)
      case Encoding.deltaBinaryPacked:
        unsafe values.integers.entries[value..<valueEnd].withUnsafeBufferPointer {
          unsafe DeltaBinaryPacking.append($0, to: &page)
        }
      default: Self.appendPlain(values, value..<valueEnd, to: &page)
      }
      // Before the page is compressed: its texts are still in the cache.
      let bounds = bounds(values, value..<valueEnd)
      let offset = out.count - groupStart
      let sizes = try appendPage(to: &out) { header in
        header.structure(5) {
          $0.integer32(1, levelEnd - level)
          $0.integer32(2, encoding)
          $0.integer32(3, Encoding.runLength)
          $0.integer32(4, Encoding.runLength)
        }
      }
      chunk.uncompressedSize += sizes.uncompressed
      chunk.compressedSize += sizes.compressed
      chunk.pages.append(
        ParquetPage(
          offset: offset, size: sizes.compressed, firstRow: row,
          nullCount: levelEnd - level - (valueEnd - value), valueCount: valueEnd - value,
          bounds: bounds))
      (level, value, row) = (levelEnd, valueEnd, rowEnd)
    } while row < rows
    return chunk
  }

  // MARK: Pages

  /// Appends the header and the compressed bytes of `page`.
  private mutating func appendPage(
    to out: inout ByteBuffer, _ describe: (inout ThriftWriter) -> Void
  ) throws(Problem) -> (uncompressed: Int, compressed: Int) {
    compressed.removeAll()
    try page.read { (span) throws(Problem) in try compressor.append(span, to: &compressed) }
    let crc = try compressed.read { (bytes) throws(Problem) in try Zlib.crc32(bytes) }
    var kind = 0
    let body = ThriftWriter.structure { thrift in
      var inner = ThriftWriter()
      describe(&inner)
      // The number of the field that describes the page tells its type: 5 is data, 7 a dictionary.
      kind = inner.bytes.first.map { $0 >> 4 == 7 ? 2 : 0 } ?? 0
      thrift.integer32(1, kind)
      thrift.integer32(2, page.count)
      thrift.integer32(3, compressed.count)
      thrift.integer32(4, Int(Int32(bitPattern: crc)))
      describe(&thrift)
    }
    out.append(bytes: body)
    compressed.read { span in out.append(span) }
    return (page.count + body.count, compressed.count + body.count)
  }

  /// Where the page that begins at a level, value and row ends.
  private func pageEnd(
    _ values: ParquetValues, level: Int, value: Int, row: Int, rows: Int
  ) -> (level: Int, value: Int, row: Int) {
    let lastRow = min(rows, row + options.pageRows),
      isPlainText = values.column.storage == .runs && !values.isDictionary
    if values.definition.isEmpty, !isPlainText {
      return (level + lastRow - row, value + lastRow - row, lastRow)
    }
    let top = values.column.definitionLevel
    var level = level, value = value, row = row, bytes = 0
    while row < lastRow, bytes < Self.maximumPageBytes {
      repeat {
        if values.definition.isEmpty || values.definition[level] == top {
          if isPlainText { bytes += values.runs.entries[value].count + 4 }
          value += 1
        }
        level += 1
      } while values.column.isList && level < values.repetition.count && values.repetition[level] == 1
      row += 1
    }
    return (level, value, row)
  }

  // MARK: Encodings

  private static func appendLevels(_ values: ParquetValues, _ range: Range<Int>, to out: inout ByteBuffer) {
    if values.column.isList { appendLevels(values.repetition[range], bits: 1, to: &out) }
    if values.definition.isEmpty {
      appendLevels(run: range.count, of: 1, bits: 1, to: &out)
    } else {
      appendLevels(values.definition[range], bits: values.column.definitionBits, to: &out)
    }
  }

  /// Appends levels with their size in four bytes before them.
  static func appendLevels(_ levels: ArraySlice<UInt8>, bits: Int, to out: inout ByteBuffer) {
    if let first = levels.first, levels.allSatisfy({ $0 == first }) {
      return appendLevels(run: levels.count, of: first, bits: bits, to: &out)
    }
    var packed = ByteBuffer(capacity: 4096)
    unsafe levels.map(UInt32.init).withUnsafeBufferPointer {
      unsafe RunLengthBitPacking.append($0, bits: bits, to: &packed)
    }
    out.append(littleEndian: UInt64(packed.count), count: 4)
    packed.read { span in out.append(span) }
  }

  private static func appendLevels(run length: Int, of level: UInt8, bits: Int, to out: inout ByteBuffer) {
    var packed = ByteBuffer(capacity: 16)
    RunLengthBitPacking.append(run: length, of: UInt32(level), bits: bits, to: &packed)
    out.append(littleEndian: UInt64(packed.count), count: 4)
    packed.read { span in out.append(span) }
  }

  private static func appendIndices(_ values: ParquetValues, _ range: Range<Int>, to out: inout ByteBuffer) {
    let bits = max(1, Int.bitWidth - (values.entryCount - 1).leadingZeroBitCount)
    out.append(byte: UInt8(bits))
    unsafe values.indices[range].withUnsafeBufferPointer {
      unsafe RunLengthBitPacking.append($0, bits: bits, to: &out)
    }
  }

  private static func appendPlain(_ values: ParquetValues, _ range: Range<Int>, to out: inout ByteBuffer) {
    switch values.column.kind {
    case .boolean:
      BitPacking.append(range.count, filledTo: (range.count + 7) / 8 * 8, bits: 1, to: &out) {
        UInt64(truncatingIfNeeded: values.integers.entries[range.lowerBound + $0])
      }
    case .date, .narrow, .time(perSecond: 1000, _):
      for place in range { out.append(littleEndian: UInt64(bitPattern: values.integers.entries[place]), count: 4) }
    case .float:
      for place in range { out.append(littleEndian: UInt64(Float(values.reals.entries[place]).bitPattern), count: 4) }
    case .decimal where values.column.kind.isWide:
      for place in range { out.append(bytes: values.runs.entries[place].bytes) }
    case .integer, .milliseconds, .microseconds, .nanoseconds, .time, .unsigned, .decimal:
      BitPacking.append(range.count, filledTo: range.count, bits: 64, to: &out) {
        UInt64(bitPattern: values.integers.entries[range.lowerBound + $0])
      }
    case .real:
      BitPacking.append(range.count, filledTo: range.count, bits: 64, to: &out) {
        values.reals.entries[range.lowerBound + $0].bitPattern
      }
    case .text, .json, .bytes:
      for place in range {
        let slice = values.runs.entries[place], count = slice.count
        let room = unsafe out.room(count + 4)
        unsafe UnsafeMutableRawPointer(room).storeBytes(of: UInt32(count).littleEndian, as: UInt32.self)
        unsafe (room + 4).update(from: slice.start, count: count)
        unsafe out.commit(room + 4 + count)
      }
    }
  }

  // MARK: Bounds

  private func bounds(_ values: ParquetValues, _ range: Range<Int>) -> ParquetBounds {
    guard options.writesStatistics, !range.isEmpty else { return ParquetBounds() }
    guard values.isDictionary else { return Self.bounds(values, range) { $0 } }
    // Fewer comparisons: each entry of the dictionary that the page uses, once.
    var isUsed = [Bool](repeating: false, count: values.entryCount)
    for index in values.indices[range] { isUsed[Int(index)] = true }
    let used = isUsed.indices.filter { isUsed[$0] }
    return Self.bounds(values, used.indices) { used[$0] }
  }

  @inline(__always)
  private static func bounds(_ values: ParquetValues, _ range: Range<Int>, _ place: (Int) -> Int)
    -> ParquetBounds
  {
    let first = place(range.lowerBound)
    switch values.column.kind {
    // Their order is not that of signed integers.
    case .unsigned: return ParquetBounds()
    case .decimal where values.column.kind.isWide: return ParquetBounds()
    case .real, .float:
      var least = Double.infinity, greatest = -Double.infinity, isEmpty = true
      for index in range {
        let value = values.reals.entries[place(index)]
        if value.isNaN { continue }
        isEmpty = false
        if value < least { least = value }
        if value > greatest { greatest = value }
      }
      return isEmpty ? ParquetBounds() : ParquetBounds(least, greatest)
    case .text, .json, .bytes:
      var least = values.runs.entries[first], greatest = least
      for index in range.dropFirst() {
        let slice = values.runs.entries[place(index)]
        if ByteOrder.compare(slice, least) < 0 { least = slice }
        if ByteOrder.compare(slice, greatest) > 0 { greatest = slice }
      }
      return unsafe ParquetBounds(
        UnsafeBufferPointer(start: least.start, count: least.count),
        UnsafeBufferPointer(start: greatest.start, count: greatest.count), isText: values.column.kind != .bytes)
    default:
      var least = values.integers.entries[first], greatest = least
      for index in range.dropFirst() {
        let value = values.integers.entries[place(index)]
        if value < least { least = value }
        if value > greatest { greatest = value }
      }
      return ParquetBounds(least, greatest)
    }
  }
}
