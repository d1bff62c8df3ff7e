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

  /// Everything.
  public init() {}
}

/// The statistics of a column in a row group.
public struct ParquetGroupBounds: Sendable {
  /// The least and the greatest value, inclusive; nil if unknown. Texts may be cut: no value is outside.
  public let least: Value?, greatest: Value?
  /// Whether there is a null, and whether there is a value; true if unknown.
  public let hasNull: Bool, hasValue: Bool

  /// Creates statistics.
  public init(least: Value?, greatest: Value?, hasNull: Bool, hasValue: Bool) {
    (self.least, self.greatest, self.hasNull, self.hasValue) = (least, greatest, hasNull, hasValue)
  }
}

/// The records of a Parquet file. Row groups are decoded on any core, large ones in pieces.
///
/// Lists, maps and structures are canonical JSON. Throws `badData` for a file that is damaged or not supported.
public final class ParquetRowStream: RowStream {
  /// The columns that are needed.
  public let schema: Schema
  private let file: ParquetFile
  private let columns: [ParquetFile.Column]
  private let reading: ParquetReading
  private let state = Mutex(State())

  private struct State: ~Copyable {
    var group = 0
    /// A large row group of which some rows are left.
    var cursor: ParquetGroupCursor?
  }

  /// A row group of more bytes of memory is decoded in pieces.
  private static let maximumGroup = 48 << 20
  private static let rowsPerPiece = 8192

  /// The records of `file` as a table.
  public init(_ file: ParquetFile, table: String, _ reading: ParquetReading = ParquetReading()) throws(Problem) {
    self.file = file
    self.reading = reading
    let wanted = reading.columns.map { Set($0.map { Array($0.utf8) }) }
    var needed = file.columns.filter { wanted?.contains(Array($0.description.name.utf8)) ?? true }
    // Rows are counted by a column.
    if needed.isEmpty { needed = Array(file.columns.prefix(1)) }
    needed = needed.map { column in reading.types[column.description.name].map(column.typed) ?? column }
    guard !needed.isEmpty else { throw Problem(.badData, "the file has no columns", at: file.source.name) }
    columns = needed
    let names = file.description?["tableSchema"]
    let keys = names?["primaryKey"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let titles = names?["columns"]?.arrayValue ?? []
    let key = keys.compactMap { key in titles.first { $0["name"]?.stringValue == key }?["titles"]?.stringValue }
    let hasKey = key.count == keys.count && key.allSatisfy { name in needed.contains { $0.description.name == name } }
    schema = Schema(table, key: hasKey && Set(key).count == key.count ? key : [], columns: needed.map(\.description))
  }

  /// The next row group, or the next piece of a large one.
  public func next() async throws(Problem) -> BatchTask? { try nextWork() }

  /// As `next`.
  package func nextWork() throws(Problem) -> BatchTask? {
    try state.withLock { (state) throws(Problem) in
      while true {
        if let cursor = state.cursor {
          if cursor.rowsLeft > 0 { return BatchTask(ready: try cursor.next(Self.rowsPerPiece)) }
          state.cursor = nil
        }
        guard state.group < file.groups.count else { return nil }
        let group = file.groups[state.group]
        state.group += 1
        guard group.rowCount > 0, isNeeded(group) else { continue }
        let file = self.file, columns = self.columns, limit = reading.maximumField
        let memory = group.rowCount.multipliedReportingOverflow(by: columns.count * MemoryLayout<Cell>.stride)
        if memory.overflow || memory.partialValue > Self.maximumGroup || group.size > Self.maximumGroup {
          state.cursor = ParquetGroupCursor(file, group, columns, maximumField: limit)
        } else {
          return BatchTask { () throws(Problem) in
            try ParquetGroupCursor(file, group, columns, maximumField: limit).next(.max)
          }
        }
      }
    }
  }

  private func isNeeded(_ group: ParquetFile.Group) -> Bool {
    guard let needsGroup = reading.needsGroup else { return true }
    return needsGroup { name in
      guard let column = file.columns.first(where: { $0.description.name == name }), column.node.isFlat else {
        return nil
      }
      let chunk = group.chunks[column.node.leaves.lowerBound]
      let least = chunk.least.flatMap { ParquetGroupBounds.value($0, of: column) }
      let greatest = chunk.greatest.flatMap { ParquetGroupBounds.value($0, of: column) }
      return ParquetGroupBounds(
        least: least, greatest: greatest, hasNull: chunk.nullCount != 0,
        hasValue: chunk.nullCount.map { $0 < group.rowCount } ?? true)
    }
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
final class ParquetGroupCursor {
  private let file: ParquetFile
  private let columns: [(column: ParquetFile.Column, leaves: [ParquetLeafReader])]
  private(set) var rowsLeft: Int

  init(_ file: ParquetFile, _ group: ParquetFile.Group, _ columns: [ParquetFile.Column], maximumField: Int) {
    self.file = file
    rowsLeft = group.rowCount
    self.columns = columns.map { column in
      let leaves = Self.leaves(column.node).map { node, kind in
        let type = column.node.isFlat ? column.description.type : nil
        let decoder = ParquetDecoder(node: node, kind: kind, columnType: type, maximumField: maximumField)
        return ParquetLeafReader(file.source, group.chunks[node.leaves.lowerBound].place, decoder)
      }
      return (column, leaves)
    }
  }

  private static func leaves(_ node: ParquetNode) -> [(ParquetNode, ParquetValueKind)] {
    if let kind = node.kind { return [(node, kind)] }
    return node.children.flatMap { leaves($0) }
  }

  /// The next rows, at most `limit`.
  func next(_ limit: Int) throws(Problem) -> RowBatch {
    let rows = min(limit, rowsLeft), width = columns.count
    var cells = CellsBuilder(capacity: rows * width), arena = ArenaBuilder()
    _ = unsafe cells.appendRow(rows * width)
    for (place, (column, leaves)) in columns.enumerated() {
      do throws(ParquetFailure) {
        if column.node.isFlat {
          leaves[0].beginBatch()
          try leaves[0].fill(rows, &cells, at: place, width: width, &arena)
        } else {
          try nest(column, leaves, rows, &cells, at: place, &arena)
        }
      } catch {
        guard case .damage(let what) = error else { throw error.problem(file.source.name) }
        throw Problem(.badData, "column \(column.description.name): \(what)", at: file.source.name)
      }
    }
    rowsLeft -= rows
    return unsafe RowBatch(width: width, count: rows, uncheckedCells: cells.freeze(), arena: arena.freeze())
  }

  private func nest(
    _ column: ParquetFile.Column, _ leaves: [ParquetLeafReader], _ rows: Int, _ cells: inout CellsBuilder,
    at place: Int, _ arena: inout ArenaBuilder
  ) throws(ParquetFailure) {
    var levels: [ParquetLevels] = []
    for leaf in leaves {
      let read = ParquetLevels()
      leaf.beginBatch()
      try leaf.read(rows, into: read)
      levels.append(read)
    }
    let isList = if case .list = column.description.type { true } else { false }
    let nesting = ParquetNesting(column.node, levels, refusesNull: isList)
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
    }
  }
}
