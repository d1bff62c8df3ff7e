public import Codecs
public import Rows

/// Writes a table as an Apache Parquet file: row groups that can be encoded on any core, then page indexes and a
/// footer. Nothing before the end of the file refers to what follows, so the file can be streamed.
///
/// The format: <https://parquet.apache.org/docs/file-format/>.
public struct ParquetWriter: Sendable {
  /// The row group that was encoded, for `footer`.
  public struct RowGroup: Sendable, Hashable {
    fileprivate let group: ParquetRowGroup
  }

  /// The number of bytes before the first row group.
  public static let headerSize = 4
  private static let magic: StaticString = "PAR1"
  private static let rowsPerBlock = 512

  private let schema: Schema
  private let columns: [ParquetColumn]
  private let options: ParquetOptions

  /// A writer of rows of `schema`.
  /// - `head`: the first rows, which tell how dates and timestamps are stored.
  /// - `decimals`: what is known of the numbers of columns of decimals, by position.
  public init(_ schema: Schema, options: ParquetOptions, head: [RowBatch], decimals: [Int: DecimalShape] = [:]) {
    self.schema = schema
    self.options = options
    columns = schema.columns.enumerated().map { position, column in
      var (kind, isList) = Self.kind(of: column.type)
      let size = options.decimalSizes[position].map {
        ParquetColumn.Kind.decimal(precision: $0.precision, scale: $0.scale)
      }
      if let kind = size ?? Self.kind(stored: column, options) {
        isList = isList || column.type == .json
        return ParquetColumn(position: position, name: column.name, kind: kind, isList: isList)
      }
      if column.type == .decimal { kind = Self.kind(decimals[position] ?? DecimalShape(), options.decimals) }
      return ParquetColumn(
        position: position, name: column.name, kind: Self.kind(kind, column.stored, at: position, head, options),
        isList: isList,
        isExact: options.dates != .native, areDecimals: column.type == .decimal && kind != .text,
        areLocal: column.type == .datetime)
    }
  }

  /// The kind of a column that has another type in its source; nil if it is that of its type.
  private static func kind(stored column: ColumnDescription, _ options: ParquetOptions) -> ParquetColumn.Kind? {
    switch (column.stored, column.type) {
    case (.integer(let bits), .integer): .narrow(bits: bits)
    case (.integer(let bits), .decimal): .narrow(bits: bits)
    case (.float, .real), (.float, .decimal): .float
    case (.decimal(let size), .decimal) where options.decimals != .text:
      .decimal(precision: size.precision, scale: size.scale)
    case (.unsigned, .decimal) where options.decimals != .text: .unsigned
    case (.time(let unit, let isUTC), .text) where options.dates != .text: .time(perSecond: unit, isUTC: isUTC)
    case (.integers(let bits), .json), (.integers(let bits), .list(.integer)):
      bits < 64 ? .narrow(bits: bits) : .integer
    case (.reals(let bits), .json): bits < 64 ? .float : .real
    default: nil
    }
  }

  private static func kind(_ shape: DecimalShape, _ choice: ParquetOptions.Decimals) -> ParquetColumn.Kind {
    switch choice {
    case .text: return .text
    case .automatic: if shape.storage == .double { return .real }
    case .exact: break
    }
    return shape.size.map { .decimal(precision: $0.precision, scale: $0.scale) } ?? .text
  }

  private static func kind(of type: ColumnType) -> (ParquetColumn.Kind, isList: Bool) {
    switch type {
    case .integer: (.integer, false)
    case .real: (.real, false)
    case .boolean: (.boolean, false)
    case .text, .url, .decimal: (.text, false)
    case .bytes: (.bytes, false)
    case .json: (.json, false)
    case .date: (.date, false)
    case .timestamp, .datetime: (.microseconds, false)
    case .list(let element): (element == .integer ? .integer : .text, true)
    }
  }

  /// The kind that stores the dates or timestamps of the first rows; text if there is none.
  private static func kind(
    _ kind: ParquetColumn.Kind, _ stored: StoredType?, at position: Int, _ head: [RowBatch], _ options: ParquetOptions
  ) -> ParquetColumn.Kind {
    guard let unit = kind.unit else { return kind }
    var candidates: [EpochTime.Unit] = unit == .days ? [.days] : [.microseconds, .milliseconds]
    if case .timestamp(let perSecond) = stored {
      candidates.insert([1000: .milliseconds, 1_000_000_000: .nanoseconds][perSecond] ?? .microseconds, at: 0)
    }
    return switch options.dates.unit(candidates, for: position, in: head) {
    case .days: .date
    case .milliseconds: .milliseconds
    case .microseconds: .microseconds
    case .nanoseconds: .nanoseconds
    case nil: .text
    }
  }

