import Codecs
import Rows

/// Reads the XML of an archive's entry from left to right, in memory that does not depend on its size: for documents of
/// millions of elements, whose names and texts are ranges of bytes rather than strings.
///
/// Names are compared without their prefix. Document types are `badData`, so that no entity grows and nothing is
/// fetched; so are encodings other than UTF-8, unclosed elements, and texts and tags larger than `limit`.
@safe final class XMLStream: @unchecked Sendable {
  enum Event { case start, text, end, finished }

  private static let deepest = 128, mostAttributes = 1000

  private let entry: ZipEntryReader
  private let limit: Int
  /// The bytes that are decompressed and not passed yet are those from `at` to `end`.
  private var buffer = ArenaBuilder()
  private var at = 0
  /// Bytes before the buffer.
  private var passed = 0
  private var isAtEnd = false

  /// The name of the current element, for `start` and `end`, without a prefix.
  private(set) var name = ByteRange()
  /// The current text, or CDATA section.
  private(set) var text = ByteRange()
  /// Whether entities and line ends of the text are still to be replaced.
  private(set) var isRaw = false
  private var attributes: [(name: ByteRange, value: ByteRange)] = []
  /// The names of the open elements, one after another, and where each begins.
  private var openNames: [UInt8] = [], openStarts: [Int] = []
  private var hasRoot = false
  /// Whether the current start tag is an empty element, whose end comes next.
  private var isEmptyElement = false

  /// A range of the buffer, valid until the next event.
  struct ByteRange {
    var start = 0, count = 0
  }

  /// - Parameter limit: the most bytes of a text or a tag.
  init(_ entry: ZipEntryReader, limit: Int) throws(Problem) {
    self.entry = entry
    self.limit = limit
    try fill()
    let first = buffer.run(0, min(end, 4)).bytes
    if first.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    if first.starts(with: [0xFE, 0xFF]) || first.starts(with: [0xFF, 0xFE]) || first.contains(0) {
      throw problem("is UTF-16; only UTF-8 is supported")
    }
  }

  private var end: Int { buffer.count }

  /// The number of open elements, the current one counted.
  var depth: Int { openStarts.count }

  /// Whether the current element is called `word`.
  @inline(__always) func isNamed(_ word: StaticString) -> Bool { isEqual(name, word) }

  /// The value of an attribute of the current start tag, without a prefix, entities not replaced.
  @inline(__always) func attribute(_ word: StaticString) -> ByteRange? {
    for attribute in attributes where isEqual(attribute.name, word) { return attribute.value }
    return nil
  }

  /// An attribute's value as text; nil if there is none.
  func value(_ word: StaticString) throws(Problem) -> String? {
    guard let range = attribute(word) else { return nil }
    var out = ByteBuffer(capacity: range.count + 16)
    try append(range, isRaw: true, to: &out)
    return String(decoding: out.bytes(), as: UTF8.self)
  }

  /// The bytes of a range, valid until the next event.
  @inline(__always) func run(_ range: ByteRange) -> ByteRun { buffer.run(range.start, range.count) }

  @inline(__always) func isEqual(_ range: ByteRange, _ word: StaticString) -> Bool { run(range).equals(word) }

  /// The next event.
  /// - Throws: `badData` with the entry and the byte of what is not well-formed.
  func next() throws(Problem) -> Event {
    if isEmptyElement {
      isEmptyElement = false
      openNames.removeLast(openNames.count - openStarts.removeLast())
      return .end
    }
    while true {
      if at == end, try !fill() {
        guard openStarts.isEmpty, hasRoot else { throw problem("unexpected end of document") }
        return .finished
      }
      guard buffer[at] == UInt8(ascii: "<") else {
        let count = try distance(to: UInt8(ascii: "<"))
        text = ByteRange(start: at, count: count)
        at += count
        if openStarts.isEmpty {
          guard isBlank(text) else { throw problem("text outside the root element") }
          continue
        }
        isRaw = true
        return .text
      }
      while end - at < 9, try fill() {}
      let second = end - at > 1 ? buffer[at + 1] : 0
      switch second {
      case UInt8(ascii: "/"): return try endTag()
      case UInt8(ascii: "?"): try passInstruction()
      case UInt8(ascii: "!"): if try isCharacterData() { return .text }
      default: return try startTag()
      }
    }
  }

