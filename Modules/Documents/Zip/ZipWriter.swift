import Codecs
public import Rows

/// Writes a ZIP archive sequentially: sizes and checksums follow each entry, so nothing has to be known in advance.
///
/// Every entry has the date 1980-01-01, so equal content gives equal bytes.
public struct ZipWriter: Sendable {
  /// An entry as the list at the end of the archive has it.
  fileprivate struct Entry {
    let name: [UInt8], offset: Int
    var crc: UInt32 = 0, compressed = 0, size = 0
  }
  private var entries: [Entry] = []
  private var deflate: Deflate?
  private var written = 0

  /// An empty archive.
  public init() {}

  /// Whether there is no entry yet.
  public var isEmpty: Bool { entries.isEmpty }

  /// A whole entry.
  /// - Throws: as `append`.
  public mutating func add(_ name: String, _ text: String, to out: inout ByteBuffer) throws(Problem) {
    var bytes = ByteBuffer(capacity: text.utf8.count)
    bytes.append(bytes: Array(text.utf8))
    try begin(name, &out)
    try bytes.read { (span) throws(Problem) in try append(span, to: &out) }
    end(&out)
  }

  /// The beginning of an entry called `name`.
  /// - Throws: `unavailable` if zlib is missing.
  public mutating func begin(_ name: String, _ out: inout ByteBuffer) throws(Problem) {
    if let deflate { deflate.restart() } else { deflate = try Deflate() }
    let entry = Entry(name: Array(name.utf8), offset: written)
    let before = out.count
    out.put32(0x0403_4B50)
    out.append(bytes: Self.version + Self.flags + Self.methodAndDate)
    for _ in 0..<3 { out.put32(0) }
    out.put16(entry.name.count)
    out.put16(0)
    out.append(bytes: entry.name)
    written += out.count - before
    entries.append(entry)
  }

  /// Appends to the current entry.
  /// - Throws: `badData` above 4 GiB.
  public mutating func append(_ bytes: RawSpan, to out: inout ByteBuffer) throws(Problem) {
    let last = entries.count - 1, before = out.count
    let count = bytes.byteCount
    deflate?.append(bytes, to: &out)
    unsafe bytes.withUnsafeBytes { raw in
      guard let start = unsafe raw.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
      entries[last].crc = Zlib.crc32(entries[last].crc, unsafe ByteRun(start: start, count: count))
    }
    entries[last].size += count
    grew(by: out.count - before)
    guard written < Int(UInt32.max) - 1 << 16, entries[last].size < Int(UInt32.max) else {
      throw Problem(
        .badData, "the document is larger than 4 GiB, the limit of the format",
        hint: .set(.limit, for: "write fewer rows"))
    }
  }

  /// Ends the current entry.
  public mutating func end(_ out: inout ByteBuffer) {
    var before = out.count
    deflate?.append(unsafe [UInt8]().span.bytes, isLast: true, to: &out)
    grew(by: out.count - before)
    before = out.count
    out.put32(0x0807_4B50)
    entries[entries.count - 1].putSizes(&out)
    written += out.count - before
  }

  /// The list of all entries, which ends the archive.
  public mutating func finish(_ out: inout ByteBuffer) {
    let start = written, before = out.count
    for entry in entries {
      out.put32(0x0201_4B50)
      out.append(bytes: Self.version + Self.version + Self.flags + Self.methodAndDate)
      entry.putSizes(&out)
      out.put16(entry.name.count)
      for _ in 0..<4 { out.put16(0) }
      out.put32(0)
      out.put32(entry.offset)
      out.append(bytes: entry.name)
    }
    written += out.count - before
    out.put32(0x0605_4B50)
    out.put32(0)
    out.put16(entries.count)
    out.put16(entries.count)
    out.put32(written - start)
    out.put32(start)
    out.put16(0)
  }

  private mutating func grew(by count: Int) {
    entries[entries.count - 1].compressed += count
    written += count
  }

  private static let version: [UInt8] = [20, 0]
  /// Sizes follow the data; names are UTF-8.
  private static let flags: [UInt8] = [0x08, 0x08]
  /// Deflate; midnight of 1980-01-01.
  private static let methodAndDate: [UInt8] = [8, 0, 0, 0, 0x21, 0]
}

extension ZipWriter.Entry {
  fileprivate func putSizes(_ out: inout ByteBuffer) {
    out.put32(Int(crc))
    out.put32(compressed)
    out.put32(size)
  }
}

extension ByteBuffer {
  /// Appends a number in two bytes, the lower first.
  fileprivate mutating func put16(_ value: Int) {
    for shift in [0, 8] { append(byte: UInt8(truncatingIfNeeded: value >> shift)) }
  }
  /// Appends a number in four bytes, the lowest first.
  fileprivate mutating func put32(_ value: Int) {
    for shift in [0, 8, 16, 24] { append(byte: UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
