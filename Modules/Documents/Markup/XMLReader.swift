internal import CMasks
public import Rows

/// Reads XML from left to right: elements, their attributes and texts. What documents of places and actors need, and no
/// more.
///
/// UTF-8 only. Entities are the five that XML knows and characters by number; a document type is `badData`, so that
/// nothing grows and nothing is fetched. Names keep their prefix off: `gpx:wpt` is `wpt`. Comments and instructions are
/// passed over.
public struct XMLReader {
  /// The next part of the document.
  public enum Event: Sendable, Hashable {
    /// An element begins; its name without a prefix, its attributes by name.
    case start(String, [String: String])
    /// Text, its entities replaced; never empty.
    case text(String)
    /// The innermost element ends.
    case end(String)
  }
  /// Elements within elements that are read.
  private static let deepest = 128
  /// The most bytes of a text or a value.
  private static let longest = 4 << 20
  /// The most attributes of an element.
  private static let mostAttributes = 1000

  private let bytes: [UInt8]
  private let name: String
  private var at = 0
  /// Where the element begins that was read last, as a position among the bytes.
  private(set) var start = 0
  private var open: [String] = []
  /// The end of an element that was written as `<a/>`.
  private var pending: String?
  private var hasRoot = false
  /// Whether the last text had a space or line end as a character reference, so that those at its edges belong to it.
  private(set) var hasSpaceReference = false

  /// A reader of `bytes`; messages say `name:line:column`.
  /// - Throws: `badData` for bytes that are not UTF-8.
  public init(_ bytes: [UInt8], name: String) throws(Problem) {
    try Self.checkUTF8(bytes, name: name)
    self.bytes = bytes
    self.name = name
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
  }

