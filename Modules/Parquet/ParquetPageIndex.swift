import Codecs
import Rows

/// The pages of a column chunk, from the indexes that a file may have.
struct ParquetPageIndex {
  /// A page: its place in the file, and its first row in the row group.
  struct Page {
    let offset: Int, firstRow: Int
  }
  /// The encoded bounds of the values of a page; nil where there is none.
  struct Bounds {
    let least: [UInt8]?, greatest: [UInt8]?
    let nullCount: Int?
    let hasValue: Bool
  }

  let pages: [Page]
  /// One for each page; nil if the file has none.
  private(set) var bounds: [Bounds]?

  private static let maximumSize = 64 << 20

  /// Reads the index of a chunk in a row group of `rowCount` rows; nil if there is none, or one that is not valid: the
  /// file can be read without it.
  /// - Throws: `problem` if the file cannot be read.
  init?(
    _ chunk: ParquetFile.Chunk, in source: any RandomAccessSource, rowCount: Int, withBounds: Bool
  ) throws(ParquetFailure) {
    guard let places = try Self.structure(chunk.offsetIndex, source, Self.pages) else { return nil }
    let range = chunk.place.range
    let areOrdered = zip(places, places.dropFirst()).allSatisfy { $0.firstRow < $1.firstRow && $0.offset < $1.offset }
    guard places.first?.firstRow == 0, areOrdered, places.allSatisfy({ range.contains($0.offset) }),
      places.last.map({ $0.firstRow < rowCount }) ?? false
    else { return nil }
    pages = places
    guard withBounds else { return }
    let found = try Self.structure(chunk.columnIndex, source, Self.bounds)
    bounds = found?.count == places.count ? found : nil
  }

  private static func structure<Result>(
    _ range: Range<Int>?, _ source: any RandomAccessSource, _ read: (ThriftStructure) -> Result?
  ) throws(ParquetFailure) -> Result? {
    guard let range, range.count <= maximumSize else { return nil }
    let bytes: [UInt8]
    do throws(Problem) {
      guard let found = try source.bytes(at: range.lowerBound, count: range.count) else { return nil }
      bytes = found
    } catch {
      throw .problem(error)
    }
    let arena = Arena(bytes)
    defer { withExtendedLifetime(arena) {} }
    var cursor = ParquetCursor(ByteRun(arena, 0, UInt32(arena.count)))
    return (try? ThriftStructure(&cursor)).flatMap(read)
  }

  private static func pages(_ index: ThriftStructure) -> [Page]? {
    index.structures(1).map { Page(offset: $0.integer(1) ?? -1, firstRow: $0.integer(3) ?? -1) }
  }

  private static func bounds(_ index: ThriftStructure) -> [Bounds]? {
    let areNull = index.booleans(1), least = index.binaries(2), greatest = index.binaries(3)
    let nulls = index.integers(5)
    guard least.count == areNull.count, greatest.count == areNull.count else { return nil }
    return areNull.indices.map { page in
      Bounds(
        least: areNull[page] ? nil : least[page].bytes, greatest: areNull[page] ? nil : greatest[page].bytes,
        nullCount: nulls.count == areNull.count ? nulls[page] : nil, hasValue: !areNull[page])
    }
  }

  /// The rows of the pages that are needed, in a row group of `rowCount` rows.
  func rows(of rowCount: Int, _ isNeeded: (Bounds) -> Bool) -> [Range<Int>] {
    guard let bounds else { return [0..<rowCount] }
    var ranges: [Range<Int>] = []
    for (page, bound) in bounds.enumerated() where isNeeded(bound) {
      let end = page + 1 < pages.count ? pages[page + 1].firstRow : rowCount
      if let last = ranges.last, last.upperBound == pages[page].firstRow {
        ranges[ranges.count - 1] = last.lowerBound..<end
      } else {
        ranges.append(pages[page].firstRow..<end)
      }
    }
    return ranges
  }

  /// The rows that are in ranges of both lists, which ascend.
  static func intersection(_ a: [Range<Int>], _ b: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = [], i = 0, j = 0
    while i < a.count, j < b.count {
      let common = a[i].clamped(to: b[j])
      if !common.isEmpty { result.append(common) }
      if a[i].upperBound < b[j].upperBound { i += 1 } else { j += 1 }
    }
    return result
  }
}
