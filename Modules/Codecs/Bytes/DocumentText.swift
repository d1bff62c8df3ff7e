internal import CMasks
public import Rows

/// A document in memory, or its beginning if it is larger than allowed: so that the first mistake is reported with its
/// place however large the document is.
public struct DocumentText: Sendable {
  /// Bytes of a document at most, unless a larger field is allowed.
  public static let usualLimit = 32 << 20

  /// How messages name the document.
  public let name: String
  /// The text, followed by NULs.
  let bytes: [UInt8]
  /// Bytes of the text.
  let count: Int
  /// Bytes of a document at most.
  private let limit: Int

  /// Reads a document.
  /// - Parameter limit: its bytes at most; a larger one is reported by its reader.
  public init(_ source: any ByteSource, limit: Int = Self.usualLimit) throws(Problem) {
    var bytes: [UInt8] = []
    // Memory that is not touched costs nothing; an array that grows is copied.
    bytes.reserveCapacity(min(source.size ?? limit, limit) + Arena.usualCapacity + Arena.slack)
    var piece = ArenaBuilder()
    while bytes.count <= limit, try source.read(into: &piece, limit: piece.room) > 0 {
      piece.read { span in unsafe span.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) } }
      piece.removeAll()
    }
    self.init(consume bytes, name: source.name, limit: limit)
  }

  /// A document in memory.
  public init(_ bytes: consuming [UInt8], name: String, limit: Int = Self.usualLimit) {
    self.name = name
    self.limit = limit
    count = min(bytes.count, limit)
    isWhole = bytes.count <= limit
    bytes.append(contentsOf: repeatElement(0, count: Arena.slack))
    for position in count..<(count + Arena.slack) { bytes[position] = 0 }
    self.bytes = bytes
  }

  /// Whether this is all of the document.
  let isWhole: Bool

  /// The problem of a document that is larger than allowed.
  var tooLarge: Problem {
    Problem(
      .badData, "the document is larger than \(limit >> 20) MiB", at: place(of: count),
      hint: "raise the limit with --max-field: a document may have twice as much")
  }

  /// A mistake at a position; of the beginning of a document that is too large, one at its end is only the cut.
  func problem(_ message: String, at position: Int, hint: String = "") -> Problem {
    if !isWhole, position >= count - 16 { return tooLarge }
    return Problem(.badData, message, at: place(of: position), hint: hint)
  }

  /// `name:line:column` of a position; the column is in bytes, from 1.
  public func place(of position: Int) -> String {
    let before = bytes[..<min(position, count)]
    let line = before.count { $0 == 0x0A } + 1, start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return "\(name):\(line):\(before.count - start + 1)"
  }

  /// Refuses bytes that are not UTF-8.
  /// - Throws: `badData` with their place.
  func checkUTF8() throws(Problem) {
    let bad = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe bytes.baseAddress.map { unsafe Int(bb_first_not_utf8($0, count)) } ?? count
    }
    if bad < (isWhole ? count : count - 4) { throw problem("invalid UTF-8", at: bad) }
  }
}
