internal import CMasks
import Codecs
import Rows

/// Reads XML from left to right, in memory that does not depend on its size: for documents of millions of elements,
/// whose names and texts are ranges of bytes rather than strings.
///
/// Names are compared without their prefix. Document types are `badData`, so that no entity grows and nothing is
/// fetched; so are encodings other than UTF-8, unclosed elements, and texts and tags larger than `limit`.
@safe final class XMLStream: @unchecked Sendable {
  enum Event { case start, text, end, finished }

  private static let deepest = 128, mostAttributes = 1000

  private let source: any ByteSource
  private let limit: Int
  /// The bytes of a small document, whose problems have a line and a column; nil for others.
  private let document: [UInt8]?
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
  /// Whether the text or value that was appended last had white space as a character reference.
  private(set) var hasSpaceReference = false
  /// Where the current element begins, as a position among all bytes.
  private(set) var start = 0
  private var attributes: [(name: ByteRange, value: ByteRange, hasPrefix: Bool)] = []
  private var open = OpenElements()
  private var hasRoot = false
  /// Whether the current start tag is an empty element, whose end comes next.
  private var isEmptyElement = false

  /// A range of the buffer, valid until the next event.
  struct ByteRange {
    var start = 0, count = 0
  }

  /// - Parameters:
  ///   - limit: the most bytes of a text or a tag.
  ///   - document: all bytes of the source, if it is small: then problems have a line and a column.
  /// - Throws: `badData` for bytes that are not UTF-8; the errors of reading.
  init(_ source: any ByteSource, limit: Int, document: [UInt8]? = nil) throws(Problem) {
    (self.source, self.limit, self.document) = (source, limit, document)
    if let document, (try? UTF8Span(validating: document.span)) == nil {
      throw Problem(.badData, "invalid UTF-8", at: source.name)
    }
    try fill()
    let first = buffer.run(0, min(end, 4)).bytes
    if first.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    if first.starts(with: [0xFE, 0xFF]) || first.starts(with: [0xFF, 0xFE]) || first.contains(0) {
      throw problem("is UTF-16; only UTF-8 is supported")
    }
  }

  private var end: Int { buffer.count }

  /// The number of open elements, the current one counted.
  var depth: Int { open.count }

  /// Whether the current element is called `word`.
  @inline(__always) func isNamed(_ word: StaticString) -> Bool { isEqual(name, word) }

  /// Whether the element that starts has the namespace of the root: its prefix, which the element does not bind again.
  var isOfRoot: Bool {
    guard open.count > 0 else { return false }
    let colon = UInt8(ascii: ":"), root = open.root, own = open.last.prefix { $0 != colon }
    let mark = root.firstIndex(of: colon)
    if own.count < open.lastCount { return mark.map { root[..<$0].elementsEqual(own) } ?? false }
    guard mark == nil else { return false }
    return attribute("xmlns").map { run($0).bytes.suffix(5).elementsEqual("/main".utf8) } ?? true || open.count == 1
  }

  /// Whether the element that starts has a prefix of another namespace than the root.
  @inline(__always) var isForeign: Bool { open.lastCount != name.count && !isOfRoot }

  /// The value of an attribute of the current start tag, without a prefix, entities not replaced.
  @inline(__always) func attribute(_ word: StaticString) -> ByteRange? {
    for attribute in attributes where isEqual(attribute.name, word) { return attribute.value }
    return nil
  }

  /// An attribute's value as text; nil if there is none.
  func value(_ word: StaticString) throws(Problem) -> String? {
    try attribute(word).map { (range) throws(Problem) in try string(range, isRaw: true) }
  }

  /// The prefix of the current start tag's name; empty for none.
  var prefix: String {
    String(decoding: open.last.dropLast(name.count).dropLast(), as: UTF8.self)
  }

  /// The namespaces that the current start tag declares, by prefix; the default namespace has an empty one.
  func namespaces() throws(Problem) -> [(prefix: String, name: String)] {
    try attributes.filter(isDeclaration).map { (attribute) throws(Problem) in
      (attribute.hasPrefix ? run(attribute.name).text : "", try string(attribute.value, isRaw: true))
    }
  }

  private func isDeclaration(_ attribute: (name: ByteRange, value: ByteRange, hasPrefix: Bool)) -> Bool {
    attribute.hasPrefix
      ? run(ByteRange(start: attribute.name.start - 6, count: 5)).equals("xmlns") : isEqual(attribute.name, "xmlns")
  }

