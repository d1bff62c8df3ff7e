import Codecs
import Rows

/// Reads the values of one leaf in one row group, page by page.
final class ParquetLeafReader {
  /// The most values of a page.
  private static let maximumLevels = 1 << 24

  let node: ParquetNode
  private let source: any RandomAccessSource
  private let place: ParquetChunkPlace
  private let decoder: ParquetDecoder
  private var offset: Int
  /// The values and nulls that no page so far has.
  private var levelsLeft: Int
  /// Whether pages were passed over, so that `levelsLeft` is only an upper bound.
  private var hasSkipped = false
  private var dictionary: ParquetDecoded?

  /// The levels of the current page.
  private var repetition = ParquetPageLevels(), definition = ParquetPageLevels()
  private var levelCount = 0, level = 0
  private var values = Values.indexed([])
  /// The number of the next value, and that of all, which are not null.
  private var value = 0, valueCount = 0

  private enum Values {
    case decoded(ParquetChunks)
    /// Positions in the dictionary.
    case indexed([UInt32])
  }

  init(_ source: any RandomAccessSource, _ place: ParquetChunkPlace, _ decoder: ParquetDecoder) {
    self.source = source
    self.place = place
    self.decoder = decoder
    node = decoder.node
    offset = place.range.lowerBound
    levelsLeft = place.levelCount
  }

  init(copying other: ParquetLeafReader) {
    (source, place, decoder, node, dictionary) = (
      other.source, other.place, other.decoder, other.node, other.dictionary
    )
    (offset, levelsLeft, hasSkipped) = (other.offset, other.levelsLeft, other.hasSkipped)
    (repetition, definition, levelCount, level) = (other.repetition, other.definition, other.levelCount, other.level)
    (values, value, valueCount) = (other.values, other.value, other.valueCount)
  }

  /// The most bytes of text that a value of the leaf has; nil if only its pages tell. Called before any row is read.
  func longestText() throws(ParquetFailure) -> Int? {
    if place.hasPrefixes { return nil }
    switch decoder.kind {
    case .boolean, .signed, .unsigned32, .float, .double, .half: return 0
    case .decimal(let scale): return max(24, scale + 4, node.typeLength * 3)
    case .unsigned64, .date, .time, .timestamp, .int96, .uuid, .interval: return 36
    case .text, .json, .bytes: break
    }
    guard place.hasDictionary, place.levelCount > 0 else { return 0 }
    try nextPage(isDictionary: true)
    return dictionary?.cells.reduce(0) { max($0, $1.range?.count ?? 0) } ?? 0
  }

  // MARK: - Pages

  /// The definition level of values.
  private var top: UInt8 { UInt8(truncatingIfNeeded: node.definition) }
  private var isAtEnd: Bool { levelsLeft == 0 || hasSkipped && offset >= place.range.upperBound }

  /// Reads the next page that has values.
  /// - Parameter isDictionary: whether to stop after the dictionary.
  private func nextPage(isDictionary: Bool = false) throws(ParquetFailure) {
    while true {
      guard !isAtEnd else { throw .damage("there are fewer values than rows") }
      let (header, size) = try nextHeader()
      offset += size
      let compressed = header.integer(3) ?? -1, plain = header.integer(2) ?? -1
      guard compressed >= 0, plain >= 0, compressed <= place.range.upperBound - offset else {
        throw .damage("a page is outside its column")
      }
      let isSecond = header.integer(1) == 3, start = offset
      let description = header.structure(isSecond ? 8 : header.integer(1) == 2 ? 7 : 5)
      offset += compressed
      guard [0, 2, 3].contains(header.integer(1)) else { continue }
      guard let description else { throw .damage("a page has no header") }
      let bytes = try ParquetPageBytes(
        source, start..<offset, codec: isSecond && description.boolean(7) == false ? 0 : place.codec, size: plain,
        checksum: header.integer(4).map { UInt32(truncatingIfNeeded: $0) })
      guard header.integer(1) == 2 else {
        try begin(bytes, description, isSecond: isSecond)
        if levelCount > 0 { return }
        continue
      }
      guard dictionary == nil else { throw .damage("a column has several dictionaries") }
      let page = try bytes.rest()
      var cursor = ParquetCursor(ByteRun(page, 0, UInt32(page.count)))
      let count = description.integer(1) ?? 0
      guard (0...Self.maximumLevels).contains(count) else { throw .damage("a dictionary is too large") }
      dictionary = try decoder.plain(&cursor, count: count, page)
      // Values with a length before each, in a column of fixed length, would be shifted.
      guard cursor.left == 0 || node.physicalType != 7 else {
        throw .damage("a dictionary has another size than its values")
      }
      if isDictionary { return }
    }
  }

