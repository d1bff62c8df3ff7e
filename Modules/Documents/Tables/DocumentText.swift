import Codecs
import Rows

/// The text of a document, read from the beginning to the end in memory that does not depend on its size.
struct DocumentText {
  let name: String
  /// The number of the line that was read last, or of the next byte; from 1.
  private(set) var line = 1
  private let source: any ByteSource
  /// The most bytes of a line or a value.
  let mostBytes: Int
  private var bytes: [UInt8] = []
  private var at = 0
  private var isAtEnd = false

  /// The text of `source`, after its byte order mark if it has one.
  init(_ source: any ByteSource, limit: Int) throws(Problem) {
    name = source.name
    self.source = source
    mostBytes = limit
    while bytes.count < 3, try fill() {}
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
  }

  private mutating func fill() throws(Problem) -> Bool {
    if isAtEnd { return false }
    var piece = ArenaBuilder(capacity: 64 << 10)
    isAtEnd = try source.read(into: &piece, limit: piece.room) == 0
    bytes.removeFirst(at)
    at = 0
    bytes += piece.bytes
    return !isAtEnd
  }

  /// The next byte, which stays; nil at the end.
  mutating func peek() throws(Problem) -> UInt8? {
    if at == bytes.count, try !fill() { return nil }
    return bytes[at]
  }

  /// The next byte; nil at the end.
  mutating func next() throws(Problem) -> UInt8? {
    guard let byte = try peek() else { return nil }
    at += 1
    if byte == 0x0A { line += 1 }
    return byte
  }

  /// Whether `word`, in ASCII, comes next, ignoring case; it stays.
  mutating func comes(_ word: String) throws(Problem) -> Bool {
    let count = word.utf8.count
    while bytes.count - at < count { guard try fill() else { return false } }
    return zip(word.utf8, bytes[at...]).allSatisfy { $0 == $1 || $0 == $1 | 0x20 }
  }

  /// Passes `count` bytes.
  mutating func skip(_ count: Int) throws(Problem) { for _ in 0..<count { _ = try next() } }

  /// The bytes before the first one that `isEnd`, which stays.
  mutating func prefix(until isEnd: (UInt8) -> Bool) throws(Problem) -> [UInt8] {
    var taken: [UInt8] = []
    while try peek() != nil {
      let end = bytes[at...].firstIndex(where: isEnd) ?? bytes.count
      for byte in bytes[at..<end] where byte == 0x0A { line += 1 }
      taken += bytes[at..<end]
      at = end
      guard taken.count <= mostBytes else { throw tooLarge }
      if end < bytes.count { break }
    }
    return taken
  }

  /// The next line without its end; nil at the end.
  mutating func nextLine() throws(Problem) -> [UInt8]? {
    guard try peek() != nil else { return nil }
    var text = try prefix { $0 == 0x0A }
    _ = try next()
    if text.last == 0x0D { text.removeLast() }
    return text
  }

  var tooLarge: Problem {
    Problem(
      .badData, "a value is larger than \(mostBytes >> 20) MiB", at: "\(name):\(line)", hint: .raise(.maximumField))
  }

  func problem(_ message: String, line: Int? = nil, hint: Remedy = "") -> Problem {
    Problem(.badData, message, at: "\(name):\(line ?? self.line)", hint: hint)
  }
}

extension [UInt8] {
  /// The bytes without spaces, tabs and line ends at the edges.
  var trimmed: [UInt8] { self[...].trimmed }
}

extension ArraySlice<UInt8> {
  /// The bytes without spaces, tabs and line ends at the edges.
  var trimmed: [UInt8] {
    let start = drop { $0 == 0x20 || $0 &- 9 < 5 }
    let last = start.lastIndex { $0 != 0x20 && $0 &- 9 >= 5 }
    return Array(start[..<(last.map { $0 + 1 } ?? start.startIndex)])
  }
}