  /// - Throws: `badData` for bytes that are not UTF-8.
  static func checkUTF8(_ bytes: [UInt8], name: String) throws(Problem) {
    let bad = unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe bytes.baseAddress.map { unsafe firstNotUTF8($0, bytes.count) } ?? 0
    }
    guard bad == bytes.count else { throw Problem(.badData, "invalid UTF-8", at: name) }
  }

  /// The position of the first byte that is not UTF-8; `count` when there is none.
  private static func firstNotUTF8(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int {
    // The check reads one byte more, so the last characters are checked in a copy.
    var border = max(0, count - 8)
    while border > 0, unsafe bytes[border] & 0xC0 == 0x80, count - border < 16 { border -= 1 }
    let bad = unsafe Int(bb_first_not_utf8(bytes, border))
    if bad < border { return bad }
    let end =
      unsafe Array(UnsafeBufferPointer(start: bytes + border, count: count - border)) + [UInt8](repeating: 0, count: 64)
    return unsafe end.withUnsafeBufferPointer { end in
      unsafe end.baseAddress.map { unsafe border + Int(bb_first_not_utf8($0, count - border)) } ?? count
    }
  }

  /// The next event; nil at the end.
  /// - Throws: `badData` with the place of what is not well-formed.
  public mutating func next() throws(Problem) -> Event? {
    hasSpaceReference = false
    if let name = pending {
      pending = nil
      open.removeLast()
      return .end(name)
    }
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "<") else {
        let text = try text(until: UInt8(ascii: "<"))
        if open.isEmpty {
          guard text.utf8.allSatisfy({ $0 == 0x20 || $0 &- 9 < 5 }) else {
            throw problem("text outside the root element")
          }
          continue
        }
        return .text(text)
      }
      if skip("<!--") {
        try pass("-->", "comment")
      } else if skip("<?") {
        try pass("?>", "processing instruction")
      } else if skip("<![CDATA[") {
        let start = at
        try pass("]]>", "CDATA section")
        guard at - start <= Self.longest else { throw tooLong() }
        guard !open.isEmpty else { throw problem("text outside the root element") }
        let text = String(decoding: bytes[start..<(at - 3)], as: UTF8.self)
        if !text.isEmpty { return .text(text) }
      } else if skip("<!") {
        throw problem("document type declarations are not supported")
      } else if skip("</") {
        let name = try readName()
        try blank()
        try expect(">")
        guard open.popLast() == name else { throw problem("unexpected closing tag </\(name)>") }
        return .end(Self.local(name))
      } else {
        start = at
        at += 1
        return try element()
      }
    }
    if let name = open.last { throw problem("unclosed element <\(name)>") }
    guard hasRoot else { throw problem("no root element") }
    return nil
  }

  private mutating func element() throws(Problem) -> Event {
    guard !open.isEmpty || !hasRoot else { throw problem("more than one root element") }
    hasRoot = true
    let name = try readName()
    open.append(name)
    guard open.count <= Self.deepest else { throw problem("elements nested more than \(Self.deepest) levels deep") }
    var attributes: [String: String] = [:]
    while true {
      let before = at
      try blank()
      if skip("/>") {
        pending = Self.local(name)
        return .start(Self.local(name), attributes)
      }
      if skip(">") { return .start(Self.local(name), attributes) }
      guard at > before else { throw problem("expected white space, > or />") }
      let key = try readName()
      try blank()
      try expect("=")
      try blank()
      guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") || bytes[at] == UInt8(ascii: "'") else {
        throw problem("missing quote")
      }
      let quote = bytes[at]
      at += 1
      let value = try text(until: quote)
      guard at < bytes.count, bytes[at] == quote else { throw problem("unterminated attribute value") }
      at += 1
      guard attributes.count < Self.mostAttributes else {
        throw problem("an element has more than \(Self.mostAttributes) attributes")
      }
      guard attributes.updateValue(value, forKey: Self.local(key)) == nil || key.contains(":") else {
        throw problem("duplicate attribute \(key)")
      }
    }
  }

  private static func local(_ name: String) -> String {
    name.lastIndex(of: ":").map { String(name[name.index(after: $0)...]) } ?? name
  }

  private mutating func readName() throws(Problem) -> String {
    let start = at
    while at < bytes.count {
      let byte = bytes[at]
      let isName =
        byte >= 0x80 || byte | 32 >= 97 && byte | 32 <= 122 || byte &- 48 < 10 && at > start
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ":")
        || (byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")) && at > start
      guard isName else { break }
      at += 1
    }
    guard at > start else { throw problem("missing name") }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func text(until end: UInt8) throws(Problem) -> String {
    var text: [UInt8] = []
    while at < bytes.count, bytes[at] != end {
      let byte = bytes[at]
      if byte == UInt8(ascii: "&") {
        try text.append(contentsOf: String(entity()).utf8)
      } else if byte == UInt8(ascii: "<") {
        throw problem("“<” in an attribute value")
      } else if byte == 0x0D {
        // As XML has it, one line feed ends a line.
        at += 1
        text.append(0x0A)
        if at < bytes.count, bytes[at] == 0x0A { at += 1 }
      } else {
        // One byte more than is allowed is enough to tell.
        let run = bytes[at...].prefix(Self.longest + 1).prefix {
          $0 != end && $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: "<") && $0 != 0x0D
        }
        text += run
        at = run.endIndex
      }
      guard text.count <= Self.longest else { throw tooLong() }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func entity() throws(Problem) -> Character {
    guard let end = bytes[at...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw problem("“&” is not followed by an entity name")
    }
    let word = bytes[(at + 1)..<end], character: Character
    if word.first == UInt8(ascii: "#") {
      let text = String(decoding: word.dropFirst(), as: UTF8.self)
      let number = text.hasPrefix("x") ? UInt32(text.dropFirst(), radix: 16) : UInt32(text)
      guard let number, number != 0, let scalar = Unicode.Scalar(number) else { throw unknownEntity(word) }
      if number <= 0x20 { hasSpaceReference = true }
      character = Character(scalar)
    } else if let known = Self.entities.first(where: { word.elementsEqual($0.name.utf8) }) {
      character = known.character
    } else {
      throw unknownEntity(word)
    }
    at = end + 1
    return character
  }

  private static let entities: [(name: String, character: Character)] = [
    ("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\""), ("apos", "'"),
  ]

  private func unknownEntity(_ word: ArraySlice<UInt8>) -> Problem {
    problem("unknown entity “&\(String(decoding: word, as: UTF8.self));”")
  }

  private mutating func blank() throws(Problem) {
    while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x09 || bytes[at] == 0x0D || bytes[at] == 0x0A { at += 1 }
    if at == bytes.count { throw problem("unexpected end of document inside an element") }
  }

  private mutating func skip(_ mark: String) -> Bool {
    var position = at
    for byte in mark.utf8 {
      guard position < bytes.count, bytes[position] == byte else { return false }
      position += 1
    }
    at = position
    return true
  }

  private mutating func expect(_ mark: String) throws(Problem) {
    guard skip(mark) else { throw problem("missing \(mark)") }
  }

  /// Skips past the next `mark`.
  private mutating func pass(_ mark: String, _ what: String) throws(Problem) {
    let start = at
    let first = mark.utf8.first
    while let next = bytes[at...].firstIndex(where: { $0 == first }) {
      at = next
      if skip(mark) { return }
      at += 1
    }
    at = start
    throw problem("unterminated \(what)")
  }

  private func tooLong() -> Problem { problem("a text is larger than \(Self.longest >> 20) MiB") }

  private func problem(_ message: String) -> Problem {
    Problem(.badData, message, at: Self.place(at, in: bytes, name: name))
  }

  /// `name:line:column` of a position among the bytes of a document; the column is in bytes, from 1.
  public static func place(_ position: Int, in bytes: [UInt8], name: String) -> String {
    let before = bytes.prefix(position)
    let line = before.count { $0 == 0x0A } + 1
    return "\(name):\(line):\(position - (before.lastIndex(of: 0x0A) ?? -1))"
  }
}

/// An element in memory: for documents that are small.
public struct XMLElement: Sendable, Hashable {
  /// Its name without a prefix.
  public let name: String
  /// Its attributes by name.
  public let attributes: [String: String]
  /// Where it begins, as a position among the bytes of the document.
  public let start: Int
  /// The elements in it.
  public internal(set) var elements: [XMLElement] = []
  /// The texts in it, without those of its elements.
  public internal(set) var text = ""
  /// Whether white space at the edges of the text was written on purpose.
  private var isVerbatim = false

  /// The only element of a document.
  /// - Throws: `badData` as `XMLReader`.
  public static func document(_ bytes: [UInt8], name: String) throws(Problem) -> XMLElement {
    var reader = try XMLReader(bytes, name: name), open: [XMLElement] = []
    while let event = try reader.next() {
      switch event {
      case .start(let name, let attributes):
        open.append(XMLElement(name: name, attributes: attributes, start: reader.start))
      case .text(let text):
        open[open.count - 1].text += text
        if reader.hasSpaceReference { open[open.count - 1].isVerbatim = true }
      case .end:
        let element = open.removeLast()
        if open.isEmpty {
          // The rest of the document is checked as well.
          while try reader.next() != nil {}
          return element
        }
        open[open.count - 1].elements.append(element)
      }
    }
    throw Problem(.badData, "no root element", at: name)
  }

  /// The most elements of a record.
  private static let mostElements = 100_000

  /// Reads a document record by record, so that memory does not depend on their number: calls `body` with every
  /// outermost element whose name `names` returns for the root element.
  /// - Throws: `badData` as `XMLReader`, and for a record with more than 100,000 elements.
  public static func records(
    _ bytes: [UInt8], name: String, named names: (XMLElement) throws(Problem) -> Set<String>,
    body: (XMLElement) throws(Problem) -> Void
  ) throws(Problem) {
    var reader = try XMLReader(bytes, name: name), wanted: Set<String>?, open: [XMLElement] = [], count = 0
    while let event = try reader.next() {
      switch event {
      case .start(let element, let attributes):
        let begun = XMLElement(name: element, attributes: attributes, start: reader.start)
        guard let wanted else {
          wanted = try names(begun)
          continue
        }
        guard !open.isEmpty || wanted.contains(element) else { continue }
        count += 1
        guard count <= Self.mostElements else {
          throw Problem(
            .badData, "a record has more than \(Self.mostElements) elements",
            at: XMLReader.place(reader.start, in: bytes, name: name))
        }
        open.append(begun)
      case .text(let text):
        if open.isEmpty { continue }
        open[open.count - 1].text += text
        if reader.hasSpaceReference { open[open.count - 1].isVerbatim = true }
      case .end:
        guard let element = open.popLast() else { continue }
        if open.isEmpty {
          count = 0
          try body(element)
        } else {
          open[open.count - 1].elements.append(element)
        }
      }
    }
  }

  init(name: String, attributes: [String: String], start: Int) {
    self.name = name
    self.attributes = attributes
    self.start = start
  }

  /// The first element of this name in it.
  public subscript(_ name: String) -> XMLElement? { elements.first { $0.name == name } }
  /// The text of the first element of this name, without blanks around it; nil when there is none or it is empty.
  public func text(of name: String) -> String? {
    let text = self[name].map { $0.text.trimmed } ?? ""
    return text.isEmpty ? nil : text
  }
  /// The text of the first element of this name, with the spaces around it but without line ends and the indentation
  /// next to them; nil when there is
  /// none or it is blank.
  public func content(of name: String) -> String? {
    guard let element = self[name] else { return nil }
    if element.isVerbatim { return element.text }
    return element.text.contains { !$0.isWhitespace } ? element.text.withoutLayout : nil
  }
  /// All elements of this name, however deep.
  public func all(_ name: String) -> [XMLElement] {
    elements.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
  }
}

extension String {
  fileprivate var trimmed: String {
    let rest = drop(while: \.isWhitespace)
    return String(rest[..<(rest.lastIndex { !$0.isWhitespace }.map { rest.index(after: $0) } ?? rest.startIndex)])
  }

  /// Without white space at an edge that has a line end in it.
  fileprivate var withoutLayout: String {
    let start = prefix(while: \.isWhitespace), end = String(reversed().prefix(while: \.isWhitespace))
    let rest = start.contains(where: \.isNewline) ? dropFirst(start.count) : self[...]
    return String(end.contains(where: \.isNewline) ? rest.dropLast(end.count) : rest)
  }
}
