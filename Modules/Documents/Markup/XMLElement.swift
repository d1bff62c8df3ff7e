import Codecs
public import Rows

/// An element in memory: for documents that are small.
public struct XMLElement: Sendable, Hashable {
  /// Its name without a prefix.
  public let name: String
  /// The name of its namespace; empty for none.
  public let namespace: String
  /// Its attributes by name, without prefixes and without declarations of namespaces.
  public let attributes: [String: String]
  /// Where it begins, as a position among the bytes of the document.
  public let start: Int
  /// The elements in it.
  public internal(set) var elements: [XMLElement] = []
  /// The texts in it, without those of its elements.
  public internal(set) var text = ""
  /// Whether white space at the edges of the text was written on purpose.
  private var isVerbatim = false

  /// The most bytes of a text or a tag.
  private static let longest = 4 << 20
  private static let mostElements = 100_000

  /// The only element of a document.
  /// - Throws: `badData` with `name:line:column` of what is not well-formed.
  public static func document(_ bytes: [UInt8], name: String) throws(Problem) -> XMLElement {
    var root: XMLElement?
    try read(bytes, name: name, isRecord: { (_, _) throws(Problem) in true }) { root = $0 }
    guard let root else { throw Problem(.bug, "internal error: no root element", at: name) }
    return root
  }

  /// Reads a document record by record, so that memory does not depend on their number: calls `body` with every
  /// outermost element that `isRecord` accepts, which gets its start tag and the names of the elements around it.
  /// - Throws: `badData` as `document`, and for a record with more than 100,000 elements.
  public static func records(
    _ bytes: [UInt8], name: String, isRecord: (XMLElement, [String]) throws(Problem) -> Bool,
    body: (XMLElement) throws(Problem) -> Void
  ) throws(Problem) { try read(bytes, name: name, most: mostElements, isRecord: isRecord, body: body) }

  private static func read(
    _ bytes: [UInt8], name: String, most: Int = .max, isRecord: (XMLElement, [String]) throws(Problem) -> Bool,
    body: (XMLElement) throws(Problem) -> Void
  ) throws(Problem) {
    let xml = try XMLStream(MemoryByteSource(bytes, name: name), limit: longest, document: bytes)
    var open: [XMLElement] = [], around: [String] = [], count = 0
    var namespaces: [(depth: Int, prefix: String, name: String)] = []
    while true {
      switch try xml.next() {
      case .start:
        namespaces += try xml.namespaces().map { (xml.depth, $0.prefix, $0.name) }
        let prefix = xml.prefix
        let element = try XMLElement(xml, namespaces.last { $0.prefix == prefix }?.name ?? "")
        if open.isEmpty, try !isRecord(element, around) {
          around.append(element.name)
          continue
        }
        count += 1
        guard count <= most else { throw xml.problem("a record has more than \(most) elements", at: element.start) }
        open.append(element)
      case .text:
        let text = try xml.string()
        if open.isEmpty { continue }
        open[open.count - 1].text += text
        if xml.hasSpaceReference { open[open.count - 1].isVerbatim = true }
      case .end:
        while let last = namespaces.last, last.depth > xml.depth { namespaces.removeLast() }
        guard let element = open.popLast() else {
          around.removeLast()
          continue
        }
        if open.isEmpty {
          count = 0
          try body(element)
        } else {
          open[open.count - 1].elements.append(element)
        }
      case .finished: return
      }
    }
  }

  private init(_ xml: XMLStream, _ namespace: String) throws(Problem) {
    name = xml.run(xml.name).text
    self.namespace = namespace
    attributes = try xml.values()
    start = xml.start
  }

  /// `name:line:column` of a position among the bytes of a document; the column is in bytes, from 1.
  public static func place(_ position: Int, in bytes: [UInt8], name: String) -> String {
    let before = bytes.prefix(position)
    let line = before.count { $0 == 0x0A } + 1
    return "\(name):\(line):\(position - (before.lastIndex(of: 0x0A) ?? -1))"
  }

  /// The first element of this name in it.
  public subscript(_ name: String) -> XMLElement? { elements.first { $0.name == name } }
  /// The text of the first element of this name, without blanks around it; nil when there is none or it is empty.
  public func text(of name: String) -> String? {
    let text = self[name].map { $0.text.trimmed } ?? ""
    return text.isEmpty ? nil : text
  }
  /// The text of the first element of this name, as `content`; nil when there is none or it is blank.
  public func content(of name: String) -> String? {
    self[name].flatMap { $0.isVerbatim || !$0.content.isEmpty ? $0.content : nil }
  }
  /// Its text with the spaces around it, but without line ends and the indentation next to them; empty for white space.
  var content: String {
    if isVerbatim { return text }
    return text.contains { !$0.isWhitespace } ? text.withoutLayout : ""
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
