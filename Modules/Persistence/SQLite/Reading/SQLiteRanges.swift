import Rows

/// The rows of a table, in order, read by several connections to one snapshot: each reads a range of row ids while the
/// rows of the others are processed.
///
/// The rows so far determine the length of ranges. A range with many more rows is continued by the same connection when
/// it is its turn, and a range after a gap starts at the next row: memory and time do not depend on the distribution of
/// row ids.
actor SQLiteRanges {
  /// Batches that a range should have, and at which it is left for later.
  private static let usual = 3.0, most = 6

  private struct Reading {
    let reader: Int
    let range: ClosedRange<Int64>
    let piece: Task<Result<SQLiteTableReader.Piece, Problem>, Never>
  }

  private let readers: [SQLiteTableReader]
  /// Ranges that are being read, in order, each by another reader.
  private var readings: [Reading] = []
  private var ready: [RowBatch] = []
  /// The start of the next range; nil if no rows follow those that are being read.
  private var start: Int64?
  private var span: Int64
  private let rows: Double

  /// - Parameters:
  ///   - readers: of the same rows, in one snapshot.
  ///   - start: the first row id.
  ///   - batch: the number of rows per batch.
  ///   - idsPerRow: the number of row ids per row.
  init(_ readers: [SQLiteTableReader], from start: Int64, batch: Int, idsPerRow: Double) {
    self.readers = readers
    self.start = start
    rows = Double(batch) * Self.usual
    span = Self.span(rows * idsPerRow)
  }

  /// The next rows; nil at the end. One caller at a time.
  func next() async throws(Problem) -> RowBatch? {
    readOn()
    while ready.isEmpty {
      guard let reading = readings.first else { return nil }
      let piece = try await reading.piece.value.get()
      readings.removeFirst()
      ready = piece.batches.reversed()
      if let rest = piece.rest {
        readings.insert(read(rest...reading.range.upperBound, by: reading.reader), at: 0)
        span = Self.span(Double(span) / 4)
      } else {
        adapt(to: piece, in: reading.range)
      }
      readOn()
    }
    return ready.popLast()
  }

  /// Gives a range to every reader that has none.
  private func readOn() {
    for reader in readers.indices where !readings.contains(where: { $0.reader == reader }) {
      guard let first = start else { return }
      let (end, isBeyond) = first.addingReportingOverflow(span - 1)
      let last = isBeyond ? .max : end
      start = last == .max ? nil : last + 1
      readings.append(read(first...last, by: reader))
    }
  }

  private func read(_ range: ClosedRange<Int64>, by number: Int) -> Reading {
    let reader = readers[number]
    let piece = Task { () async -> Result<SQLiteTableReader.Piece, Problem> in
      do throws(Problem) { return .success(try await reader.piece(range, limit: Self.most)) } catch {
        return .failure(error)
      }
    }
    return Reading(reader: number, range: range, piece: piece)
  }

  /// Takes from a range that was read how long the next should be, and where.
  private func adapt(to piece: SQLiteTableReader.Piece, in range: ClosedRange<Int64>) {
    guard let following = piece.following else {
      start = nil
      return
    }
    if let start { self.start = max(start, following) }
    let found = Double(piece.batches.reduce(0) { $0 + $1.count })
    let ids = Double(range.upperBound) - Double(range.lowerBound) + 1
    // The rest of a range is not representative.
    if found > 0, ids >= Double(span) { span = Self.span(ids * min(max(rows / found, 1 / 8), 8)) }
  }

  private static func span(_ ids: Double) -> Int64 { Int64(min(max(ids, 1), 1e15)) }
}