  /// All attributes of the current start tag, by name without prefix, except declarations of namespaces.
  /// - Throws: `badData` for one that is there twice, or is not well-formed.
  func values() throws(Problem) -> [String: String] {
    var values: [String: String] = [:]
    for attribute in attributes where !isDeclaration(attribute) {
      let name = run(attribute.name).text
      guard run(attribute.value).distance(to: UInt8(ascii: "<")) == attribute.value.count else {
        throw problem("“<” in an attribute value", at: passed + attribute.value.start)
      }
      guard try values.updateValue(string(attribute.value, isRaw: true), forKey: name) == nil || attribute.hasPrefix
      else { throw problem("duplicate attribute \(name)", at: passed + attribute.name.start) }
    }
    return values
  }

  func string() throws(Problem) -> String { try string(text, isRaw: isRaw) }

  private func string(_ range: ByteRange, isRaw: Bool) throws(Problem) -> String {
    var out = ByteBuffer(capacity: range.count + 16)
    try append(range, isRaw: isRaw, to: &out)
    return out.read { span in unsafe span.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
  }

  /// The bytes of a range, valid until the next event.
  @inline(__always) func run(_ range: ByteRange) -> ByteRun { buffer.run(range.start, range.count) }

  @inline(__always) func isEqual(_ range: ByteRange, _ word: StaticString) -> Bool { run(range).equals(word) }

  /// The next event.
  /// - Throws: `badData` with the entry and the byte of what is not well-formed.
  func next() throws(Problem) -> Event {
    if isEmptyElement {
      isEmptyElement = false
      open.close()
      return .end
    }
    while true {
      if at == end, try !fill() {
        guard hasRoot else { throw problem("no root element") }
        guard open.count > 0 else { return .finished }
        throw problem("unclosed element <\(String(decoding: open.last, as: UTF8.self))>")
      }
      guard buffer[at] == UInt8(ascii: "<") else {
        let count = try distance(to: UInt8(ascii: "<"))
        text = ByteRange(start: at, count: count)
        at += count
        if open.count == 0 {
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
    guard open.count > 0, open.isLast(run(whole)) else {
      throw problem("unexpected closing tag </\(run(whole).slice(from: 0, atMost: 100).text)>")
    }
    open.close()
    name = local(whole)
    at += count + 1
    return .end
  }

  private func startTag() throws(Problem) -> Event {
    // Reading more of the document moves the tag.
    let length = try lengthOfTag(), stop = at + length
    guard open.count > 0 || !hasRoot else { throw problem("more than one root element") }
    hasRoot = true
    start = passed + at
    var place = at + 1
    let whole = nameRange(&place, stop)
    guard whole.count > 0 else { throw problem("missing name", at: passed + place) }
    name = local(whole)
    guard open.count < Self.deepest else {
      throw problem("elements nested more than \(Self.deepest) levels deep")
    }
    open.open(run(whole))
    attributes.removeAll(keepingCapacity: true)
    while true {
      let before = place
      while place < stop, Self.isBlank(buffer[place]) { place += 1 }
      if place == stop { break }
      if buffer[place] == UInt8(ascii: "/"), place + 1 == stop {
        isEmptyElement = true
        break
      }
      guard place > before else { throw problem("expected white space, > or />", at: passed + place) }
      let key = nameRange(&place, stop)
      while place < stop, Self.isBlank(buffer[place]) { place += 1 }
      guard key.count > 0, place < stop, buffer[place] == UInt8(ascii: "=") else {
        throw problem("invalid attribute", at: passed + place)
      }
      place += 1
      while place < stop, Self.isBlank(buffer[place]) { place += 1 }
      guard place < stop, case let quote = buffer[place],
        quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
      else { throw problem("missing quote", at: passed + place) }
      let start = place + 1
      let count = buffer.run(start, stop - start).distance(to: quote)
      guard start + count < stop else { throw problem("unterminated attribute value") }
      guard attributes.count < Self.mostAttributes else {
        throw problem("an element has more than \(Self.mostAttributes) attributes")
      }
      let name = local(key)
      attributes.append((name, ByteRange(start: start, count: count), name.count < key.count))
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
      guard Self.isName(byte), byte >= 58 || place > start else { break }
      place += 1
    }
    return ByteRange(start: start, count: place - start)
  }

  /// Whether names may have the byte: letters, digits, `_`, `:`, `.`, `-`, and all characters that are not ASCII.
  @inline(__always) private static func isName(_ byte: UInt8) -> Bool {
    let ascii: UInt64 = byte < 64 ? 0x07FF_6000_0000_0000 : 0x07FF_FFFE_87FF_FFFE
    return byte >= 128 || ascii &>> UInt64(byte & 63) & 1 == 1
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
      var problem = problem("is encoded in \(word); only UTF-8 is supported")
      problem.hint = .set(.inputEncoding)
      throw problem
    }
  }

  /// Passes over a comment, or takes a CDATA section as text; false for the first.
  private func isCharacterData() throws(Problem) -> Bool {
    if starts("<!--") {
      try pass("-->", "comment")
      return false
    }
    guard starts("<![CDATA[") else { throw problem("document type declarations are not supported") }
    guard open.count > 0 else { throw problem("text outside the root element") }
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
    let start = passed + at
    at += mark.utf8CodeUnitCount == 3 ? 4 : 2
    while true {
      while at + mark.utf8CodeUnitCount <= end {
        if starts(mark) {
          at += mark.utf8CodeUnitCount
          return
        }
        at += 1
      }
      guard try fill() else { throw problem("unterminated \(what)", at: start) }
    }
  }

  // MARK: - Texts

  /// Appends the bytes of a text or value to `out`, entities and line ends replaced if it is raw.
  /// - Throws: `badData` for unknown entities and invalid UTF-8.
  func append(_ range: ByteRange, isRaw: Bool, to out: inout ByteBuffer) throws(Problem) {
    let before = out.count, text = run(range)
    hasSpaceReference = false
    let isPlain =
      !isRaw || text.distance(to: UInt8(ascii: "&")) == text.count && text.distance(to: 0x0D) == text.count
    if isPlain { out.append(text) } else { try appendReplacing(text, range.start, to: &out) }
    let made = out.run(from: before)
    guard unsafe Int(bb_first_not_utf8(made.start, made.count)) == made.count else {
      var problem = problem("invalid UTF-8", at: passed + range.start)
      problem.hint = .set(.inputEncoding, to: "windows-1252")
      throw problem
    }
  }

  private func appendReplacing(_ text: ByteRun, _ start: Int, to out: inout ByteBuffer) throws(Problem) {
    var place = 0
    while place < text.count {
      let byte = text[place]
      if byte == UInt8(ascii: "&") {
        let rest = text.slice(from: place, atMost: 12), length = rest.distance(to: UInt8(ascii: ";"))
        guard length < rest.count else {
          throw problem("“&” is not followed by an entity name", at: passed + start + place)
        }
        let word = rest.slice(from: 1, atMost: length - 1).text
        guard let scalar = scalar(word) else { throw problem("unknown entity “&\(word);”", at: passed + start + place) }
        out.append(bytes: Array(String(scalar).utf8))
        place += length + 1
        continue
      }
      place += 1
      // As XML has it, one line feed ends a line.
      if byte == 0x0D, place < text.count, text[place] == 0x0A { continue }
      out.append(byte: byte == 0x0D ? 0x0A : byte)
    }
  }

  /// The character that the entity `&word;` stands for: the five of XML, and characters by number.
  private func scalar(_ word: String) -> Unicode.Scalar? {
    switch word {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      guard word.hasPrefix("#") else { return nil }
      let number = word.hasPrefix("#x") ? UInt32(word.dropFirst(2), radix: 16) : UInt32(word.dropFirst())
      guard let number, number > 0 else { return nil }
      if number <= 0x20 { hasSpaceReference = true }
      return Unicode.Scalar(number)
    }
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
      if document != nil || at + count == end, count > limit { throw tooLarge("text") }
      if at + count < end { return count }
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
    isAtEnd = try source.read(into: &buffer, limit: buffer.room) == 0
    return !isAtEnd
  }

  private func tooLarge(_ what: String) -> Problem {
    var problem = problem("a \(what) is larger than \(limit >> 20) MiB")
    if document == nil { problem.hint = .raise(.maximumField) }
    return problem
  }

  /// A problem at a position among all bytes; by default at the current one.
  func problem(_ message: String, at position: Int? = nil) -> Problem {
    let position = position ?? passed + at
    if let document {
      return Problem(.badData, message, at: XMLElement.place(position, in: document, name: source.name))
    }
    return Problem(.badData, "\(message), at byte \(position + 1)", at: source.name)
  }
}
