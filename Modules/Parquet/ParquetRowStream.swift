import Codecs
public import Rows
internal import Synchronization

/// The options for reading a Parquet file as a table.
public struct ParquetReading: Sendable {
  /// The names of the required columns; nil for all. Unknown names are ignored.
  public var columns: [String]?
  /// Types for columns that hold them as more general ones, such as decimals as text.
  public var types = ColumnTypes()
  /// The most bytes that one value may have.
  public var maximumField = 16 << 20
  /// Whether a row group may have a row that is needed, given the bounds of its columns; nil if all are needed.
  public var needsGroup: (@Sendable (_ bounds: (String) -> ParquetGroupBounds?) -> Bool)?
  /// The rows of the file that are read, numbered from 0; nil for all.
  public var rows: Range<Int>?
  /// Whether reading may end before the last row.
  public var mayEnd = false
  /// The rows of a range of the file that are omitted, ascending; nil for none.
  public var omitted: (@Sendable (_ rows: Range<Int>) -> [Int])?

  /// Everything.
  public init() {}
}

/// The statistics of a column in a row group.
public struct ParquetGroupBounds: Sendable {
  /// The least and the greatest value, inclusive; nil if unknown. Texts may be cut: no value is outside.
  public let least: Value?, greatest: Value?
  /// Whether there is a null, and whether there is a value; true if unknown.
  public let hasNull: Bool, hasValue: Bool
  /// Whether a value may occur, as a bloom filter tells; nil without one.
  public var mayContain: (@Sendable (_ text: String) -> Bool)?

  /// Creates statistics.
  public init(least: Value?, greatest: Value?, hasNull: Bool, hasValue: Bool) {
    (self.least, self.greatest, self.hasNull, self.hasValue) = (least, greatest, hasNull, hasValue)
  }
}

