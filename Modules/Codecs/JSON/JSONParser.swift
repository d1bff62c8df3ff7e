internal import CMasks
public import Rows

extension JSON {
  /// The treatment of duplicate keys of an object.
  public enum DuplicateKeys: Sendable {
    /// `badData`: whichever value were kept, the other would be lost.
    case refused
    /// All members are kept, in order, as RFC 8259 permits; looking a key up finds the first.
    case kept
  }

  /// The most bytes of one string of a foreign document, as it is written; 16 MiB.
  public static let maximumText = 16 << 20

  /// The value that `bytes` write: one value as RFC 8259 has it, white space around it, nothing else. A byte order mark
  /// before it is skipped.
  ///
  /// - Parameters:
  ///   - bytes: the document.
  ///   - name: what messages call the document; they say `name:line:column`, lines ending at LF and columns counted in
  ///     bytes, both from 1.
  ///   - duplicateKeys: whether an object may have a key more than once.
  ///   - maximumText: the most bytes of one string, as it is written.
  /// - Throws: `badData` for anything that is not JSON in UTF-8, for nesting deeper than 128, for a text longer than
  ///   `maximumText`, for a surrogate without its other half, and for duplicate keys unless they are `kept`.
  public static func parse(
    _ bytes: [UInt8], name: @autoclosure () -> String, duplicateKeys: DuplicateKeys = .refused,
    maximumText: Int = maximumText
  ) throws(Problem) -> JSON {
    let text = JSONDocument(bytes)
    do throws(JSONSyntaxError) {
      return try text.parse(duplicateKeys, maximumText)
    } catch {
      throw Problem(.badData, error.message, at: "\(name()):\(text.place(of: error.offset))")
    }
  }
}

/// The bytes of a document, followed by the NUL that a scanner needs.
private struct JSONDocument: ~Copyable {
  private var text: ArenaBuilder

  init(_ bytes: [UInt8]) {
    text = ArenaBuilder(capacity: bytes.count)
    text.append(bytes)
    text.seal()
  }

  /// `line:column` of an offset.
  func place(of offset: Int) -> String {
    var line = 1
    var start = 0
    for position in 0..<min(offset, text.count) where unsafe text.base[position] == 0x0A {
      line += 1
      start = position + 1
    }
    return "\(line):\(offset - start + 1)"
  }

  func parse(_ duplicateKeys: JSON.DuplicateKeys, _ maximumText: Int) throws(JSONSyntaxError) -> JSON {
    let bad = unsafe bb_first_not_utf8(text.base, text.count)
    if bad < text.count { throw JSONSyntaxError("invalid UTF-8 at byte \(bad) of the document", at: bad) }
    var parser = unsafe JSONTreeParser(
      scanner: JSONScanner(text.base), duplicateKeys: duplicateKeys, maximumText: maximumText)
    return try parser.document(end: text.count)
  }
}

/// Makes values of scanned text. Recursion ends at the scanner's maximum depth.
private struct JSONTreeParser {
  var scanner: JSONScanner
  let duplicateKeys: JSON.DuplicateKeys
  let maximumText: Int
  var keys = JSONKeys()

  init(scanner: JSONScanner, duplicateKeys: JSON.DuplicateKeys, maximumText: Int) {
    self.scanner = scanner
    self.duplicateKeys = duplicateKeys
    self.maximumText = maximumText
  }

  mutating func document(end: Int) throws(JSONSyntaxError) -> JSON {
    if scanner.byte == 0xEF, scanner.byte(1) == 0xBB, scanner.byte(2) == 0xBF { scanner.at = 3 }
    scanner.skipSpace()
    if scanner.at == end { throw JSONSyntaxError("the document is empty", at: end) }
    let value = try value(depth: 0)
    scanner.skipSpace()
    if scanner.at != end { throw JSONSyntaxError("unexpected text after the end of the document", at: scanner.at) }
    return value
  }

  /// The literals of one digit, which are shared: many numbers are.
  private static let digits = (0..<10).map { [UInt8(48 + $0)] }

