import Codecs
import Rows

/// Where rows are divided into pieces: after rows that only their key decides, so that a change of rows changes the
/// pieces that they are in, and seldom the next one.
struct RowPieces: Sendable {
  /// The positions of the columns of the key.
  let key: [Int]
  /// The least rows of a piece; on average twice as many, and at most four times as many.
  let least: Int

  /// The rows of a range that belong to a piece with some rows already, and whether it ends after them.
  func end(of batch: RowBatch, _ rows: Range<Int>, after earlier: Int) -> (count: Int, isEnd: Bool) {
    for row in rows {
      let size = earlier + row - rows.lowerBound + 1
      if size >= least, size >= 4 * least || hash(batch, row) % UInt64(least) == 0 {
        return (row - rows.lowerBound + 1, true)
      }
    }
    return (rows.count, false)
  }

  private func hash(_ batch: RowBatch, _ row: Int) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for column in key {
      for byte in batch.value(row, column).plainText + [0] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    return hash ^ hash >> 32
  }
}

/// A file that is kept in memory until it is known whether an equal one exists; a large one is written at once.
@safe final class PieceFile: ByteSink, @unchecked Sendable {
  private static let most = 32 << 20
  private let open: @Sendable () throws(Problem) -> any ByteSink
  private let exists: @Sendable () -> Bool
  private var chunks: [[UInt8]] = []
  private var size = 0
  private var sink: (any ByteSink)?
  let name: String

  /// - Parameter exists: whether an equal file exists, asked when the file is complete.
  init(
    _ name: String, exists: @escaping @Sendable () -> Bool,
    open: @escaping @Sendable () throws(Problem) -> any ByteSink
  ) { (self.name, self.exists, self.open) = (name, exists, open) }

  /// Whether the file was written, so that an equal one is not used.
  var isWritten: Bool { sink != nil }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    if let sink { return try await sink.write(bytes) }
    chunks.append(bytes.bytes())
    size += bytes.count
    if size > Self.most { try await begin() }
  }

  private func begin() async throws(Problem) {
    let sink = try open()
    self.sink = sink
    for chunk in chunks {
      var bytes = ByteBuffer(capacity: chunk.count)
      bytes.append(bytes: chunk)
      try await sink.write(bytes)
    }
    chunks = []
  }

  func commit() async throws(Problem) {
    if sink == nil, !exists() { try await begin() }
    chunks = []
    try await sink?.commit()
  }

  func abandon() async {
    chunks = []
    await sink?.abandon()
  }
}
