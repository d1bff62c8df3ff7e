import Codecs
import Rows

/// A sorted run in a temporary file, in blocks that are read one by one.
struct SpilledRun: Sendable {
  struct Block: Sendable {
    /// `stored` is its size in the file, smaller than `size` if it is compressed.
    let offset: Int, stored: Int, size: Int, rows: Int, rowBytes: Int
    let firstRow: Int
  }
  private let width: Int
  private let file: any ScratchFile
  private(set) var blocks: [Block] = []
  /// The first row of each block; none if rows are large.
  private(set) var firsts: [SortRun] = []
  /// Whether rows are so large that the first rows of blocks would be more than a small part of all.
  private(set) var isWide = false
  private var firstBytes = 0
  private(set) var isDecided = true
  private(set) var count = 0
  /// The bytes of its rows.
  private(set) var bytes = 0
  /// The usual size of a block, in bytes. Small ones let a range begin where it should, so that ranges
  /// may be small; large ones are read faster.
  static let blockSize = 32 << 10
  /// From which size on blocks are compressed. They have few rows, whose texts repeat what they hold.
  private static let largeBlock = 1 << 20
  /// Whether large blocks become smaller by half or more.
  private var isCompressible = CompressionLibrary.zstd.failure == nil

  /// An empty run.
  /// - Throws: `io`.
  init(width: Int, scratch: any ScratchSpace) throws(Problem) {
    self.width = width
    file = try scratch.makeFile()
  }

  /// Appends rows that come after all others.
  /// - Throws: `io`.
  mutating func append(_ places: [SortPlace], of runs: [SortRun]) throws(Problem) {
    let views = runs.map(\.view)
    var start = 0
    while start < places.count {
      var end = start, size = 0
      while end < places.count, size < Self.blockSize {
        size += views[Int(places[end].run)].range(Int(places[end].row)).count + 20
        end += 1
      }
      let run = SortRun(gathering: Array(places[start..<end]), of: runs, width: width)
      let buffer = stored(run.block)
      blocks.append(
        Block(
          offset: file.count, stored: buffer.count, size: run.block.count, rows: run.count, rowBytes: run.rowBytes,
          firstRow: count))
      try file.append(buffer)
      isDecided = isDecided && run.isDecided
      count += run.count
      bytes += run.rowBytes
      if !isWide {
        firsts.append(SortRun(gathering: [run.view.place(0, run: 0)], of: [run], width: width))
        firstBytes += firsts.last?.memory ?? 0
        isWide = firstBytes > 64 << 10 && firstBytes > bytes / 32
        if isWide { firsts = [] }
      }
      start = end
    }
  }

  /// The bytes of a block in the file.
  private mutating func stored(_ block: Arena) -> ByteBuffer {
    var buffer = ByteBuffer(capacity: block.count)
    if isCompressible, block.count >= Self.largeBlock {
      let isDone = block.read { FileCompression.zstd.compress($0, &buffer) }
      isCompressible = isDone && buffer.count <= block.count / 2
      if isCompressible { return buffer }
      buffer.removeAll()
    }
    block.read { buffer.append($0) }
    return buffer
  }

  /// Reads a block.
  /// - Throws: `io`.
  func read(_ block: Block) throws(Problem) -> SortRun {
    var bytes = try file.bytes(at: block.offset, count: block.stored)
    if block.stored < block.size {
      let plain = try LibraryDecompressor(.zstd).decompress(ByteRun(bytes, 0, UInt32(bytes.count)), size: block.size)
      guard let plain else { throw Problem(.io, "a temporary file was changed", at: "temporary file") }
      bytes = plain
    }
    return SortRun(width: width, count: block.rows, rowBytes: block.rowBytes, isDecided: isDecided, block: bytes)
  }
}
