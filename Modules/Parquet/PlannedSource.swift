import Rows

extension ParquetRowStream {
  /// The bytes that are read of each row group that is needed.
  func plan() throws(Problem) -> [[Range<Int>]] {
    var parts: [[Range<Int>]] = []
    for group in file.groups where !isCounted {
      let own = 0..<group.rowCount, wanted = reading.rows.map { own.clamped(to: group.firstRow, $0) } ?? own
      guard !wanted.isEmpty, isNeeded(group) else { continue }
      let needed = try neededRows(of: group) ?? (wanted == own ? nil : [own])
      let rows = needed.map { ParquetPageIndex.intersection($0, [wanted]) }
      var ranges: [Range<Int>] = []
      for leaf in columns.flatMap(\.node.leaves) where !group.chunks[leaf].place.range.isEmpty {
        ranges += try pages(of: group.chunks[leaf], with: rows, group)
      }
      parts.append(ranges)
    }
    return parts
  }

  /// The bytes of the pages that have certain rows of a row group; of all if these are nil, or pages are unknown.
  private func pages(
    of chunk: ParquetFile.Chunk, with rows: [Range<Int>]?, _ group: ParquetFile.Group
  ) throws(Problem) -> [Range<Int>] {
    let range = chunk.place.range
    guard let rows else { return [range] }
    let index: ParquetPageIndex?
    do throws(ParquetFailure) {
      index = try ParquetPageIndex(chunk, in: file.source, rowCount: group.rowCount, withBounds: false)
    } catch {
      throw error.problem(file.source.name)
    }
    guard let pages = index?.pages, let first = pages.first else { return [range] }
    // The dictionary comes first. More bytes than those of a header are not read beyond a page.
    var found = range.lowerBound < first.offset ? [range.lowerBound..<first.offset] : []
    for (place, page) in pages.enumerated() {
      let next = place + 1 < pages.count ? pages[place + 1] : nil
      let own = page.firstRow..<(next?.firstRow ?? group.rowCount)
      guard rows.contains(where: { $0.overlaps(own) }) else { continue }
      found.append(page.offset..<min(range.upperBound, (next?.offset ?? range.upperBound) + 256))
    }
    return found
  }
}

extension Range<Int> {
  /// The part of the range that is in `other` when both begin at `start`.
  func clamped(to start: Int, _ other: Range<Int>) -> Range<Int> {
    clamped(to: Swift.max(0, other.lowerBound &- start)..<Swift.max(0, other.upperBound &- start))
  }
}