/// The records of a Parquet file. Row groups are decoded on any core, large ones in pieces.
///
/// Lists, maps and structures are canonical JSON. Throws `badData` for a file that is damaged or not supported.
public final class ParquetRowStream: ExactRowStream {
  /// The columns that are needed.
  public let schema: Schema
  let file: ParquetFile
  let columns: [ParquetFile.Column]
  let reading: ParquetReading
  /// Whether only the number of rows matters, which the metadata has.
  let isCounted: Bool
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var group = 0
    var isPlanned = false
    /// A large row group of which some rows are left.
    var cursor: ParquetGroupCursor?
    /// Ranges of rows of the last row group, whose other rows are not needed; in reverse.
    var pieces: [Range<Int>] = []
    /// Whether each of them is small enough for a batch.
    var arePiecesSmall = true
  }

  /// A row group that may need more bytes of memory is decoded in pieces.
  private static let maximumGroup = 24 << 20
  private static let rowsPerPiece = 8192

  /// The records of `file` as a table.
  public init(_ file: ParquetFile, table: String, _ reading: ParquetReading = ParquetReading()) throws(Problem) {
    self.file = file
    self.reading = reading
    let wanted = reading.columns.map { Set($0.map { Array($0.utf8) }) }
    var needed = file.columns.filter { wanted?.contains(Array($0.description.name.utf8)) ?? true }
    isCounted = reading.columns?.isEmpty == true
    if needed.isEmpty, !isCounted { needed = Array(file.columns.prefix(1)) }
    needed = needed.map { column in reading.types[column.description.name].map(column.typed) ?? column }
    if let variant = needed.first(where: \.node.hasVariant) {
      throw Problem(
        .badData, "column \(variant.description.name): values of the type VARIANT are not supported",
        at: file.source.name, hint: .set(.columns, for: "exclude the column"))
    }
    guard !needed.isEmpty || isCounted else { throw Problem(.badData, "the file has no columns", at: file.source.name) }
    columns = needed
    let names = file.description?["tableSchema"]
    let keys = names?["primaryKey"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let titles = names?["columns"]?.arrayValue ?? []
    let key = keys.compactMap { key in titles.first { $0["name"]?.stringValue == key }?["titles"]?.stringValue }
    let hasKey = key.count == keys.count && key.allSatisfy { name in needed.contains { $0.description.name == name } }
    schema = Schema(table, key: hasKey && Set(key).count == key.count ? key : [], columns: needed.map(\.description))
  }

  /// The rows from the beginning.
  public func reopened() async throws(Problem) -> (any RowStream)? {
    try ParquetRowStream(file, table: schema.name, reading)
  }

  /// The next row group, or the next piece of a large one.
  public func next() async throws(Problem) -> BatchTask? { try nextWork() }

  /// As `next`.
  package func nextWork() throws(Problem) -> BatchTask? {
    try state.withLock { (state) throws(Problem) in
      if !state.isPlanned, let source = file.source as? any PlannedSource {
        state.isPlanned = true
        source.willRead(try plan(), mayEnd: reading.mayEnd)
      }
      while true {
        if let cursor = state.cursor {
          if cursor.rowsLeft > 0 { return BatchTask(ready: try cursor.next(Self.rowsPerPiece)) }
          state.cursor = nil
        }
        let file = self.file, columns = self.columns, reading = self.reading
        if let range = state.pieces.popLast() {
          let rows = range.lowerBound..<min(range.lowerBound + Self.rowsPerPiece, range.upperBound)
          if rows.upperBound < range.upperBound { state.pieces.append(rows.upperBound..<range.upperBound) }
          let group = file.groups[state.group - 1]
          if !state.arePiecesSmall {
            let cursor = ParquetGroupCursor(file, group, columns, reading)
            try cursor.skip(to: rows.lowerBound)
            cursor.end(after: rows.count)
            state.cursor = cursor
            continue
          }
          return BatchTask { () throws(Problem) in
            let cursor = ParquetGroupCursor(file, group, columns, reading)
            try cursor.skip(to: rows.lowerBound)
            return try cursor.next(rows.count, isWhole: true)
          }
        }
        guard state.group < file.groups.count else { return nil }
        let group = file.groups[state.group]
        state.group += 1
        let own = 0..<group.rowCount, wanted = reading.rows.map { own.clamped(to: group.firstRow, $0) } ?? own
        guard !wanted.isEmpty, isNeeded(group) else { continue }
        if isCounted {
          let first = group.firstRow &+ wanted.lowerBound
          let omitted =
            first < 0 || first > .max - wanted.count ? 0 : reading.omitted?(first..<first + wanted.count).count ?? 0
          return BatchTask(ready: RowBatch(rows: wanted.count - omitted))
        }
        let needed = try neededRows(of: group) ?? (wanted == own ? nil : [own])
        if let ranges = needed.map({ ParquetPageIndex.intersection($0, [wanted]) }) {
          state.pieces = ranges.reversed()
          let cursor = ParquetGroupCursor(file, group, columns, reading)
          state.arePiecesSmall = group.size <= Self.maximumGroup ? try cursor.fits(Self.maximumGroup) : false
          continue
        }
        let cursor = ParquetGroupCursor(file, group, columns, reading)
        let cells = group.rowCount.multipliedReportingOverflow(by: columns.count * MemoryLayout<Cell>.stride)
        var isSmall = !cells.overflow && cells.partialValue <= Self.maximumGroup && group.size <= Self.maximumGroup
        if isSmall { isSmall = try cursor.fits(Self.maximumGroup - cells.partialValue) }
        if !isSmall {
          state.cursor = ParquetGroupCursor(copying: cursor)
        } else {
          return BatchTask { () throws(Problem) in try ParquetGroupCursor(copying: cursor).next(.max, isWhole: true) }
        }
      }
    }
  }

  func isNeeded(_ group: ParquetFile.Group) -> Bool {
    reading.needsGroup?({ bounds($0, group) }) ?? true
  }

  /// A column whose values are compared with bounds.
  private func column(_ name: String) -> ParquetFile.Column? {
    file.columns.first { $0.description.name.utf8.elementsEqual(name.utf8) && $0.node.isFlat }
  }

  private func bounds(_ name: String, _ group: ParquetFile.Group) -> ParquetGroupBounds? {
    guard let column = column(name) else { return nil }
    let chunk = group.chunks[column.node.leaves.lowerBound]
    let least = chunk.least.flatMap { ParquetGroupBounds.value(file.bytes(of: $0), of: column) }
    let greatest = chunk.greatest.flatMap { ParquetGroupBounds.value(file.bytes(of: $0), of: column) }
    var bounds = ParquetGroupBounds(
      least: least, greatest: greatest, hasNull: chunk.nullCount != 0,
      hasValue: chunk.nullCount.map { $0 < group.rowCount } ?? true)
    if column.description.type != .json, let offset = chunk.bloomFilter {
      let source = file.source
      bounds.mayContain = { value in
        guard let hash = ParquetBloomFilter.hash(of: value, column) else { return true }
        // A filter that cannot be read excludes nothing.
        return (try? ParquetBloomFilter.mayContain(hash, source, at: offset)) ?? true
      }
    }
    return bounds
  }

  /// The rows of a group that are on pages whose bounds do not exclude them; nil if that is most of them.
  func neededRows(of group: ParquetFile.Group) throws(Problem) -> [Range<Int>]? {
    guard let needsGroup = reading.needsGroup else { return nil }
    var names: [String] = []
    _ = needsGroup { name in
      names.append(name)
      return bounds(name, group)
    }
    var ranges = [0..<group.rowCount]
    for (place, name) in names.enumerated() where !names[..<place].contains(name) {
      guard let column = column(name) else { continue }
      let index: ParquetPageIndex?
      do throws(ParquetFailure) {
        index = try ParquetPageIndex(
          group.chunks[column.node.leaves.lowerBound], in: file.source, rowCount: group.rowCount, withBounds: true)
      } catch {
        throw error.problem(file.source.name)
      }
      guard let index else { continue }
      let needed = index.rows(of: group.rowCount) { page in
        let own = ParquetGroupBounds(
          least: page.least.flatMap { ParquetGroupBounds.value($0, of: column) },
          greatest: page.greatest.flatMap { ParquetGroupBounds.value($0, of: column) },
          hasNull: page.nullCount != 0, hasValue: page.hasValue)
        return needsGroup { $0.utf8.elementsEqual(name.utf8) ? own : bounds($0, group) }
      }
      ranges = ParquetPageIndex.intersection(ranges, needed)
    }
    return ranges.reduce(0) { $0 + $1.count } > group.rowCount / 2 ? nil : ranges
  }
}

