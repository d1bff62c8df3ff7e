import Codecs
import Domain
public import Rows

/// The rows of a data file that are deleted: numbers from 0, as a set in the portable form of Roaring bitmaps.
///
/// Everything that it says about itself is checked.
public struct DeletionVector: Sendable {
  /// The numbers whose upper 48 bits are the same.
  private struct Block: Sendable {
    let base: UInt64
    let values: Values
  }
  private enum Values: Sendable {
    case list([UInt16])
    /// A bit for each of 65,536 numbers.
    case bits([UInt64])
    /// Ranges, ascending.
    case runs([ClosedRange<UInt16>])
  }

  private var blocks: [Block] = []
  /// The number of deleted rows.
  public private(set) var count = 0

  static let maximumSize = 1 << 30

  /// Parses a vector.
  /// - Throws: `badData`.
  public init(_ bytes: [UInt8]) throws(Problem) {
    var reader = Reader(bytes: bytes[...])
    guard try reader.integer(4) == 1_681_511_377 else { throw Self.damaged("it has an unknown format") }
    var earlier: UInt64?
    for _ in 0..<(try reader.count(8, atLeast: 8)) {
      let key = try reader.integer(4)
      guard earlier.map({ $0 < key }) ?? true else { throw Self.damaged("its parts are not in order") }
      earlier = key
      try parse(&reader, key << 32)
    }
    guard reader.bytes.isEmpty else { throw Self.damaged("it has bytes after its end") }
  }

  private mutating func parse(_ reader: inout Reader, _ base: UInt64) throws(Problem) {
    let cookie = try reader.integer(4)
    let hasRuns = cookie & 0xFFFF == 12347
    guard hasRuns || cookie == 12346 else { throw Self.damaged("it has an unknown format") }
    let size = hasRuns ? Int(cookie >> 16) + 1 : try reader.count(4, atLeast: 4)
    let runs = hasRuns ? try reader.take((size + 7) / 8) : []
    var headers: [(key: UInt64, count: Int)] = []
    for _ in 0..<size {
      let key = try reader.integer(2), count = Int(try reader.integer(2)) + 1
      guard headers.last.map({ $0.key < key }) ?? true else { throw Self.damaged("its parts are not in order") }
      headers.append((key, count))
    }
    // The parts follow each other: where they begin is only for readers that skip.
    if !hasRuns || size >= 4 { _ = try reader.take(size * 4) }
    for (place, header) in headers.enumerated() {
      let values: Values, found: Int
      if hasRuns, runs[runs.startIndex + place / 8] >> UInt8(place % 8) & 1 == 1 {
        var ranges: [ClosedRange<UInt16>] = []
        for _ in 0..<(try reader.count(2, atLeast: 4)) {
          let start = Int(try reader.integer(2)), end = start + Int(try reader.integer(2))
          guard end <= 0xFFFF, ranges.last.map({ $0.upperBound < start }) ?? true else {
            throw Self.damaged("its rows are not in order")
          }
          ranges.append(UInt16(start)...UInt16(end))
        }
        (values, found) = (.runs(ranges), ranges.reduce(0) { $0 + $1.count })
      } else if header.count > 4096 {
        var bits: [UInt64] = []
        for _ in 0..<1024 { bits.append(try reader.integer(8)) }
        (values, found) = (.bits(bits), bits.reduce(0) { $0 + $1.nonzeroBitCount })
      } else {
        var list: [UInt16] = []
        for _ in 0..<header.count {
          let value = UInt16(try reader.integer(2))
          guard list.last.map({ $0 < value }) ?? true else { throw Self.damaged("its rows are not in order") }
          list.append(value)
        }
        (values, found) = (.list(list), list.count)
      }
      guard found == header.count else { throw Self.damaged("it has another number of rows than it says") }
      blocks.append(Block(base: base | header.key << 16, values: values))
      count += found
    }
  }

  fileprivate static func damaged(_ what: String) -> Problem { Problem(.badData, "damaged deletion vector: \(what)") }

  /// The deleted rows in a range, ascending.
  public func rows(in range: Range<Int>) -> [Int] {
    var found: [Int] = [], low = 0, high = blocks.count
    if range.isEmpty { return found }
    // The first block that may have a row of the range.
    while low < high {
      let middle = (low + high) / 2
      if blocks[middle].base | 0xFFFF < UInt64(max(0, range.lowerBound)) { low = middle + 1 } else { high = middle }
    }
    while low < blocks.count, blocks[low].base < UInt64(max(0, range.upperBound)) {
      let base = Int(clamping: blocks[low].base)
      let least = UInt16(clamping: range.lowerBound - base), greatest = UInt16(clamping: range.upperBound - 1 - base)
      switch blocks[low].values {
      case .list(let list):
        for value in list where value >= least && value <= greatest { found.append(base + Int(value)) }
      case .bits(let bits):
        for value in Int(least)...Int(greatest) where bits[value >> 6] >> UInt64(value & 63) & 1 == 1 {
          found.append(base + value)
        }
      case .runs(let runs):
        for run in runs where run.upperBound >= least && run.lowerBound <= greatest {
          found += (base + Int(max(run.lowerBound, least)))...(base + Int(min(run.upperBound, greatest)))
        }
      }
      low += 1
    }
    return found
  }

