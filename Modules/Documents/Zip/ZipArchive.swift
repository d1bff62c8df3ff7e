import Rows

/// The entries of a ZIP archive, also with ZIP64 sizes, as its central directory lists them.
///
/// Refused with `badData`: archives that are truncated, in several parts, or have more than 65,536 entries; and, when
/// an entry is read, encryption, methods other than stored and deflate, a duplicate name, a wrong size or
/// checksum, and more data than `ZipLimits` permits.
struct ZipArchive: Sendable {
  struct Entry: Sendable, Hashable {
    /// The name as it is written, with `/` between directories.
    let name: String
    /// The size in bytes when it is decompressed, as the archive states it.
    let size: Int
    let flags: Int, method: Int, crc: UInt32, compressed: Int, offset: Int
  }

  /// The entries, in the order of the central directory.
  let entries: [Entry]
  let source: any RandomAccessSource
  private let positions: [String: Int]
  private let repeated: Set<String>

  private static let mostEntries = 1 << 16, largestDirectory = 16 << 20

  /// Reads the central directory.
  /// - Throws: `badData` for an archive that cannot be read, `io`.
  init(_ source: any RandomAccessSource) throws(Problem) {
    self.source = source
    let directory = try Self.directory(of: source)
    guard directory.count <= Self.mostEntries, directory.size <= Self.largestDirectory else {
      throw Problem(.badData, "the archive has more than \(Self.mostEntries) entries", at: source.name)
    }
    guard let bytes = try source.bytes(at: directory.offset, count: directory.size) else {
      throw Self.damaged(source, "the list of entries is outside the file")
    }
    var fields = ZipFields(bytes), entries: [Entry] = [], positions: [String: Int] = [:], repeated: Set<String> = []
    for _ in 0..<directory.count {
      guard let entry = fields.entry() else { throw Self.damaged(source, "the list of entries is invalid") }
      // As the Open Packaging Conventions require, names are compared without case.
      if positions.updateValue(entries.count, forKey: entry.name.lowercased()) != nil {
        repeated.insert(entry.name.lowercased())
      }
      entries.append(entry)
    }
    self.entries = entries
    self.positions = positions
    self.repeated = repeated
  }

  /// The entry called `name`, ignoring case; nil if there is none.
  /// - Throws: `badData` for a duplicate name.
  func entry(named name: String) throws(Problem) -> Entry? {
    let key = name.lowercased()
    if repeated.contains(key) { throw Problem(.badData, "duplicate entry \(name)", at: source.name) }
    return positions[key].map { entries[$0] }
  }

  private static func directory(
    of source: any RandomAccessSource
  ) throws(Problem) -> (offset: Int, size: Int, count: Int) {
    // The end record has 22 bytes and a comment of at most 65,535.
    let reach = min(source.length, 22 + 65_535)
    guard let tail = try source.bytes(at: source.length - reach, count: reach), reach >= 22,
      let at = (0...(reach - 22)).last(where: { tail[$0...].starts(with: [0x50, 0x4B, 5, 6]) })
    else { throw damaged(source, "it has no end; the file may be truncated") }
    var fields = ZipFields(Array(tail[(at + 4)...]))
    guard let disk = fields.number(2), let first = fields.number(2), let here = fields.number(2),
      let count = fields.number(2), let size = fields.number(4), let offset = fields.number(4)
    else { throw damaged(source, "its end is invalid") }
    guard disk == 0 && first == 0 && here == count || disk == 0xFFFF || here == 0xFFFF else {
      throw Problem(.badData, "the archive has several parts", at: source.name)
    }
    guard count == 0xFFFF || size == 0xFFFF_FFFF || offset == 0xFFFF_FFFF else { return (offset, size, count) }
    return try directory64(of: source, endAt: source.length - reach + at) ?? (offset, size, count)
  }

  /// The same of an archive with a ZIP64 end record; nil without one.
  private static func directory64(
    of source: any RandomAccessSource, endAt end: Int
  ) throws(Problem) -> (offset: Int, size: Int, count: Int)? {
    guard let locator = try source.bytes(at: end - 20, count: 20), locator.starts(with: [0x50, 0x4B, 6, 7]) else {
      return nil
    }
    var place = ZipFields(Array(locator[8...]))
    guard let offset = place.number(8), let record = try source.bytes(at: offset, count: 56),
      record.starts(with: [0x50, 0x4B, 6, 6])
    else { throw damaged(source, "its end is invalid") }
    var fields = ZipFields(Array(record[32...]))
    guard let count = fields.number(8), let size = fields.number(8), let start = fields.number(8) else {
      throw damaged(source, "its end is invalid")
    }
    return (start, size, count)
  }

  static func damaged(_ source: any RandomAccessSource, _ why: String) -> Problem {
    Problem(.badData, "the ZIP archive is damaged: \(why)", at: source.name)
  }
}

/// Reads little-endian numbers from left to right.
struct ZipFields {
  private let bytes: [UInt8]
  private var at = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next number of `count` bytes; nil beyond the end, and for one too large for an Int.
  mutating func number(_ count: Int) -> Int? {
    guard bytes.count - at >= count else { return nil }
    var value: UInt64 = 0
    for index in (0..<count).reversed() { value = value << 8 | UInt64(bytes[at + index]) }
    at += count
    return Int(exactly: value)
  }

  /// The next bytes; nil beyond the end.
  mutating func taken(_ count: Int) -> [UInt8]? {
    guard count >= 0, bytes.count - at >= count else { return nil }
    defer { at += count }
    return Array(bytes[at..<(at + count)])
  }

  /// The next entry of a central directory; nil if it is invalid.
  mutating func entry() -> ZipArchive.Entry? {
    guard number(4) == 0x0201_4B50, taken(4) != nil, let flags = number(2), let method = number(2), taken(4) != nil,
      let crc = number(4), var compressed = number(4), var size = number(4), let nameLength = number(2),
      let extraLength = number(2), let commentLength = number(2), taken(8) != nil, var offset = number(4),
      let name = taken(nameLength), let extra = taken(extraLength), taken(commentLength) != nil
    else { return nil }
    var fields = ZipFields(extra)
    while let kind = fields.number(2), let length = fields.number(2), let value = fields.taken(length) {
      guard kind == 1 else { continue }
      var large = ZipFields(value)
      if size == 0xFFFF_FFFF {
        guard let value = large.number(8) else { return nil }
        size = value
      }
      if compressed == 0xFFFF_FFFF {
        guard let value = large.number(8) else { return nil }
        compressed = value
      }
      if offset == 0xFFFF_FFFF {
        guard let value = large.number(8) else { return nil }
        offset = value
      }
    }
    return ZipArchive.Entry(
      name: String(decoding: name, as: UTF8.self).replacing("\\", with: "/"), size: size, flags: flags, method: method,
      crc: UInt32(crc), compressed: compressed, offset: offset)
  }
}