  private func count(_ description: ThriftStructure) throws(ParquetFailure) -> Int {
    let count = description.integer(1) ?? -1
    guard count >= 0, count <= levelsLeft, count <= Self.maximumLevels else {
      throw .damage("a page has more values than its column")
    }
    levelsLeft -= count
    return count
  }

  /// The header of the page at `offset`, and its size.
  private func nextHeader() throws(ParquetFailure) -> (ThriftStructure, Int) {
    var window = 256
    while true {
      let left = place.range.upperBound - offset
      let bytes = try source.read(offset, min(window, left))
      var cursor = ParquetCursor(ByteRun(bytes, 0, UInt32(bytes.count)))
      do throws(ParquetFailure) {
        let header = try ThriftStructure(&cursor)
        // The statistics of a header refer to its bytes, and are not used.
        return (header, cursor.at)
      } catch {
        guard window < left, window < 16 << 20 else { throw .damage("the header of a page is not valid") }
        window *= 16
      }
    }
  }

  private func levels(
    _ cursor: inout ParquetCursor, encoding: Int, most: Int, count: Int, size: Int?
  ) throws(ParquetFailure) -> ParquetPageLevels {
    guard most > 0 else { return ParquetPageLevels() }
    guard most < 256 else { throw .damage("a column is nested too deeply") }
    let bits = Int.bitWidth - most.leadingZeroBitCount
    if encoding == 4, size == nil {
      return ParquetPageLevels(try ParquetIntegers.bitPacked(&cursor, bits: bits, count: count))
    }
    var length = size ?? 0
    if size == nil { length = Int(try cursor.littleEndian(4)) }
    var part = ParquetCursor(try cursor.take(length))
    return ParquetPageLevels(try ParquetIntegers.hybrid(&part, bits: bits, count: count, limit: UInt8(most)))
  }

  /// The levels that the bytes of an arena are.
  private func levels(_ bytes: Arena, most: Int) throws(ParquetFailure) -> ParquetPageLevels {
    defer { withExtendedLifetime(bytes) {} }
    var cursor = ParquetCursor(ByteRun(bytes, 0, UInt32(bytes.count)))
    return try levels(&cursor, encoding: 3, most: most, count: levelCount, size: bytes.count)
  }

  /// Begins a page of version 1, or of the second, whose levels are not compressed.
  private func begin(
    _ bytes: ParquetPageBytes, _ description: ThriftStructure, isSecond: Bool
  ) throws(ParquetFailure) {
    (levelCount, level, value) = (try count(description), 0, 0)
    let encoding = description.integer(isSecond ? 4 : 2) ?? 0
    let encodings = (description.integer(4) ?? 3, description.integer(3) ?? 3)
    if isSecond {
      repetition = try levels(try bytes.stored(description.integer(6) ?? 0), most: node.repetitionLevel)
      definition = try levels(try bytes.stored(description.integer(5) ?? 0), most: node.definition)
    }
    if bytes.isLarge, encoding == 0, node.width ?? 1 > 0, isSecond || encodings == (3, 3) {
      if !isSecond {
        for (most, levels) in [(node.repetitionLevel, \ParquetLeafReader.repetition), (node.definition, \.definition)] {
          let size = most > 0 ? try bytes.count() : 0
          guard size <= Self.maximumLevels else { throw .damage("a page has levels of a wrong size") }
          self[keyPath: levels] = try self.levels(try bytes.take(size), most: most)
        }
      }
      valueCount = definition.count(of: top, in: 0..<levelCount)
      return values = .decoded(ParquetChunks { [decoder] () throws(ParquetFailure) in try bytes.values(decoder) })
    }
    let page = try bytes.rest()
    var cursor = ParquetCursor(ByteRun(page, 0, UInt32(page.count)))
    if !isSecond {
      repetition = try levels(
        &cursor, encoding: encodings.0, most: node.repetitionLevel, count: levelCount, size: nil)
      definition = try levels(&cursor, encoding: encodings.1, most: node.definition, count: levelCount, size: nil)
    }
    valueCount = definition.count(of: top, in: 0..<levelCount)
    try begin(&cursor, page, encoding: encoding)
  }