  /// The greatest deleted row; nil without any.
  var last: Int? {
    guard let block = blocks.last else { return nil }
    let greatest =
      switch block.values {
      case .list(let list): list.last.map(Int.init)
      case .bits(let bits): bits.lastIndex { $0 != 0 }.map { $0 * 64 + 63 - bits[$0].leadingZeroBitCount }
      case .runs(let runs): runs.last.map { Int($0.upperBound) }
      }
    return greatest.map { Int(clamping: block.base + UInt64($0)) }
  }

  /// Reads numbers, of which the lowest byte is first.
  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func take(_ count: Int) throws(Problem) -> ArraySlice<UInt8> {
      guard count <= bytes.count else { throw damaged("it is not complete") }
      defer { bytes = bytes.dropFirst(count) }
      return bytes.prefix(count)
    }

    mutating func integer(_ size: Int) throws(Problem) -> UInt64 {
      try take(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number of things that have at least some bytes each.
    mutating func count(_ size: Int, atLeast bytes: Int) throws(Problem) -> Int {
      let number = try integer(size)
      guard number <= self.bytes.count / bytes else { throw damaged("it is not complete") }
      return Int(number)
    }
  }
}

/// The place of a deletion vector, as the log describes it.
struct DeletionVectorPlace: Sendable, Hashable {
  private let kind: String, text: String
  private let offset: Int?
  private let size: Int, cardinality: Int

  /// - Throws: `badData`.
  init(_ action: JSON) throws(Problem) {
    guard let kind = action["storageType"]?.stringValue, let text = action["pathOrInlineDv"]?.stringValue,
      let size = action["sizeInBytes"]?.countValue, let cardinality = action["cardinality"]?.countValue
    else { throw DeletionVector.damaged("its place is not complete") }
    guard size <= DeletionVector.maximumSize else { throw DeletionVector.damaged("it is larger than 1 GiB") }
    (self.kind, self.text, self.size, self.cardinality) = (kind, text, size, cardinality)
    offset = action["offset"]?.countValue
  }

  /// What distinguishes it from others of the same data file.
  var id: String { "\(kind)\(text)@\(offset.map(String.init) ?? "")" }

  /// Reads the vector.
  /// - Throws: `badData`; the errors of the storage.
  func read(_ storage: any TableStorage) async throws(Problem) -> DeletionVector {
    let bytes = kind == "i" ? try inlined() : try await stored(storage)
    let vector = try DeletionVector(bytes)
    guard vector.count == cardinality else {
      throw DeletionVector.damaged("it has \(vector.count) rows, and the log says \(cardinality)")
    }
    return vector
  }

  private func inlined() throws(Problem) -> [UInt8] {
    guard let bytes = Self.z85(text.utf8[...]), bytes.count >= size, bytes.count - size < 4 else {
      throw DeletionVector.damaged("its text has another size than the log says")
    }
    return Array(bytes.prefix(size))
  }

  private func stored(_ storage: any TableStorage) async throws(Problem) -> [UInt8] {
    let path: String
    switch kind {
    case "p": path = try DeltaPath.file(text, in: storage.root)
    case "u":
      guard let bytes = Self.z85(text.utf8.suffix(20)), bytes.count == 16 else {
        throw DeletionVector.damaged("its name is not a UUID")
      }
      let digits = bytes.map { String(256 + Int($0), radix: 16).dropFirst() }
      let id = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
      let prefix = String(decoding: text.utf8.dropLast(20), as: UTF8.self)
      path = try DeltaPath.file("\(prefix)\(prefix.isEmpty ? "" : "/")deletion_vector_\(id).bin", in: storage.root)
    default: throw Problem(.badData, "unsupported storage of deletion vectors: “\(kind.prefix(20))”")
    }
    guard let file = try await storage.open(path) else {
      throw Problem(.badData, "the log names a file that does not exist: \(path)")
    }
    let start = offset ?? 0
    guard start <= file.length - 8, size <= file.length - 8 - start,
      let bytes = try file.bytes(at: start, count: size + 8)
    else { throw DeletionVector.damaged("\(path) is not complete") }
    func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
    let data = Array(bytes[4..<size + 4])
    guard number(bytes[..<4]) == size else {
      throw DeletionVector.damaged("\(path) has another size than the log says")
    }
    guard try unsafe Zlib.crc32(data.span.bytes) == UInt32(truncatingIfNeeded: number(bytes[(size + 4)...])) else {
      throw DeletionVector.damaged("\(path) has a wrong checksum")
    }
    return data
  }

  /// The bytes of a text in Z85; nil if it is not one.
  private static func z85(_ text: Substring.UTF8View) -> [UInt8]? {
    guard text.count % 5 == 0 else { return nil }
    var bytes: [UInt8] = [], value: UInt64 = 0
    for (place, letter) in text.enumerated() {
      guard let digit = letters.firstIndex(of: letter) else { return nil }
      value = value * 85 + UInt64(digit)
      guard place % 5 == 4 else { continue }
      guard value <= UInt32.max else { return nil }
      for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
      value = 0
    }
    return bytes
  }

  private static let letters = Array(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#".utf8)
}
