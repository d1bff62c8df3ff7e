public import Codecs
import Rows

/// XML elements as JSON, and back: an element with nothing but text is that text; another is an object of its
/// attributes (`@href`), its elements and its text (`$`). An element that occurs more than once is an array. `@xmlns`
/// is the namespace where it is not that of the element around it.
extension XMLElement {
  /// The element as JSON.
  /// - Parameter outer: the namespace of the element around it.
  public func json(in outer: String) -> JSON {
    var object = ForeignMembers()
    if namespace != outer { object.add("@xmlns", .string(namespace)) }
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) { object.add("@\(name)", .string(value)) }
    for element in elements { object.add(element.name, element.json(in: namespace)) }
    let text = content
    if object.members.isEmpty { return .string(text) }
    if !text.isEmpty { object.add("$", .string(text)) }
    return .object(object.members)
  }
}

extension ByteBuffer {
  /// Appends members as elements, as `XMLElement.json` describes them.
  /// - Returns: the number of texts with characters that XML does not allow; nil, with nothing appended, if any of the
  ///   members is none of elements.
  mutating func append(elements members: [JSON.Member]) -> Int? {
    guard members.allSatisfy({ Self.isElement($0.name, $0.value) }) else { return nil }
    return members.reduce(0) { $0 + write($1.name, $1.value) }
  }

  private static func isElement(_ name: String, _ value: JSON) -> Bool {
    switch value {
    case .null: false
    case .boolean, .number, .string: isName(name)
    case .array(let values): !values.isEmpty && values.allSatisfy { $0.arrayValue == nil && isElement(name, $0) }
    case .object(let members):
      isName(name)
        && members.allSatisfy { member in
          switch member.name.first {
          case "@": isName(String(member.name.dropFirst())) && isText(member.value)
          case "$": member.name == "$" && isText(member.value)
          default: isElement(member.name, member.value)
          }
        }
    }
  }

  private static func isText(_ value: JSON) -> Bool {
    value.stringBytes != nil || value.numberLiteral != nil || value.booleanValue != nil
  }

  /// Whether elements and attributes may have the name: a letter or `_`, then letters, digits, `_`, `-` and `.`.
  private static func isName(_ name: String) -> Bool {
    let scalars = name.unicodeScalars
    guard let first = scalars.first, first.properties.isXIDStart || first == "_" else { return false }
    return scalars.allSatisfy { $0.properties.isXIDContinue || $0 == "-" || $0 == "." }
  }

  private mutating func write(_ name: String, _ value: JSON) -> Int {
    if case .array(let values) = value { return values.reduce(0) { $0 + write(name, $1) } }
    var noted = 0
    append("<\(name)")
    let members = value.objectMembers ?? [JSON.Member("$", value)]
    for member in members where member.name.hasPrefix("@") {
      append(" \(member.name.dropFirst())=\"")
      noted += append(markup: member.value.text)
      append("\"")
    }
    append(">")
    for member in members where !member.name.hasPrefix("@") {
      noted += member.name == "$" ? append(verbatim: member.value.text) : write(member.name, member.value)
    }
    append("</\(name)>")
    return noted
  }

  /// Appends text, with spaces and line ends at its edges as character references: readers take those literally.
  mutating func append(verbatim text: ByteRun) -> Int {
    var start = 0, end = text.count
    while start < end, let reference = Self.reference(text[start]) {
      append(reference)
      start += 1
    }
    while end > start, Self.reference(text[end - 1]) != nil { end -= 1 }
    let noted = append(markup: text.slice(from: start, atMost: end - start))
    for position in end..<text.count {
      if let reference = Self.reference(text[position]) { append(reference) }
    }
    return noted
  }
  mutating func append(verbatim text: [UInt8]) -> Int {
    let bytes = Arena(text)
    return withExtendedLifetime(bytes) { append(verbatim: ByteRun(bytes, 0, UInt32(text.count))) }
  }

  private static func reference(_ byte: UInt8) -> StaticString? {
    switch byte {
    case 0x20: "&#32;"
    case 0x09: "&#9;"
    case 0x0A: "&#10;"
    default: nil
    }
  }
}

extension JSON {
  /// A value that is not nested, as text.
  fileprivate var text: [UInt8] {
    stringBytes ?? numberLiteral ?? Array(booleanValue == true ? "true".utf8 : "false".utf8)
  }
}