  private func begin(_ cursor: inout ParquetCursor, _ page: Arena, encoding: Int) throws(ParquetFailure) {
    let count = valueCount
    guard count > 0 else { return values = .indexed([]) }
    switch encoding {
    case 2, 8:
      guard let dictionary else { throw .damage("a column has no dictionary") }
      let bits = Int(try cursor.byte())
      guard !dictionary.cells.isEmpty else { throw .damage("a dictionary is empty") }
      values = .indexed(
        try ParquetIntegers.hybrid(&cursor, bits: bits, count: count, limit: UInt32(dictionary.cells.count - 1)))
    case 3:
      guard node.physicalType == 0 else { throw .damage("an encoding that is not of its type") }
      var part = ParquetCursor(try cursor.take(Int(try cursor.littleEndian(4))))
      let bits: [UInt8] = try ParquetIntegers.hybrid(&part, bits: 1, count: count)
      values = .decoded(
        ParquetChunks.parts(of: bits) { part in ParquetDecoded(cells: part.map { .boolean($0 != 0) }, arena: page) })
    case 0:
      var rest = cursor, left = count
      values = .decoded(
        ParquetChunks { [decoder] () throws(ParquetFailure) in
          let count = min(left, ParquetChunks.values)
          left -= count
          return try decoder.plain(&rest, count: count, page)
        })
    case 5:
      let numbers = try ParquetIntegers.deltas(&cursor, limit: count)
      values = .decoded(
        ParquetChunks.parts(of: numbers) { [decoder] (part) throws(ParquetFailure) in try decoder.integers(part) })
    case 7:
      var prefixed = try ParquetPrefixes(&cursor, count: count, page)
      values = .decoded(
        ParquetChunks { [decoder] () throws(ParquetFailure) in
          var texts = ArenaBuilder(capacity: ParquetChunks.bytes), lengths: [Int] = []
          while lengths.isEmpty || texts.count < ParquetChunks.bytes, try prefixed.advance() {
            texts.append(prefixed.text)
            lengths.append(prefixed.text.count)
          }
          return try decoder.strings(lengths, texts.freeze())
        })
    default: values = .decoded(ParquetChunks(try decoded(&cursor, count, encoding)))
    }
  }

  private func decoded(
    _ cursor: inout ParquetCursor, _ count: Int, _ encoding: Int
  ) throws(ParquetFailure) -> ParquetDecoded {
    switch encoding {
    case 6:
      let lengths = try ParquetIntegers.deltas(&cursor, limit: count).map { Int($0) }
      let bytes = try copy(try cursor.take(cursor.left))
      return try decoder.strings(lengths, bytes)
    case 9:
      guard let width = node.width, width > 0 else { throw .damage("an encoding that is not of its type") }
      let (size, isTooLarge) = count.multipliedReportingOverflow(by: width)
      guard !isTooLarge else { throw .short }
      let streams = try cursor.take(size)
      var bytes = [UInt8](repeating: 0, count: size)
      for stream in 0..<width {
        for place in 0..<count { bytes[place * width + stream] = streams[stream * count + place] }
      }
      let arena = Arena(bytes)
      var part = ParquetCursor(ByteRun(arena, 0, UInt32(size)))
      return try decoder.plain(&part, count: count, arena)
    default: throw .damage("an encoding that is not supported (\(encoding))")
    }
  }

