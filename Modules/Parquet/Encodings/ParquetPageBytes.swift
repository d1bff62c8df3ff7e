import Codecs
import Rows

/// The bytes of a page, read and decompressed as they are taken.
final class ParquetPageBytes {
  /// The most bytes of a page that is needed as a whole.
  private static let mostWhole = 128 << 20
  /// Larger pages are read in pieces.
  private static let piece = 1 << 18

  private let source: any RandomAccessSource
  private let codec: Int
  /// Bytes as they are in the file, the place of the first in the file, and the number of those that were used.
  private var packed = Arena([]), place: Int, used = 0
  private let end: Int
  private let checksum: UInt32?
  private var crc: UInt32 = 0, checked: Int
  private var decompressor: (any Decompressor)?
  /// Decompressed bytes, of which those before `start` were taken.
  private var plain = ArenaBuilder(capacity: 1), start = 0
  /// The number of bytes that are not decompressed yet.
  private(set) var left: Int

  /// - Parameters:
  ///   - range: in the file.
  ///   - size: the number of bytes, those that are not compressed included.
  ///   - checksum: of the bytes in the file.
  init(
    _ source: any RandomAccessSource, _ range: Range<Int>, codec: Int, size: Int, checksum: UInt32?
  ) throws(ParquetFailure) {
    (self.source, self.codec, self.checksum, left) = (source, codec, checksum, size)
    (place, checked, end) = (range.lowerBound, range.lowerBound, range.upperBound)
    if checksum != nil { do throws(Problem) { try Zlib.load() } catch { throw .problem(error) } }
  }

  private var packedLeft: Int { end - place - used }

  /// Reads from the first byte on that was not used: `count` bytes, and at least a piece.
  private func read(_ count: Int) throws(ParquetFailure) {
    place += used
    used = 0
    packed = try source.read(place, min(max(count, Self.piece), end - place))
    guard let checksum else { return }
    let new = max(0, place + packed.count - checked)
    crc = Zlib.crc32(crc, ByteRun(packed, UInt32(packed.count - new), UInt32(new)))
    checked += new
    guard checked < end || crc == checksum else { throw .damage("a page has a wrong checksum") }
  }

  /// The next bytes, which are not compressed.
  func stored(_ count: Int) throws(ParquetFailure) -> Arena {
    guard count >= 0, count <= left, count <= packedLeft else { throw .damage("a page has levels of a wrong size") }
    if packed.count - used < count { try read(isLarge ? count : packedLeft) }
    defer { (used, left) = (used + count, left - count) }
    return packed.read { Self.copy($0.extracting(used..<used + count)) }
  }

  /// Whether the page is read in pieces if its values can be.
  var isLarge: Bool { left > ParquetMatches.window }

  /// All bytes that follow.
  func rest() throws(ParquetFailure) -> Arena {
    guard left <= Self.mostWhole, packedLeft <= Self.mostWhole else {
      throw .damage("a page of this encoding is larger than \(Self.mostWhole >> 20) MiB")
    }
    if packed.count - used < packedLeft { try read(packedLeft) }
    // Some writers compress nothing to nothing.
    if packedLeft == 0 { return Arena([]) }
    if codec == 0, used == 0, packed.count == left { return packed }
    return try ParquetDecompression.decompress(
      ByteRun(packed, UInt32(used), UInt32(packedLeft)), codec: codec, size: left)
  }

  /// Decompresses until there are `count` bytes, or all that are left.
  private func fill(_ count: Int) throws(ParquetFailure) {
    if decompressor == nil { decompressor = try ParquetDecompression.decompressor(codec) }
    guard let decompressor else { return }
    let window = codec != 0 && decompressor is ParquetMatches ? ParquetMatches.window : 0
    if start > window * 2 {
      plain.removeFirst(start - window)
      start = window
    }
    while plain.count - start < count, left > 0 {
      if packed.count - used < 64, place + packed.count < end { try read(0) }
      let room = min(left, max(count - plain.count + start, ParquetChunks.bytes))
      let run = ByteRun(packed, UInt32(used), UInt32(packed.count - used))
      let step = decompressor.step(run, into: &plain, limit: room)
      (used, left) = (used + step.taken, left - step.made)
      guard step.damage == nil, step.taken > 0 || step.made > 0 else {
        throw .damage(step.damage ?? "a page cannot be decompressed")
      }
      if step.isDone { decompressor.restart() }
    }
  }

  /// The next `count` bytes.
  func take(_ count: Int) throws(ParquetFailure) -> Arena {
    try fill(count)
    guard count <= plain.count - start else { throw .short }
    defer { start += count }
    return plain.read { Self.copy($0.extracting(start..<start + count)) }
  }

  private static func copy(_ bytes: RawSpan) -> Arena {
    var copy = ArenaBuilder(capacity: max(bytes.byteCount, 1))
    copy.append(bytes)
    return copy.freeze()
  }

  /// The number of four bytes that is next.
  func count() throws(ParquetFailure) -> Int {
    let bytes = try take(4)
    return Int(ByteRun(bytes, 0, 4).littleEndian)
  }

  /// The next values in the encoding `PLAIN`, as many as are in some bytes.
  func values(_ decoder: ParquetDecoder) throws(ParquetFailure) -> ParquetDecoded {
    try fill(ParquetChunks.bytes)
    let width = decoder.node.width
    var count = 0, size = 0
    while true {
      let available = plain.count - start - size
      var length = width ?? 4
      if width == nil, available >= 4 { length += Int(plain.run(start + size, 4).littleEndian) }
      if length <= available {
        (count, size) = (count + 1, size + length)
      } else if count > 0 || left == 0 {
        break
      } else {
        guard length <= decoder.maximumField + 4 else { throw decoder.tooLarge }
        try fill(length)
      }
    }
    let bytes = try take(size)
    var cursor = ParquetCursor(ByteRun(bytes, 0, UInt32(size)))
    return try decoder.plain(&cursor, count: count, bytes)
  }
}

extension RandomAccessSource {
  /// Exactly `count` bytes at `offset`.
  func read(_ offset: Int, _ count: Int) throws(ParquetFailure) -> Arena {
    var bytes = ArenaBuilder(capacity: max(count, 1))
    do throws(Problem) {
      while bytes.count < count {
        guard try read(at: offset + bytes.count, count: count - bytes.count, into: &bytes) > 0 else {
          throw Problem(.badData, "the file is shorter than its metadata says", at: name)
        }
      }
    } catch {
      throw .problem(error)
    }
    return bytes.freeze()
  }
}