extension ParquetGroupBounds {
  /// A bound as a value of the column; nil for types whose bounds are not used.
  fileprivate static func value(_ bytes: [UInt8], of column: ParquetFile.Column) -> Value? {
    func integer(_ count: Int) -> Int64? {
      guard bytes.count == count else { return nil }
      let value = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return count == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }
    switch column.node.kind {
    case .signed: return integer(column.node.physicalType == 1 ? 4 : 8).map { .integer($0) }
    case .text where column.description.type == .text: return .text(bytes)
    default: return nil
    }
  }
}

/// Decodes the rows of a row group from the first to the last.
///
/// One that several tasks have is only copied.
final class ParquetGroupCursor: @unchecked Sendable {
  private let file: ParquetFile
  private let group: ParquetFile.Group
  private var columns: [(column: ParquetFile.Column, leaves: [ParquetLeafReader])]
  private(set) var rowsLeft: Int
  /// The number of the next row in the group.
  private var row = 0
  private let omitted: (@Sendable (Range<Int>) -> [Int])?
  private let maximumField: Int
  /// The rows of the next batch, unless they have too many bytes.
  private var usualRows = 256

  init(_ file: ParquetFile, _ group: ParquetFile.Group, _ columns: [ParquetFile.Column], _ reading: ParquetReading) {
    (self.file, self.group, omitted, maximumField) = (file, group, reading.omitted, reading.maximumField)
    rowsLeft = group.rowCount
    self.columns = columns.map { column in
      let leaves = Self.leaves(column.node).map { node, kind in
        let type = column.node.isFlat ? column.description.type : nil
        let decoder = ParquetDecoder(
          node: node, kind: kind, columnType: type, scale: column.scale, maximumField: reading.maximumField)
        return ParquetLeafReader(file.source, group.chunks[node.leaves.lowerBound].place, decoder)
      }
      return (column, leaves)
    }
  }

  init(copying other: ParquetGroupCursor) {
    (file, group, rowsLeft, row, omitted) = (other.file, other.group, other.rowsLeft, other.row, other.omitted)
    maximumField = other.maximumField
    columns = Self.copy(other.columns)
  }

  private static func copy(
    _ columns: [(column: ParquetFile.Column, leaves: [ParquetLeafReader])]
  ) -> [(column: ParquetFile.Column, leaves: [ParquetLeafReader])] {
    columns.map { ($0.column, $0.leaves.map(ParquetLeafReader.init(copying:))) }
  }

  /// Whether the texts of all rows have at most `limit` bytes, as far as dictionaries tell; others are in the group's
  /// size. Called first.
  func fits(_ limit: Int) throws(Problem) -> Bool {
    var left = limit
    for (column, leaves) in columns {
      do throws(ParquetFailure) {
        for leaf in leaves {
          guard let longest = try leaf.longestText() else { return false }
          let count = group.chunks[leaf.node.leaves.lowerBound].place.levelCount
          // The text and the level of a nested value are in memory, too.
          let size = column.node.isFlat ? longest : longest + 40
          let (bytes, isTooLarge) = count.multipliedReportingOverflow(by: size)
          if isTooLarge || bytes > left { return false }
          left -= bytes
        }
      } catch {
        throw error.problem(file.source.name, column.description.name, group)
      }
    }
    return true
  }

  private static func leaves(_ node: ParquetNode) -> [(ParquetNode, ParquetValueKind)] {
    if let kind = node.kind { return [(node, kind)] }
    return node.children.flatMap { leaves($0) }
  }

