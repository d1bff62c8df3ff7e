import Codecs
import Rows

/// The most bytes that an entry of an archive may decompress to: a small file exceeds them only if it was made to
/// exhaust memory or time.
enum ZipLimits {
  static let harmless = 64 << 20
  /// Beyond that, how many times larger than its compressed data it may be. Deflate reaches 1,030; tables of nulls
  /// written by spreadsheets stay below 150.
  static let ratio = 250
  /// The most bytes of an entry: a sheet of a billion cells.
  static let total = 64 << 30
}

/// The decompressed bytes of an entry, from left to right; its size and checksum are verified at the end.
@safe final class ZipEntryReader: ByteSource, @unchecked Sendable {
  /// `people.xlsx:xl/workbook.xml`.
  let name: String
  var size: Int? { entry.size }
  private let source: any RandomAccessSource
  private let entry: ZipArchive.Entry
  private let inflate: Inflate?
  /// Whether the end of the compressed data was reached.
  private var isDone = false
  private var input = ArenaBuilder(capacity: 64 << 10)
  /// Where the input begins that was not decompressed yet.
  private var inputStart = 0
  /// Compressed bytes that were not read yet, and where they are.
  private var left: Int, offset: Int
  private var made = 0, crc: UInt32 = 0

  /// - Throws: `badData` for an entry that cannot be read; `unavailable` if zlib is missing.
  init(_ archive: ZipArchive, _ entry: ZipArchive.Entry) throws(Problem) {
    source = archive.source
    self.entry = entry
    name = "\(source.name):\(entry.name)"
    guard entry.flags & 0x2041 == 0 else {
      throw Problem(.badData, "the archive is encrypted", at: source.name, hint: "save it without a password")
    }
    guard [0, 8].contains(entry.method) else {
      throw Problem(
        .badData, "unsupported compression method \(entry.method); supported: deflate", at: name,
        hint: "save the file again with another program")
    }
    guard let header = try source.bytes(at: entry.offset, count: 30), header.starts(with: [0x50, 0x4B, 3, 4]) else {
      throw ZipArchive.damaged(source, "\(entry.name) is not where the list of entries says")
    }
    var lengths = ZipFields(Array(header[26...]))
    let start = entry.offset + 30 + (lengths.number(2) ?? 0) + (lengths.number(2) ?? 0)
    guard start <= source.length, entry.compressed <= source.length - start else {
      throw ZipArchive.damaged(source, "\(entry.name) is outside the file; it may be truncated")
    }
    offset = start
    left = entry.compressed
    try Zlib.load()
    inflate = entry.method == 8 ? try Inflate() : nil
  }

  func reopened() -> (any ByteSource)? { nil }

  /// - Throws: `badData` for damaged data, a wrong size or checksum, and data beyond the limits; `io`.
  func read(into output: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    while true {
      var count = 0
      if let inflate {
        if inputStart == input.count, left > 0 {
          input.removeAll()
          inputStart = 0
          try readRaw(into: &input)
        }
        let waiting = input.count - inputStart
        if isDone {
          guard waiting == 0, left == 0 else { throw damaged("text after its end") }
          return try finish()
        }
        let step = inflate.step(input.run(inputStart, waiting), into: &output, limit: min(limit, output.room))
        guard step.damage == nil else { throw damaged("invalid compressed data") }
        isDone = step.isDone
        guard step.taken > 0 || step.made > 0 || left > 0 || isDone else { throw damaged("truncated") }
        inputStart += step.taken
        count = step.made
      } else {
        if left == 0 { return try finish() }
        count = try readRaw(into: &output, limit: limit)
      }
      if count == 0 { continue }
      made += count
      crc = Zlib.crc32(crc, output.run(output.count - count, count))
      try checkLimits()
      return count
    }
  }

  /// Appends bytes as they are in the archive.
  @discardableResult private func readRaw(
    into bytes: inout ArenaBuilder, limit: Int = .max
  ) throws(Problem) -> Int {
    let count = try source.read(at: offset, count: min(left, bytes.room, limit), into: &bytes)
    guard count > 0 else { throw damaged("truncated") }
    offset += count
    left -= count
    return count
  }

  private func checkLimits() throws(Problem) {
    if made > entry.size { throw damaged("larger than the \(entry.size) bytes that the list of entries says") }
    guard made > ZipLimits.harmless else { return }
    guard made <= ZipLimits.total else {
      throw Problem(.badData, "larger than \(ZipLimits.total >> 30) GiB when decompressed", at: name)
    }
    let read = entry.compressed - left
    guard made / ZipLimits.ratio <= read else {
      throw Problem(
        .badData, "decompresses to more than \(ZipLimits.ratio) times its size", at: name,
        hint: "if you trust the file, save it again as CSV")
    }
  }

  private func finish() throws(Problem) -> Int {
    guard made == entry.size else { throw damaged("\(made) bytes instead of \(entry.size)") }
    guard crc == entry.crc else { throw damaged("wrong checksum") }
    return 0
  }

  private func damaged(_ why: String) -> Problem {
    Problem(.badData, "the archive is damaged: \(why)", at: name)
  }
}