  /// The number of nulls of a column, and the bounds of its values.
  public struct ColumnStatistics: Sendable {
    /// The number of nulls; 0 for a column of lists, of which it is not known.
    public fileprivate(set) var nullCount = 0
    /// No value is less or greater; nil without values, or if no short text is greater. Days and millionths of a second
    /// since 1970 are integers.
    public fileprivate(set) var least: Value?, greatest: Value?
  }

  /// The statistics of each column over row groups of one file.
  public static func statistics(of groups: [RowGroup]) -> [ColumnStatistics] {
    func value(_ bound: ParquetBounds.Bound?) -> Value? {
      switch bound {
      case .integer(let value): .integer(value)
      case .real(let value): .real(value)
      case .bytes(let bytes, _): .text(bytes)
      case nil: nil
      }
    }
    return (groups.first?.group.chunks ?? []).indices.map { column in
      var found = ColumnStatistics(), bounds = ParquetBounds()
      for group in groups {
        found.nullCount += group.group.chunks[column].nullCount
        bounds.merge(group.group.chunks[column].bounds)
      }
      (found.least, found.greatest) = (value(bounds.least), bounds.isUnbounded ? nil : value(bounds.greatest))
      return found
    }
  }

  /// Appends what precedes the first row group.
  public func begin(_ out: inout ByteBuffer) { out.append(Self.magic) }

  /// Appends a row group with the rows of all batches.
  /// - Throws: `badData` with `record` set for a value that the file cannot hold.
  public func append(_ batches: [RowBatch], to out: inout ByteBuffer) throws(Problem) -> RowGroup {
    let rows = batches.reduce(0) { $0 + $1.count }
    let start = out.count
    var encoder = ParquetChunkEncoder(options, try PageCompressor(options.compression), groupStart: start)
    // All columns of a few rows at a time: cells and texts stay in the cache.
    var values = columns.map { ParquetValues($0, rows: rows, dictionary: options.usesDictionaries) }
    var row = 0
    for batch in batches {
      for first in stride(from: 0, to: batch.count, by: Self.rowsPerBlock) {
        let rows = first..<min(batch.count, first + Self.rowsPerBlock)
        for column in values.indices { try values[column].append(batch, rows: rows, firstRow: row) }
      }
      row += batch.count
    }
    var chunks: [ParquetChunk] = []
    var decimals: [Int: DecimalShape] = [:]
    for var values in values {
      values.finish()
      if values.column.areDecimals { decimals[values.column.position] = values.shape }
      var chunk = try encoder.append(values, rows: rows, to: &out)
      if options.bloomFilters.contains(values.column.name), !values.column.isList, values.column.kind != .boolean {
        let offset = out.count
        ParquetBloomFilter(values).append(to: &out)
        chunk.bloomFilter = ParquetChunk.Place(offset: offset - start, size: out.count - offset)
      }
      chunks.append(chunk)
    }
    return RowGroup(group: ParquetRowGroup(rowCount: rows, chunks: chunks, decimals: decimals))
  }

  /// Appends what follows the last row group: page indexes and the footer.
  /// - `groups`: the row groups, each with the position in the file at which it begins.
  /// - `end`: the position in the file at which this begins.
  public func finish(_ groups: [(offset: Int, group: RowGroup)], at end: Int, _ out: inout ByteBuffer) {
    let base = out.count
    var columnIndexes: [(offset: Int, size: Int)?] = [], offsetIndexes: [(offset: Int, size: Int)] = []
    for (_, group) in groups {
      for (column, chunk) in zip(columns, group.group.chunks) {
        guard let index = ParquetFooter.columnIndex(chunk, column) else {
          columnIndexes.append(nil)
          continue
        }
        columnIndexes.append((end + out.count - base, index.count))
        out.append(bytes: index)
      }
    }
    for (offset, group) in groups {
      for chunk in group.group.chunks {
        let index = ParquetFooter.offsetIndex(chunk, groupOffset: offset)
        offsetIndexes.append((end + out.count - base, index.count))
        out.append(bytes: index)
      }
    }
    var decimals: [Int: DecimalShape] = [:]
    for (_, group) in groups {
      for (column, shape) in group.group.decimals { decimals[column, default: DecimalShape()].merge(shape) }
    }
    let footer = ParquetFooter.footer(
      schema, decimals, columns, groups.map { ($0.offset, $0.group.group) }, options.compression,
      columnIndexes: columnIndexes, offsetIndexes: offsetIndexes)
    out.append(bytes: footer)
    out.append(littleEndian: UInt64(footer.count), count: 4)
    out.append(Self.magic)
  }
}