  /// Passes over the rows before `row`, without reading their pages where the file has an index. Called first.
  func skip(to row: Int) throws(Problem) {
    for (column, leaves) in columns {
      do throws(ParquetFailure) {
        for leaf in leaves {
          let index = try ParquetPageIndex(
            group.chunks[leaf.node.leaves.lowerBound], in: file.source, rowCount: group.rowCount, withBounds: false)
          try leaf.skip(to: row, index?.pages ?? [])
        }
      } catch {
        throw error.problem(file.source.name, column.description.name, group)
      }
    }
    rowsLeft -= row
    self.row = row
  }

  /// Passes over the rows after the next `rows`.
  func end(after rows: Int) { rowsLeft = min(rowsLeft, rows) }

  /// The next rows, at most `limit`: fewer if they would have too many bytes.
  /// - Parameter isWhole: whether all of them are needed, because it is known that they have not.
  func next(_ limit: Int, isWhole: Bool = false) throws(Problem) -> RowBatch {
    if isWhole {
      var rows = min(limit, rowsLeft)
      guard let batch = try attempt(&rows, ParquetBatchLimit.bytes * 8) else {
        throw Problem(.badData, "a row group has more text than its metadata says", at: file.source.name)
      }
      return batch
    }
    let most = ParquetBatchLimit.bytes / max(1, columns.count * MemoryLayout<Cell>.stride)
    var rows = max(1, min(limit, rowsLeft, usualRows, most))
    for leaf in columns.flatMap(\.leaves) { leaf.forget() }
    while true {
      let before = Self.copy(columns), wanted = rows
      if let batch = try attempt(&rows, ParquetBatchLimit.bytes) {
        usualRows = wanted * 2
        return batch
      }
      columns = before
    }
  }

  /// The next rows.
  /// - Parameter rows: their number; made smaller if they would exceed the budget.
  /// - Returns: nil if they would.
  private func attempt(_ rows: inout Int, _ most: Int) throws(Problem) -> RowBatch? {
    let width = columns.count
    var budget = most
    var cells = CellsBuilder(capacity: rows * width), arena = ArenaBuilder()
    _ = unsafe cells.appendRow(rows * width)
    for (place, (column, leaves)) in columns.enumerated() {
      do throws(ParquetFailure) {
        let filled: Int
        if column.node.isFlat {
          leaves[0].beginBatch()
          filled = try leaves[0].fill(rows, &cells, at: place, width: width, &arena, budget: &budget)
        } else {
          filled = try nest(column, leaves, rows, &cells, at: place, &arena, budget: &budget)
        }
        if filled < rows {
          // As far as the columns that follow have as much.
          rows = max(1, min(filled, filled * (place + 1) / width))
          return nil
        }
      } catch {
        throw error.problem(file.source.name, column.description.name, group)
      }
    }
    rowsLeft -= rows
    let batch = unsafe RowBatch(width: width, count: rows, uncheckedCells: cells.freeze(), arena: arena.freeze())
    let first = group.firstRow &+ row
    row += rows
    guard let omitted, first >= 0, first <= .max - rows else { return batch }
    var left = omitted(first..<first + rows)[...]
    return left.isEmpty
      ? batch
      : batch.selecting(
        (0..<rows).filter { row in
          guard left.first == first + row else { return true }
          left.removeFirst()
          return false
        })
  }

  /// Appends the values of a nested column; returns the number of rows, at least 1, that are within the budget.
  private func nest(
    _ column: ParquetFile.Column, _ leaves: [ParquetLeafReader], _ rows: Int, _ cells: inout CellsBuilder,
    at place: Int, _ arena: inout ArenaBuilder, budget: inout Int
  ) throws(ParquetFailure) -> Int {
    var levels: [ParquetLevels] = []
    for leaf in leaves {
      let read = ParquetLevels()
      leaf.beginBatch()
      let filled = try leaf.read(rows, into: read, budget: budget)
      if filled < rows { return filled }
      levels.append(read)
    }
    let isList = if case .list = column.description.type { true } else { false }
    let nesting = ParquetNesting(column.node, levels, refusesNull: isList, maximumField: maximumField)
    var out = ByteBuffer(capacity: 1 << 10)
    for row in 0..<rows {
      out.removeAll()
      if try nesting.appendRow(&out) {
        cells[row * columns.count + place] = .null
        continue
      }
      guard arena.count + out.count <= 1 << 30 else { throw .damage("a row group has more than 1 GiB of text") }
      cells[row * columns.count + place] = .json(UInt32(arena.count), UInt32(out.count))
      out.read { arena.append($0) }
      budget -= out.count
      if budget < 0, row > 0 { return row }
    }
    return rows
  }
}