  private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSON {
    switch scanner.byte {
    case UInt8(ascii: "{"): return .object(try members(depth: depth))
    case UInt8(ascii: "["): return .array(try elements(depth: depth))
    case UInt8(ascii: "\""): return .string(try string().text)
    case UInt8(ascii: "t"):
      try scanner.skipWord("true")
      return .boolean(true)
    case UInt8(ascii: "f"):
      try scanner.skipWord("false")
      return .boolean(false)
    case UInt8(ascii: "n"):
      try scanner.skipWord("null")
      return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      let start = scanner.at
      _ = try scanner.skipNumber()
      if scanner.at == start + 1 { return .number(Self.digits[Int(unsafe scanner.base[start]) - 48]) }
      return .number(unsafe JSONScanner.text(scanner.base, from: start, to: scanner.at, escaped: false))
    default: throw scanner.unexpected()
    }
  }

  private mutating func string() throws(JSONSyntaxError) -> (text: [UInt8], start: Int, escaped: Bool) {
    let start = scanner.at + 1
    let escaped = try scanner.skipString()
    guard scanner.at - start <= maximumText else {
      throw JSONSyntaxError("string longer than \(maximumText >> 20) MiB", at: start)
    }
    return (unsafe JSONScanner.text(scanner.base, from: start, to: scanner.at - 1, escaped: escaped), start, escaped)
  }

  private mutating func elements(depth: Int) throws(JSONSyntaxError) -> [JSON] {
    try scanner.enter(depth)
    var elements: [JSON] = []
    guard scanner.byte != UInt8(ascii: "]") else {
      scanner.at += 1
      return elements
    }
    repeat { elements.append(try value(depth: depth + 1)) } while try scanner.another(UInt8(ascii: "]"))
    return elements
  }

  private mutating func members(depth: Int) throws(JSONSyntaxError) -> [JSON.Member] {
    try scanner.enter(depth)
    var members: [JSON.Member] = []
    guard scanner.byte != UInt8(ascii: "}") else {
      scanner.at += 1
      return members
    }
    let mark = keys.begin()
    repeat {
      guard scanner.byte == UInt8(ascii: "\"") else { throw scanner.unexpected(wanted: "a double-quoted key") }
      let key = try string()
      if duplicateKeys == .refused {
        let isNew = unsafe keys.insert(
          scanner.base, from: key.start, to: scanner.at - 1, escaped: key.escaped, objectAt: mark)
        guard isNew else { throw JSONSyntaxError(keys.refusal, at: key.start - 1) }
      }
      try scanner.skipColon()
      // Most objects have a few.
      if members.isEmpty { members.reserveCapacity(4) }
      members.append(JSON.Member(key.text, try value(depth: depth + 1)))
    } while try scanner.another(UInt8(ascii: "}"))
    keys.end(mark)
    return members
  }
}

extension JSONScanner {
  /// Steps into an array or object and to its first value, key or end.
  @inline(__always) mutating func enter(_ depth: Int) throws(JSONSyntaxError) {
    guard depth < Self.maximumDepth else {
      throw JSONSyntaxError("nested more than \(Self.maximumDepth) levels deep", at: at)
    }
    at &+= 1
    skipSpace()
  }

  /// After a value: true at a comma, advancing to the next value; false after `closing` at the end.
  @inline(__always) mutating func another(_ closing: UInt8) throws(JSONSyntaxError) -> Bool {
    skipSpace()
    if byte == UInt8(ascii: ",") {
      at &+= 1
      skipSpace()
      return true
    }
    guard byte == closing else {
      throw unexpected(wanted: "a comma or “\(Character(Unicode.Scalar(closing)))”")
    }
    at &+= 1
    return false
  }

  /// Skips from the end of a key to its value.
  @inline(__always) mutating func skipColon() throws(JSONSyntaxError) {
    skipSpace()
    guard byte == UInt8(ascii: ":") else { throw unexpected(wanted: "a colon after the key") }
    at &+= 1
    skipSpace()
  }
}