  /// Passes over the current element, whose start was the last event, with all that is in it.
  func skip() throws(Problem) {
    let outside = depth - 1
    while depth > outside { _ = try next() }
  }

  // MARK: - Tags

  private func endTag() throws(Problem) -> Event {
    let count = try distance(to: UInt8(ascii: ">"))
    var stop = at + count
    while stop > at + 2, Self.isBlank(buffer[stop - 1]) { stop -= 1 }
    let whole = ByteRange(start: at + 2, count: stop - at - 2)
    guard let open = openStarts.last, openNames.count - open == whole.count, isOpen(whole, open) else {
      throw problem("unexpected closing tag")
    }
    openNames.removeLast(openNames.count - open)
    openStarts.removeLast()
    name = local(whole)
    at += count + 1
    return .end
  }

  /// Whether the name of the innermost element, which begins at `open`, is this one.
  @inline(__always) private func isOpen(_ whole: ByteRange, _ open: Int) -> Bool {
    let name = run(whole)
    for index in 0..<whole.count where openNames[open + index] != name[index] { return false }
    return true
  }

  private func startTag() throws(Problem) -> Event {
    // Reading more of the document moves the tag.
    let length = try lengthOfTag(), stop = at + length
    guard !openStarts.isEmpty || !hasRoot else { throw problem("more than one root element") }
    hasRoot = true
    var place = at + 1
    let whole = nameRange(&place, stop)
    guard whole.count > 0 else { throw problem("missing name") }
    name = local(whole)
    guard openStarts.count < Self.deepest else {
      throw problem("elements nested more than \(Self.deepest) levels deep")
    }
    openStarts.append(openNames.count)
    openNames += run(whole).bytes
    attributes.removeAll(keepingCapacity: true)
    while true {
      let before = place
      while place < stop, Self.isBlank(buffer[place]) { place += 1 }
      if place == stop { break }
      if buffer[place] == UInt8(ascii: "/"), place + 1 == stop {
        isEmptyElement = true
        break
      }
      guard place > before else { throw problem("expected white space, > or />") }
      let key = nameRange(&place, stop)
      while place < stop, Self.isBlank(buffer[place]) { place += 1 }
      guard key.count > 0, place < stop, buffer[place] == UInt8(ascii: "=") else {
        throw problem("invalid attribute")
      }
      place += 1
      while place < stop, Self.isBlank(buffer[place]) { place += 1 }
      guard place < stop, case let quote = buffer[place],
        quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
      else { throw problem("missing quote") }
      let start = place + 1
      let count = buffer.run(start, stop - start).distance(to: quote)
      guard start + count < stop else { throw problem("unterminated attribute value") }
      guard attributes.count < Self.mostAttributes else {
        throw problem("an element has more than \(Self.mostAttributes) attributes")
      }
      attributes.append((local(key), ByteRange(start: start, count: count)))
      place = start + count + 1
    }
    at = stop + 1
    return .start
  }

