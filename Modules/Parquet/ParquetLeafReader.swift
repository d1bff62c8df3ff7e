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
  private var values = Values.decoded(ParquetDecoded(cells: [], arena: Arena([])))
  private var value = 0

  private enum Values {
    case decoded(ParquetDecoded)
    /// Positions in the dictionary.
    case indexed([UInt32])
    /// Values that share prefixes with those before them, of which one is known.
    case prefixed(ParquetPrefixes)
    /// Texts of a page that is too large for memory.
    case streamed(ParquetTextStream)
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
    (values, value) = (other.values, other.value)
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
      guard compressed <= ParquetDecompression.maximumPage else { throw .damage("a page is larger than 1 GiB") }
      let bytes = try read(offset, compressed)
      offset += compressed
      let run = ByteRun(bytes, 0, UInt32(bytes.count))
      if let crc = header.integer(4) {
        let found: UInt32
        do throws(Problem) { found = try bytes.read { (bytes) throws(Problem) in try Zlib.crc32(bytes) } } catch {
          throw .problem(error)
        }
        guard found == UInt32(truncatingIfNeeded: crc) else {
          throw .damage("a page has a wrong checksum")
        }
      }
      switch header.integer(1) {
      case 2:
        guard dictionary == nil, let description = header.structure(7) else {
          throw .damage("a column has several dictionaries")
        }
        let page = try ParquetDecompression.decompress(run, codec: place.codec, size: plain)
        var cursor = ParquetCursor(ByteRun(page, 0, UInt32(page.count)))
        let count = description.integer(1) ?? 0
        guard (0...Self.maximumLevels).contains(count) else { throw .damage("a dictionary is too large") }
        dictionary = try decoder.plain(&cursor, count: count, page)
        // Values with a length before each, in a column of fixed length, would be shifted.
        guard cursor.left == 0 || node.physicalType != 7 else {
          throw .damage("a dictionary has another size than its values")
        }
        if isDictionary { return }
      case 0:
        guard let description = header.structure(5) else { throw .damage("a page has no header") }
        let areUsual = description.integer(3) ?? 3 == 3 && description.integer(4) ?? 3 == 3
        if areUsual, let stream = try stream(bytes, at: 0, plain, encoding: description.integer(2)) {
          (levelCount, level, value) = (try count(description), 0, 0)
          repetition = try levels(stream, most: node.repetitionLevel)
          definition = try levels(stream, most: node.definition)
          values = .streamed(stream)
          if levelCount > 0 { return }
          continue
        }
        try begin(
          try count(description), try ParquetDecompression.decompress(run, codec: place.codec, size: plain), description
        )
        if levelCount > 0 { return }
      case 3:
        guard let description = header.structure(8) else { throw .damage("a page has no header") }
        try begin(try count(description), bytes, plain, description)
        if levelCount > 0 { return }
      default: break
      }
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

  private func read(_ offset: Int, _ count: Int) throws(ParquetFailure) -> Arena {
    var bytes = ArenaBuilder(capacity: max(count, 1))
    do throws(Problem) {
      while bytes.count < count {
        guard try source.read(at: offset + bytes.count, count: count - bytes.count, into: &bytes) > 0 else {
          throw Problem(.badData, "the file is shorter than its metadata says", at: source.name)
        }
      }
    } catch {
      throw .problem(error)
    }
    return bytes.freeze()
  }

  /// The header of the page at `offset`, and its size.
  private func nextHeader() throws(ParquetFailure) -> (ThriftStructure, Int) {
    var window = 256
    while true {
      let left = place.range.upperBound - offset
      let bytes = try read(offset, min(window, left))
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

  /// The texts of a page of `size` bytes, compressed in `bytes`, if it is large; nil for one that is decoded at once.
  private func stream(
    _ bytes: Arena, at start: Int, _ size: Int, encoding: Int?
  ) throws(ParquetFailure) -> ParquetTextStream? {
    guard size > ParquetBatchLimit.bytes, encoding == 0, node.physicalType == 6 else { return nil }
    return try ParquetTextStream(bytes, at: start, codec: place.codec, size: size, decoder)
  }

  private func levels(_ stream: ParquetTextStream, most: Int) throws(ParquetFailure) -> ParquetPageLevels {
    guard most > 0 else { return ParquetPageLevels() }
    let size = try stream.count()
    guard size <= Self.maximumLevels else { throw .damage("a page has levels of a wrong size") }
    let bytes = try stream.take(size)
    defer { withExtendedLifetime(bytes) {} }
    var cursor = ParquetCursor(ByteRun(bytes, 0, UInt32(size)))
    return try levels(&cursor, encoding: 3, most: most, count: levelCount, size: size)
  }

  /// Begins a page of version 1.
  private func begin(_ count: Int, _ page: Arena, _ description: ThriftStructure) throws(ParquetFailure) {
    var cursor = ParquetCursor(ByteRun(page, 0, UInt32(page.count)))
    repetition = try levels(
      &cursor, encoding: description.integer(4) ?? 3, most: node.repetitionLevel, count: count, size: nil)
    definition = try levels(
      &cursor, encoding: description.integer(3) ?? 3, most: node.definition, count: count, size: nil)
    try begin(count, &cursor, page, encoding: description.integer(2) ?? 0)
  }

  /// Begins a page of version 2, whose levels are not compressed.
  private func begin(
    _ count: Int, _ bytes: Arena, _ plain: Int, _ description: ThriftStructure
  ) throws(ParquetFailure) {
    var cursor = ParquetCursor(ByteRun(bytes, 0, UInt32(bytes.count)))
    let sizes = (repetition: description.integer(6) ?? 0, definition: description.integer(5) ?? 0)
    guard sizes.repetition >= 0, sizes.definition >= 0, sizes.repetition + sizes.definition <= plain else {
      throw .damage("a page has levels of a wrong size")
    }
    var part = ParquetCursor(try cursor.take(sizes.repetition))
    repetition = try levels(&part, encoding: 3, most: node.repetitionLevel, count: count, size: sizes.repetition)
    part = ParquetCursor(try cursor.take(sizes.definition))
    definition = try levels(&part, encoding: 3, most: node.definition, count: count, size: sizes.definition)
    let rest = try cursor.take(cursor.left), size = plain - sizes.repetition - sizes.definition
    if description.boolean(7) ?? true,
      let stream = try stream(bytes, at: cursor.at - rest.count, size, encoding: description.integer(4))
    {
      (levelCount, level, value, values) = (count, 0, 0, .streamed(stream))
      return
    }
    let codec = description.boolean(7) ?? true ? place.codec : 0
    // Some writers compress nothing to nothing.
    let page = rest.count == 0 ? Arena([]) : try ParquetDecompression.decompress(rest, codec: codec, size: size)
    var values = ParquetCursor(ByteRun(page, 0, UInt32(page.count)))
    try begin(count, &values, page, encoding: description.integer(4) ?? 0)
  }

  private func begin(
    _ count: Int, _ cursor: inout ParquetCursor, _ page: Arena, encoding: Int
  ) throws(ParquetFailure) {
    (levelCount, level, value) = (count, 0, 0)
    let present = definition.count(of: top, in: 0..<count)
    switch encoding {
    case 2, 8:
      guard let dictionary else { throw .damage("a column has no dictionary") }
      guard present > 0 else { return values = .indexed([]) }
      let bits = Int(try cursor.byte())
      guard !dictionary.cells.isEmpty else { throw .damage("a dictionary is empty") }
      values = .indexed(
        try ParquetIntegers.hybrid(
          &cursor, bits: bits, count: present, limit: UInt32(dictionary.cells.count - 1)))
    case 3:
      guard node.physicalType == 0 else { throw .damage("an encoding that is not of its type") }
      guard present > 0 else { return values = .decoded(ParquetDecoded(cells: [], arena: page)) }
      var part = ParquetCursor(try cursor.take(Int(try cursor.littleEndian(4))))
      let bits: [UInt8] = try ParquetIntegers.hybrid(&part, bits: 1, count: present)
      values = .decoded(ParquetDecoded(cells: bits.map { .boolean($0 != 0) }, arena: page))
    case 7 where node.repetitionLevel == 0 && present > 0:
      values = .prefixed(try ParquetPrefixes(&cursor, count: present, page))
    default: values = .decoded(try decoded(&cursor, present, page, encoding))
    }
    if case .decoded(let decoded) = values, decoded.cells.count != present {
      throw .damage("a page has fewer values than its header says")
    }
  }

  private func decoded(
    _ cursor: inout ParquetCursor, _ count: Int, _ page: Arena, _ encoding: Int
  ) throws(ParquetFailure) -> ParquetDecoded {
    if count == 0 { return ParquetDecoded(cells: [], arena: page) }
    switch encoding {
    case 0: return try decoder.plain(&cursor, count: count, page)
    case 5: return try decoder.integers(try ParquetIntegers.deltas(&cursor, limit: count))
    case 6:
      let lengths = try ParquetIntegers.deltas(&cursor, limit: count).map { Int($0) }
      let bytes = try copy(try cursor.take(cursor.left))
      return try decoder.strings(lengths, bytes)
    case 7:
      var prefixed = try ParquetPrefixes(&cursor, count: count, page)
      var all = ArenaBuilder(capacity: 1 << 16), lengths: [Int] = []
      for _ in 0..<count {
        try prefixed.advance()
        guard all.count + prefixed.text.count <= ParquetBatchLimit.bytes * 8 else {
          throw .damage("a nested page has more than \(ParquetBatchLimit.bytes >> 17) MiB of text")
        }
        all.append(prefixed.text)
        lengths.append(prefixed.text.count)
      }
      return try decoder.strings(lengths, all.freeze())
    case 9:
      let width =
        switch node.physicalType {
        case 1, 4: 4
        case 2, 5: 8
        case 7: node.typeLength
        default: 0
        }
      guard width > 0 else { throw .damage("an encoding that is not of its type") }
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

  /// The starts of dictionary entries in the arena of the current batch; all ones where an entry is not in it yet.
  private var starts: [UInt32] = []

  /// Forgets what was read before the next row.
  func forget() { if case .streamed(let stream) = values { stream.forget(before: value) } }

  /// Begins a batch: nothing of it is in its arena yet.
  func beginBatch() { starts = [] }

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
      case .decoded(let decoded):
        var present = definition.count(of: top, in: levels)
        while count > 1, textSize(of: present, in: decoded) > budget {
          count /= 2
          levels = level..<level + count
          present = definition.count(of: top, in: levels)
        }
        budget -= textSize(of: present, in: decoded)
        let shift = try copyTexts(of: present, &arena)
        for next in levels {
          if areAll || definition[next] == top {
            cells[place] = decoded.cells[value].moved(by: shift)
            value += 1
          } else {
            cells[place] = .null
          }
          place += width
        }
      case .indexed(let indices):
        for next in levels {
          if areAll || definition[next] == top {
            let cell = try entry(Int(indices[value]), &arena)
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
      case .prefixed(var prefixed):
        values = .decoded(ParquetDecoded(cells: [], arena: Arena([])))
        defer { values = .prefixed(prefixed) }
        count = try fillTexts(levels, hasRow: row > 0, &cells, &place, width, &arena, &budget) {
          (_) throws(ParquetFailure) in
          try prefixed.advance()
          return Arena(prefixed.text)
        }
      case .streamed(let stream):
        count = try fillTexts(levels, hasRow: row > 0, &cells, &place, width, &arena, &budget) {
          (number) throws(ParquetFailure) in try stream.text(number)
        }
      }
      level += count
      row += count
    }
    return rows
  }

  /// Puts texts that come one after the other into cells.
  /// - Parameter hasRow: whether there is a row before these, so that none needs to come after the budget.
  /// - Returns: the number of levels that were used.
  private func fillTexts(
    _ levels: Range<Int>, hasRow: Bool, _ cells: inout CellsBuilder, _ place: inout Int, _ width: Int,
    _ arena: inout ArenaBuilder, _ budget: inout Int, next text: (_ value: Int) throws(ParquetFailure) -> Arena
  ) throws(ParquetFailure) -> Int {
    let top = top, areAll = definition.areAll(top)
    for level in levels {
      cells[place] = .null
      if areAll || definition[level] == top {
        if budget <= 0, hasRow || level > levels.lowerBound { return level - levels.lowerBound }
        let text = try text(value)
        value += 1
        budget -= text.count
        cells[place] = try put(text, &arena)
      }
      place += width
    }
    return levels.count
  }

  /// The bytes of the next `count` values of a page.
  private func textSize(of count: Int, in decoded: ParquetDecoded) -> Int {
    guard count > 0, let start = decoded.cells[value].range?.lowerBound,
      let end = decoded.cells[value + count - 1].range?.upperBound
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
      let present = definition.count(of: top, in: level..<level + count)
      if case .prefixed(var prefixed) = values {
        for _ in 0..<present { try prefixed.advance() }
        values = .prefixed(prefixed)
      } else if case .streamed(let stream) = values {
        for number in value..<value + present {
          _ = try stream.text(number)
          stream.forget(before: number + 1)
        }
      }
      value += present
      level += count
      left -= count
    }
  }

  /// Copies the bytes of the next `count` values of the page; returns the distance to their copies.
  private func copyTexts(of count: Int, _ arena: inout ArenaBuilder) throws(ParquetFailure) -> Int {
    guard case .decoded(let decoded) = values, count > 0 else { return 0 }
    guard let start = decoded.cells[value].range?.lowerBound,
      let end = decoded.cells[value + count - 1].range?.upperBound
    else {
      // JSON values that are numbers or words have no bytes.
      let ranges = decoded.cells[value..<value + count].compactMap(\.range)
      guard let low = ranges.first?.lowerBound, let high = ranges.last?.upperBound else { return 0 }
      return try append(decoded.arena, low..<high, &arena) - low
    }
    return try append(decoded.arena, start..<end, &arena) - start
  }

  /// The value that is stored as a text, with its bytes in `arena`.
  private func put(_ text: Arena, _ arena: inout ArenaBuilder) throws(ParquetFailure) -> Cell {
    let decoded = try decoder.strings([text.count], text), cell = decoded.cells[0]
    guard let range = cell.range else { return cell }
    return cell.moved(by: try append(decoded.arena, range, &arena) - range.lowerBound)
  }

  private func append(_ bytes: Arena, _ range: Range<Int>, _ arena: inout ArenaBuilder) throws(ParquetFailure) -> Int {
    guard arena.count + range.count <= 1 << 30 else { throw .damage("a row group has more than 1 GiB of text") }
    let start = arena.count
    bytes.read { arena.append($0.extracting(range)) }
    return start
  }

  /// An entry of the dictionary, with its bytes in `arena`, where they are once.
  @inline(__always)
  private func entry(_ index: Int, _ arena: inout ArenaBuilder) throws(ParquetFailure) -> Cell {
    guard let dictionary else { return .null }
    let cell = dictionary.cells[index]
    guard let range = cell.range else { return cell }
    if starts.isEmpty { starts = Array(repeating: .max, count: dictionary.cells.count) }
    if starts[index] == .max { starts[index] = UInt32(try append(dictionary.arena, range, &arena)) }
    return cell.moved(by: Int(starts[index]) - range.lowerBound)
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
      case .decoded(let decoded):
        // One value at a time, since lists are short.
        let shift = try copyTexts(of: 1, &target.arena)
        target.cells.append(decoded.cells[value].moved(by: shift))
      case .indexed(let indices): target.cells.append(try entry(Int(indices[value]), &target.arena))
      case .streamed(let stream): target.cells.append(try put(try stream.text(value), &target.arena))
      case .prefixed: throw .damage("the levels of a nested column do not agree")
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
