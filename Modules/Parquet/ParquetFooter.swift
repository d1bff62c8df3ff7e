import Codecs
import Rows

/// The metadata at the end of a Parquet file.
enum ParquetFooter {
  /// The key of the description of the columns in bb's own types: metadata as specified by W3C CSV on the Web.
  static let schemaKey = "bb:schema"
  /// The writer. The Java library ignores the bounds of text when it cannot parse this.
  static let creator = "bb version 0.2.0 (build 0)"

  /// The bounds and null counts of the pages of a chunk; nil if a page with values has no bounds.
  static func columnIndex(_ chunk: ParquetChunk, _ column: ParquetColumn) -> [UInt8]? {
    let pages = chunk.pages
    for page in pages where page.valueCount > 0 {
      if page.bounds.least == nil || page.bounds.isUnbounded { return nil }
    }
    let bounds = pages.map { page in
      (
        least: page.bounds.least?.encoded(for: column.kind) ?? [],
        greatest: page.bounds.greatest?.encoded(for: column.kind) ?? []
      )
    }
    return ThriftWriter.structure {
      $0.list(1, of: .boolean, count: pages.count)
      for page in pages { $0.element(page.valueCount == 0) }
      $0.list(2, of: .binary, count: pages.count)
      for bound in bounds { $0.element(bound.least) }
      $0.list(3, of: .binary, count: pages.count)
      for bound in bounds { $0.element(bound.greatest) }
      $0.integer32(4, order(of: pages))
      $0.list(5, of: .integer64, count: pages.count)
      for page in pages { $0.element(page.nullCount) }
    }
  }

  /// Whether the bounds of pages ascend (1), descend (2) or neither (0).
  private static func order(of pages: [ParquetPage]) -> Int {
    let bounds = pages.compactMap { page in
      page.bounds.least.flatMap { least in page.bounds.greatest.map { (least: least, greatest: $0) } }
    }
    let steps = zip(bounds, bounds.dropFirst())
    let isLess = ParquetBounds.isLess
    if steps.allSatisfy({ !isLess($1.least, $0.least) && !isLess($1.greatest, $0.greatest) }) { return 1 }
    return steps.allSatisfy { !isLess($0.least, $1.least) && !isLess($0.greatest, $1.greatest) } ? 2 : 0
  }

  static func offsetIndex(_ chunk: ParquetChunk, groupOffset: Int) -> [UInt8] {
    ThriftWriter.structure {
      $0.list(1, of: .structure, count: chunk.pages.count)
      for page in chunk.pages {
        $0.element {
          $0.integer64(1, groupOffset + page.offset)
          $0.integer32(2, page.size)
          $0.integer64(3, page.firstRow)
        }
      }
    }
  }

  static func footer(
    _ schema: Schema, _ decimals: [Int: DecimalShape], _ columns: [ParquetColumn],
    _ groups: [(offset: Int, group: ParquetRowGroup)],
    _ compression: PageCompression, columnIndexes: [(offset: Int, size: Int)?],
    offsetIndexes: [(offset: Int, size: Int)]
  ) -> [UInt8] {
    ThriftWriter.structure {
      $0.integer32(1, 2)
      $0.list(2, of: .structure, count: 1 + columns.reduce(0) { $0 + $1.elementCount })
      $0.element {
        $0.string(4, "schema")
        $0.integer32(5, columns.count)
      }
      for column in columns { column.describe(&$0) }
      $0.integer64(3, groups.reduce(0) { $0 + $1.group.rowCount })
      $0.list(4, of: .structure, count: groups.count)
      for (number, (offset, group)) in groups.enumerated() {
        $0.element {
          describe(
            group, number, offset, columns, compression,
            columnIndexes[(number * columns.count)...], offsetIndexes[(number * columns.count)...], &$0)
        }
      }
      $0.list(5, of: .structure, count: 1)
      $0.element {
        $0.string(1, schemaKey)
        // Doubles are decimals if they come back with the digits they had.
        let scales = decimals.compactMapValues(\.scale).filter { columns[$0.key].kind == .real }
        let isReal = columns.map { $0.areDecimals && $0.kind == .real && scales[$0.position] == nil }
        $0.binary(
          2,
          CSVWDocument.text(
            of: schema.inUsualSpelling.retyped { isReal[$0] ? .real : nil }, file: schema.name, scales: scales))
      }
      $0.string(6, creator)
      $0.list(7, of: .structure, count: columns.count)
      for _ in columns { $0.element { $0.structure(1) { _ in } } }
    }
  }

  private static func describe(
    _ group: ParquetRowGroup, _ number: Int, _ offset: Int, _ columns: [ParquetColumn],
    _ compression: PageCompression, _ columnIndexes: ArraySlice<(offset: Int, size: Int)?>,
    _ offsetIndexes: ArraySlice<(offset: Int, size: Int)>, _ thrift: inout ThriftWriter
  ) {
    thrift.list(1, of: .structure, count: columns.count)
    for (place, (column, chunk)) in zip(columns, group.chunks).enumerated() {
      thrift.element {
        $0.integer64(2, 0)
        $0.structure(3) { describe(chunk, column, groupOffset: offset, compression, &$0) }
        let offsetIndex = offsetIndexes[offsetIndexes.startIndex + place]
        $0.integer64(4, offsetIndex.offset)
        $0.integer32(5, offsetIndex.size)
        if let columnIndex = columnIndexes[columnIndexes.startIndex + place] {
          $0.integer64(6, columnIndex.offset)
          $0.integer32(7, columnIndex.size)
        }
      }
    }
    thrift.integer64(2, group.chunks.reduce(0) { $0 + $1.uncompressedSize })
    thrift.integer64(3, group.rowCount)
    thrift.integer64(5, offset)
    thrift.integer64(6, group.chunks.reduce(0) { $0 + $1.compressedSize })
    if number <= Int16.max { thrift.integer16(7, number) }
  }

  private static func describe(
    _ chunk: ParquetChunk, _ column: ParquetColumn, groupOffset: Int, _ compression: PageCompression,
    _ thrift: inout ThriftWriter
  ) {
    thrift.integer32(1, column.physicalType)
    thrift.list(2, of: .integer32, count: chunk.encodings.count)
    for encoding in chunk.encodings { thrift.element(encoding) }
    thrift.list(3, of: .binary, count: column.path.count)
    for name in column.path { thrift.element(Array(name.utf8)) }
    thrift.integer32(4, compression.code)
    thrift.integer64(5, chunk.levelCount)
    thrift.integer64(6, chunk.uncompressedSize)
    thrift.integer64(7, chunk.compressedSize)
    thrift.integer64(9, groupOffset + (chunk.pages.first?.offset ?? 0))
    if let dictionary = chunk.dictionaryOffset { thrift.integer64(11, groupOffset + dictionary) }
    let bounds = chunk.bounds
    thrift.structure(12) {
      $0.integer64(3, chunk.nullCount)
      let greatest = bounds.isUnbounded ? nil : bounds.greatest
      if let greatest { $0.binary(5, greatest.encoded(for: column.kind)) }
      if let least = bounds.least { $0.binary(6, least.encoded(for: column.kind)) }
      if let greatest { $0.boolean(7, greatest.isExact) }
      if let least = bounds.least { $0.boolean(8, least.isExact) }
    }
    if let filter = chunk.bloomFilter {
      thrift.integer64(14, groupOffset + filter.offset)
      thrift.integer32(15, filter.size)
    }
  }
}