  /// Bytes of the tag at `at` up to its `>`, which is in the buffer then.
  private func lengthOfTag() throws(Problem) -> Int {
    var count = 1, quote: UInt8 = 0
    while true {
      while at + count < end {
        let byte = buffer[at + count]
        if quote != 0 {
          if byte == quote { quote = 0 }
        } else if byte == UInt8(ascii: ">") {
          return count
        } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
          quote = byte
        } else if byte == UInt8(ascii: "<") {
          throw problem("“<” in a tag")
        }
        count += 1
      }
      try more("tag", count)
    }
  }

  private func nameRange(_ place: inout Int, _ stop: Int) -> ByteRange {
    let start = place
    while place < stop {
      let byte = buffer[place]
      if Self.isBlank(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "/") { break }
      place += 1
    }
    return ByteRange(start: start, count: place - start)
  }

  private func local(_ whole: ByteRange) -> ByteRange {
    let colon = run(whole).distance(to: UInt8(ascii: ":"))
    return colon == whole.count ? whole : ByteRange(start: whole.start + colon + 1, count: whole.count - colon - 1)
  }

  // MARK: - What is not an element

  /// Passes over an instruction. The declaration may name no encoding but UTF-8 and its part, ASCII.
  private func passInstruction() throws(Problem) {
    let start = at
    try pass("?>", "processing instruction")
    guard passed + start < 4, at > start else { return }
    let text = buffer.run(start, at - start).text.lowercased()
    guard let mark = text.firstRange(of: "encoding") else { return }
    let word = text[mark.upperBound...].drop { " =\t\"'\r\n".contains($0) }.prefix { !"\"'".contains($0) }
    guard ["utf-8", "utf8", "us-ascii", "ascii"].contains(String(word)) else {
      throw problem("is encoded in \(word); only UTF-8 is supported")
    }
  }

  /// Passes over a comment, or takes a CDATA section as text; false for the first.
  private func isCharacterData() throws(Problem) -> Bool {
    if starts("<!--") {
      try pass("-->", "comment")
      return false
    }
    guard starts("<![CDATA[") else { throw problem("document type declarations are not supported") }
    guard !openStarts.isEmpty else { throw problem("text outside the root element") }
    var count = 9
    while true {
      let found = buffer.run(at + count, end - at - count).distance(to: UInt8(ascii: ">"))
      count += found
      if at + count < end {
        if count >= 11, buffer[at + count - 1] == UInt8(ascii: "]"),
          buffer[at + count - 2] == UInt8(ascii: "]")
        {
          break
        }
        count += 1
      } else {
        try more("CDATA section", count)
      }
    }
    text = ByteRange(start: at + 9, count: count - 11)
    isRaw = false
    at += count + 1
    return true
  }

  private func starts(_ mark: StaticString) -> Bool {
    guard end - at >= mark.utf8CodeUnitCount else { return false }
    return isEqual(ByteRange(start: at, count: mark.utf8CodeUnitCount), mark)
  }

  /// Goes past the next `mark`, which the current position does not overlap.
  private func pass(_ mark: StaticString, _ what: String) throws(Problem) {
    at += mark.utf8CodeUnitCount == 3 ? 4 : 2
    while true {
      while at + mark.utf8CodeUnitCount <= end {
        if starts(mark) {
          at += mark.utf8CodeUnitCount
          return
        }
        at += 1
      }
      guard try fill() else { throw problem("unterminated \(what)") }
    }
  }

  // MARK: - Texts

  /// Appends the bytes of a text or value to `out`, entities and line ends replaced.
  /// - Throws: `badData` for unknown entities and invalid UTF-8.
  func append(_ range: ByteRange, isRaw: Bool, to out: inout ByteBuffer) throws(Problem) {
    if let fault = XMLText.append(run(range), isRaw: isRaw, to: &out) { throw problem(fault) }
  }

  private func isBlank(_ range: ByteRange) -> Bool {
    for index in 0..<range.count where !Self.isBlank(buffer[range.start + index]) { return false }
    return true
  }

  @inline(__always) private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  // MARK: - The buffer

  /// Bytes up to the next `mark`, or to the end of the document.
  private func distance(to mark: UInt8) throws(Problem) -> Int {
    var count = 0
    while true {
      let found = buffer.run(at + count, end - at - count).distance(to: mark)
      count += found
      if at + count < end { return count }
      if count > limit { throw tooLarge("text") }
      if try !fill() {
        if mark == UInt8(ascii: ">") { throw problem("unterminated tag") }
        return count
      }
    }
  }

  private func more(_ what: String, _ count: Int) throws(Problem) {
    if count > limit { throw tooLarge(what) }
    guard try fill() else { throw problem("unterminated \(what)") }
  }

  /// Decompresses more after the bytes from `at` on, which are kept; false at the end.
  @discardableResult private func fill() throws(Problem) -> Bool {
    if isAtEnd { return false }
    buffer.removeFirst(at)
    passed += at
    at = 0
    if buffer.room == 0 { buffer.reserve(buffer.capacity * 2) }
    isAtEnd = try entry.read(into: &buffer) == 0
    return !isAtEnd
  }

  private func tooLarge(_ what: String) -> Problem {
    Problem(
      .badData, "a \(what) is larger than \(limit >> 20) MiB, at byte \(passed + at + 1)", at: entry.place,
      hint: .raise(.maximumField))
  }

  func problem(_ message: String) -> Problem {
    Problem(.badData, "\(message), at byte \(passed + at + 1)", at: entry.place)
  }
}