  private func copy(_ bytes: ByteRun) throws(ParquetFailure) -> Arena {
    var copy = ArenaBuilder(capacity: max(bytes.count, 1))
    unsafe copy.append(RawSpan(_unsafeStart: bytes.start, byteCount: bytes.count))
    return copy.freeze()
  }

  // MARK: - Rows

  /// The entries of the dictionary as cells of the current batch; null where an entry is not in its arena yet.
  private var placed: [Cell] = []

  /// Forgets what was read before the next row.
  func forget() { if case .decoded(let chunks) = values { chunks.forget(before: value) } }

  /// The next values of a page, with the place of the first.
  private func decoded(_ chunks: ParquetChunks) throws(ParquetFailure) -> (ParquetDecoded, at: Int) {
    value < valueCount ? try chunks.chunk(with: value) : (.none, 0)
  }

  /// Begins a batch: nothing of it is in its arena yet.
  func beginBatch() { placed = [] }

  /// Reads values of a leaf that does not repeat, one for each row.
  /// - Parameter budget: the bytes of text that the rows may have.
  /// - Returns: the number of rows, at least 1: fewer if the others would exceed the budget.
  func fill(
    _ rows: Int, _ cells: inout CellsBuilder, at first: Int, width: Int, _ arena: inout ArenaBuilder,
    budget: inout Int
  ) throws(ParquetFailure) -> Int {
    var row = 0, place = first
    let top = top
    while row < rows {
      if row > 0, budget <= 0 { return row }
      if level == levelCount { try nextPage() }
      var count = min(rows - row, levelCount - level)
      var levels = level..<level + count
      let areAll = definition.areAll(top)
      switch values {
      case .decoded(let chunks):
        let (decoded, at) = try decoded(chunks)
        if value < valueCount { count = min(count, decoded.cells.count - at) }
        levels = level..<level + count
        var present = definition.count(of: top, in: levels)
        while count > 1, textSize(of: present, in: decoded, at) > budget {
          count /= 2
          levels = level..<level + count
          present = definition.count(of: top, in: levels)
        }
        budget -= textSize(of: present, in: decoded, at)
        let shift = try copyTexts(of: present, in: decoded, at, &arena)
        var from = at
        for next in levels {
          if areAll || definition[next] == top {
            cells[place] = decoded.cells[from].moved(by: shift)
            from += 1
          } else {
            cells[place] = .null
          }
          place += width
        }
        value += from - at
      case .indexed(let indices):
        var placed: [Cell] = []
        swap(&placed, &self.placed)
        defer { swap(&placed, &self.placed) }
        if placed.isEmpty, let dictionary { placed = Array(repeating: .null, count: dictionary.cells.count) }
        var value = value
        defer { self.value = value }
        for next in levels {
          if areAll || definition[next] == top {
            let index = Int(indices[value])
            if placed[index].isNull { placed[index] = try entry(index, &arena) }
            let cell = placed[index]
            if let length = cell.range?.count {
              budget &-= length
              if budget < 0, row + next - level > 0 {
                count = next - level
                break
              }
            }
            cells[place] = cell
            value += 1
          } else {
            cells[place] = .null
          }
          place += width
        }
      }
      level += count
      row += count
    }
    return rows
  }

  /// The bytes of the next `count` values of a page.
  private func textSize(of count: Int, in decoded: ParquetDecoded, _ at: Int) -> Int {
    guard count > 0, let start = decoded.cells[at].range?.lowerBound,
      let end = decoded.cells[at + count - 1].range?.upperBound
    else { return 0 }
    return end - start
  }

  /// Passes over the rows before `row`, before any row was read.
  /// - Parameter pages: those of the chunk; empty if they are not known.
  func skip(to row: Int, _ pages: [ParquetPageIndex.Page]) throws(ParquetFailure) {
    var left = row
    if let page = pages.last(where: { $0.firstRow <= row }), page.firstRow > 0 {
      if pages[0].offset > place.range.lowerBound { try nextPage(isDictionary: true) }
      (offset, hasSkipped, levelsLeft, levelCount, level) = (page.offset, true, place.levelCount, 0, 0)
      left -= page.firstRow
    }
    beginBatch()
    if node.repetitionLevel > 0 {
      while left > 0 {
        left -= try read(left, into: ParquetLevels(), budget: ParquetBatchLimit.bytes)
        beginBatch()
        forget()
      }
      return
    }
    while left > 0 {
      if level == levelCount { try nextPage() }
      let count = min(left, levelCount - level)
      value += definition.count(of: top, in: level..<level + count)
      if case .decoded(let chunks) = values { try chunks.skip(to: value) }
      level += count
      left -= count
    }
  }

  /// Copies the bytes of the next `count` values of the page; returns the distance to their copies.
  private func copyTexts(
    of count: Int, in decoded: ParquetDecoded, _ at: Int, _ arena: inout ArenaBuilder
  ) throws(ParquetFailure) -> Int {
    guard count > 0 else { return 0 }
    guard let start = decoded.cells[at].range?.lowerBound, let end = decoded.cells[at + count - 1].range?.upperBound
    else {
      // JSON values that are numbers or words have no bytes.
      let ranges = decoded.cells[at..<at + count].compactMap(\.range)
      guard let low = ranges.first?.lowerBound, let high = ranges.last?.upperBound else { return 0 }
      return try append(decoded.arena, low..<high, &arena) - low
    }
    return try append(decoded.arena, start..<end, &arena) - start
  }

  private func append(_ bytes: Arena, _ range: Range<Int>, _ arena: inout ArenaBuilder) throws(ParquetFailure) -> Int {
    guard arena.count + range.count <= 1 << 30 else { throw .damage("a row group has more than 1 GiB of text") }
    let start = arena.count
    bytes.read { arena.append($0.extracting(range)) }
    return start
  }

  /// An entry of the dictionary, with its bytes in `arena`.
  @inline(never)
  private func entry(_ index: Int, _ arena: inout ArenaBuilder) throws(ParquetFailure) -> Cell {
    guard let dictionary else { return .null }
    let cell = dictionary.cells[index]
    guard let range = cell.range else { return cell }
    return cell.moved(by: try append(dictionary.arena, range, &arena) - range.lowerBound)
  }

  /// Reads the levels and values of rows.
  /// - Parameter budget: the bytes of memory that they may need.
  /// - Returns: the number of rows, at least 1: fewer if the others would exceed the budget.
  func read(_ rows: Int, into target: ParquetLevels, budget: Int) throws(ParquetFailure) -> Int {
    var left = rows, rowLevels = 0, rowBytes = 0
    let top = top
    while true {
      if level == levelCount {
        if isAtEnd {
          guard left == 0 else { throw .damage("there are fewer values than rows") }
          return rows
        }
        try nextPage()
      }
      let repeated = repetition[level], defined = definition[level]
      if repeated == 0 {
        if left == 0 || left < rows && target.size > budget { return rows - left }
        left -= 1
        (rowLevels, rowBytes) = (0, 0)
      } else if target.definition.isEmpty {
        throw .damage("a column begins within a row")
      }
      target.repetition.append(repeated)
      target.definition.append(defined)
      level += 1
      rowLevels += 1
      // Each level is at least two characters of the value.
      guard rowLevels <= decoder.maximumField / 2 else { throw decoder.tooLarge }
      guard defined == top else { continue }
      switch values {
      case .decoded(let chunks):
        // One value at a time, since lists are short.
        let (decoded, at) = try decoded(chunks)
        target.cells.append(decoded.cells[at].moved(by: try copyTexts(of: 1, in: decoded, at, &target.arena)))
      case .indexed(let indices):
        let index = Int(indices[value])
        if placed.isEmpty, let dictionary { placed = Array(repeating: .null, count: dictionary.cells.count) }
        if placed[index].isNull { placed[index] = try entry(index, &target.arena) }
        target.cells.append(placed[index])
      }
      value += 1
      rowBytes += target.cells[target.cells.count - 1].range?.count ?? 0
      guard rowBytes <= decoder.maximumField else { throw decoder.tooLarge }
    }
  }
}

enum ParquetBatchLimit {
  /// Bytes of text, counted for each value, and of cells.
  static let bytes = 8 << 20
}
