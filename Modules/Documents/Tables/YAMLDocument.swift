import Codecs
import Rows

extension DocumentFormat {
  /// A YAML sequence of mappings.
  public static let yaml = DocumentFormat("yaml", ["yaml", "yml"], YAMLDocument.self)
}

/// A YAML sequence of mappings, one of them in memory at a time; a mapping in each document; or one mapping, which is a
/// record or has the sequence.
///
/// Read is what people and programs write as data: block and flow collections, plain, quoted and block scalars,
/// comments. Anchors, aliases, tags and other top-level values are refused. Plain numbers whose spelling JSON does not
/// have, such as `007` and `0x1F`, are text.
struct YAMLDocument: TableDocument {
  static let isText = false
  private var text: DocumentText
  private var isBegun = false
  /// The first line of the next item.
  private var pending: Line?
  /// The records of a document that was read whole, the last one first, and whether a mapping came before.
  private var records: [JSON] = [], hasMapping = false
  private(set) var note: String?
  /// The bytes of memory that an empty line takes.
  private static let lineMemory = 96

  /// A line without its indentation and comment.
  fileprivate struct Line {
    var indent: Int
    var text: [UInt8]
    let number: Int
    /// The line as it is, for block scalars.
    let source: [UInt8]
  }

  init(_ source: any ByteSource, limit: Int) throws(Problem) { text = try DocumentText(source, limit: limit) }

  mutating func nextTable() throws(Problem) -> String? {
    defer { isBegun = true }
    return isBegun ? nil : ""
  }

  mutating func nextRecord() throws(Problem) -> DocumentRecord? {
    if let record = records.popLast() { return .object(record) }
    var lines: [Line] = [], size = 0, isItem = false
    while let line = try takeLine() {
      if Self.isBetween(line) || line.text.isEmpty && lines.isEmpty {
        if lines.isEmpty { continue }
        break
      }
      if lines.isEmpty, line.text.elementsEqual("[]".utf8) { continue }
      if lines.isEmpty { isItem = YAMLBlock.isItem(line.text) }
      // The items of a sequence come one by one; a mapping is in memory.
      if isItem, line.indent == 0, !line.text.isEmpty, !lines.isEmpty {
        pending = line
        break
      }
      lines.append(line)
      size += line.source.count + Self.lineMemory
      guard size <= text.mostBytes else { throw text.tooLarge }
    }
    guard let first = lines.first else { return nil }
    while !isItem, pending == nil, let line = try takeLine() {
      if !Self.isBetween(line), !line.text.isEmpty { pending = line }
    }
    var block = YAMLBlock(lines, text.name)
    let value = try block.whole()
    if case .object = value, !first.text.starts(with: "--- ".utf8) {
      records = hasMapping || pending != nil ? [value] : try records(in: value, line: first.number)
      hasMapping = true
    } else if case .array(let items) = value, !isItem || items.count == 1 {
      records = items.reversed()
    }
    guard !records.isEmpty, records.allSatisfy({ $0.objectMembers != nil }) else {
      throw text.problem(
        "expected mappings, as in “- name: value”", line: first.number, hint: "convert it to JSON first")
    }
    return records.popLast().map { .object($0) }
  }
  private static func isBetween(_ line: Line) -> Bool {
    line.indent == 0 && (line.text.elementsEqual("---".utf8) || line.text.elementsEqual("...".utf8))
      || line.source.first == UInt8(ascii: "%")
  }

  /// The records of the only mapping: those of its only sequence of mappings, or itself.
  private mutating func records(in mapping: JSON, line: Int) throws(Problem) -> [JSON] {
    var found: [(place: JSONPointer, records: [JSON])] = []
    func search(_ value: JSON, _ path: [String]) {
      for member in value.objectMembers ?? [] {
        let path = path + [member.name], items = member.value.arrayValue ?? []
        if items.first?.objectMembers != nil { found.append((JSONPointer(steps: path), items)) }
        search(member.value, path)
      }
    }
    search(mapping, [])
    guard found.count < 2 else {
      let places = found.map { "\($0.place)" }.joined(separator: ", ")
      throw text.problem("expected one sequence of mappings, found several: \(places)", line: line)
    }
    note = found.first.map { "records at \($0.place)" } ?? "one mapping as one record"
    return found.first?.records.reversed() ?? [mapping]
  }

  private mutating func takeLine() throws(Problem) -> Line? {
    if let line = pending {
      pending = nil
      return line
    }
    let number = text.line
    guard let source = try text.nextLine() else { return nil }
    let indent = source.prefix { $0 == 0x20 }.count
    return Line(indent: indent, text: YAMLBlock.withoutComment(source[indent...]), number: number, source: source)
  }
}

/// The lines of one value of a block.
private struct YAMLBlock {
  private var lines: [YAMLDocument.Line]
  private var at = 0
  private let name: String
  private static let deepest = 64

  init(_ lines: [YAMLDocument.Line], _ name: String) {
    self.lines = lines
    self.name = name
  }

  static func isItem(_ text: [UInt8]) -> Bool {
    text.first == UInt8(ascii: "-") && (text.count == 1 || text[1] == 0x20)
  }

  /// The text before a comment, which begins after a space outside of quotes; without white space at its end.
  static func withoutComment(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var quote: UInt8?, end = text.startIndex, isEscaped = false, isAtStart = true
    for index in text.indices {
      let byte = text[index]
      if let open = quote {
        if byte == open, !isEscaped { quote = nil }
        isEscaped = open == UInt8(ascii: "\"") && byte == UInt8(ascii: "\\") && !isEscaped
      } else if isAtStart, YAMLFlow.isQuote(byte) {
        quote = byte
      } else if byte == UInt8(ascii: "#"), index == text.startIndex || text[index - 1] == 0x20 || text[index - 1] == 9 {
        break
      }
      isAtStart = [0x20, 0x2C, 0x3A, 0x5B, 0x7B, 0x2D].contains(byte)
      if byte != 0x20, byte != 9 { end = index + 1 }
    }
    return Array(text[..<end])
  }

  private func problem(_ message: String) -> Problem {
    Problem(.badData, message, at: "\(name):\(lines[min(at, lines.count - 1)].number)")
  }

  private mutating func skipEmpty() { while at < lines.count, lines[at].text.isEmpty { at += 1 } }

  /// The value of all lines.
  mutating func whole() throws(Problem) -> JSON {
    let value = try value(indent: 0, depth: 0)
    skipEmpty()
    guard at >= lines.count else { throw problem("unexpected indentation or value") }
    return value
  }

  /// The value whose lines are indented by `indent`.
  mutating func value(indent: Int, depth: Int) throws(Problem) -> JSON {
    guard depth < Self.deepest else { throw problem("nested deeper than \(Self.deepest)") }
    skipEmpty()
    guard at < lines.count, lines[at].indent >= indent else { return .null }
    let indent = lines[at].indent
    if Self.isItem(lines[at].text) {
      var items: [JSON] = []
      while at < lines.count, lines[at].indent == indent, Self.isItem(lines[at].text) {
        let rest = lines[at].text.dropFirst().drop { $0 == 0x20 }
        let column = indent + lines[at].text.count - rest.count
        if rest.isEmpty {
          at += 1
          items.append(try value(indent: indent + 1, depth: depth + 1))
        } else {
          // The text after the dash is a block of its own, which begins there.
          lines[at].text = Array(rest)
          lines[at].indent = column
          items.append(try value(indent: column, depth: depth + 1))
        }
        skipEmpty()
      }
      try checkEnd(indent)
      return .array(items)
    }
    guard key() != nil else { return try scalar(lines[at].text[...], indent: indent) }
    var members: [JSON.Member] = [], keys: Set<[UInt8]> = []
    while at < lines.count, lines[at].indent == indent, !Self.isItem(lines[at].text), let (key, rest) = key() {
      guard keys.insert(key).inserted else { throw problem("duplicate key") }
      if rest.isEmpty {
        at += 1
        skipEmpty()
        let isSequence = at < lines.count && lines[at].indent == indent && Self.isItem(lines[at].text)
        members.append(JSON.Member(key, try value(indent: isSequence ? indent : indent + 1, depth: depth + 1)))
      } else {
        members.append(JSON.Member(key, try scalar(rest, indent: indent)))
      }
      skipEmpty()
    }
    try checkEnd(indent)
    return .object(members)
  }

  private func checkEnd(_ indent: Int) throws(Problem) {
    if at < lines.count, lines[at].indent >= indent, !(lines[at].indent == indent && Self.isItem(lines[at].text)) {
      throw problem("unexpected indentation or value")
    }
  }

  /// The key that begins the current line, and what follows its colon; nil if there is none.
  private func key() -> (key: [UInt8], rest: ArraySlice<UInt8>)? {
    let line = lines[at].text
    if let first = line.first, "[{".utf8.contains(first) { return nil }
    var flow = YAMLFlow(line)
    return flow.key(isInFlow: false).map { ($0, flow.rest.drop { $0 == 0x20 }) }
  }

  /// A scalar or a flow collection that begins with `text` in the current line.
  private mutating func scalar(_ text: ArraySlice<UInt8>, indent: Int) throws(Problem) -> JSON {
    guard let first = text.first else { return .null }
    if first == UInt8(ascii: "|") || first == UInt8(ascii: ">") { return try blockScalar(text, indent: indent) }
    if "&*!".utf8.contains(first) {
      throw problem("anchors, aliases and tags are not supported")
    }
    var whole = Array(text), breaks: [UInt8] = []
    let isQuoted = YAMLFlow.isQuote(first), isPlain = !isQuoted && !"[{".utf8.contains(first)
    at += 1
    while true {
      var flow = YAMLFlow(whole)
      if let value = flow.value(isInFlow: false), flow.isAtEnd {
        guard isPlain, at < lines.count, lines[at].indent > indent, !lines[at].text.isEmpty else { return value }
      }
      // A scalar continues in lines that are indented more.
      guard at < lines.count, lines[at].indent > indent || lines[at].text.isEmpty else {
        at -= 1
        throw problem("unterminated or invalid value")
      }
      // In quotes a number sign is text. An empty line is a line feed; a break after a backslash is nothing.
      let next = isQuoted ? lines[at].source.trimmed : lines[at].text
      at += 1
      if next.isEmpty {
        breaks.append(0x0A)
        continue
      }
      let slashes = first == UInt8(ascii: "\"") ? whole.reversed().prefix { $0 == UInt8(ascii: "\\") }.count : 0
      if slashes % 2 == 1 { whole.removeLast() } else if breaks.isEmpty { whole.append(0x20) }
      whole += breaks + next
      breaks = []
    }
  }

  /// A scalar whose lines follow as they are (`|`) or folded (`>`).
  private mutating func blockScalar(_ mark: ArraySlice<UInt8>, indent: Int) throws(Problem) -> JSON {
    let isFolded = mark.first == UInt8(ascii: ">"), options = mark.dropFirst()
    guard options.isEmpty || options.elementsEqual("-".utf8) || options.elementsEqual("+".utf8) else {
      throw problem("unsupported indicator of a block scalar")
    }
    at += 1
    var taken: [[UInt8]] = [], column: Int?
    while at < lines.count {
      let source = lines[at].source, spaces = source.prefix { $0 == 0x20 }.count
      let isBlank = spaces == source.count
      if !isBlank, spaces <= indent { break }
      if !isBlank, column == nil { column = spaces }
      taken.append(Array(source.dropFirst(min(column ?? spaces, spaces))))
      at += 1
    }
    var ends = 0
    while taken.last?.isEmpty ?? false {
      taken.removeLast()
      ends += 1
    }
    var out: [UInt8] = []
    for (index, line) in taken.enumerated() {
      if index > 0 {
        let previous = taken[index - 1]
        if !isFolded || line.isEmpty || line.first == 0x20 || previous.first == 0x20 {
          out.append(0x0A)
        } else if !previous.isEmpty {
          out.append(0x20)
        }
      }
      out += line
    }
    if options.first != UInt8(ascii: "-"), !taken.isEmpty { out.append(0x0A) }
    if options.first == UInt8(ascii: "+") { out += Array(repeating: 0x0A, count: ends) }
    return .string(out)
  }
}

/// Values in flow style, and scalars of one line.
private struct YAMLFlow {
  private let text: [UInt8]
  private var at = 0

  init(_ text: [UInt8]) { self.text = text }

  var isAtEnd: Bool { text[at...].allSatisfy { $0 == 0x20 || $0 == 0x0A } }

  /// The text that is still to be read.
  var rest: ArraySlice<UInt8> { text[at...] }

  static func isQuote(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

  /// The key that comes next, whose colon is passed; nil if there is none.
  mutating func key(isInFlow: Bool) -> [UInt8]? {
    guard let first = rest.first else { return nil }
    let isQuoted = Self.isQuote(first)
    guard let key = isQuoted ? quoted(first) : plain(isInFlow: isInFlow, endsAtColon: true) else { return nil }
    skipSpace()
    guard take(":"), isInFlow || rest.first ?? 0x20 == 0x20 else { return nil }
    return key
  }

  private mutating func skipSpace() { while at < text.count, text[at] == 0x20 || text[at] == 0x0A { at += 1 } }

  /// The value that begins here; nil if it does not end, or is none.
  mutating func value(isInFlow: Bool, depth: Int = 0) -> JSON? {
    skipSpace()
    guard at < text.count, depth < 64 else { return nil }
    switch text[at] {
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      let isObject = take("{"), end: Unicode.Scalar = isObject ? "}" : "]"
      var elements: [JSON] = [], members: [JSON.Member] = [], isOpen = isObject || take("[")
      while true {
        skipSpace()
        if take(end) { return isObject ? .object(members) : .array(elements) }
        guard isOpen else { return nil }
        if isObject {
          guard let key = key(isInFlow: true) else { return nil }
          skipSpace()
          let isEmpty = rest.first == UInt8(ascii: ",") || rest.first == UInt8(ascii: "}")
          guard let member = isEmpty ? .null : value(isInFlow: true, depth: depth + 1) else { return nil }
          members.append(JSON.Member(key, member))
        } else {
          guard let element = value(isInFlow: true, depth: depth + 1) else { return nil }
          elements.append(element)
        }
        skipSpace()
        isOpen = take(",")
      }
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return quoted(text[at]).map { .string($0) }
    default: return plain(isInFlow: isInFlow, endsAtColon: false).map(Self.resolved)
    }
  }

  private mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard at < text.count, text[at] == UInt8(ascii: mark) else { return false }
    at += 1
    return true
  }

  private mutating func plain(isInFlow: Bool, endsAtColon: Bool) -> [UInt8]? {
    let start = at
    while at < text.count {
      let byte = text[at]
      if isInFlow, ",[]{}".utf8.contains(byte) { break }
      if byte == UInt8(ascii: ":"), at + 1 == text.count || text[at + 1] == 0x20 {
        if endsAtColon { break }
        return nil
      }
      at += 1
    }
    let word = text[start..<at].trimmed
    return word.isEmpty ? nil : word
  }

  /// A plain scalar in the core schema.
  private static func resolved(_ word: [UInt8]) -> JSON {
    switch String(decoding: word, as: UTF8.self) {
    case "null", "Null", "NULL", "~": return .null
    case "true", "True", "TRUE": return .boolean(true)
    case "false", "False", "FALSE": return .boolean(false)
    default:
      guard word.allSatisfy({ $0 &- 48 < 10 || "+-.eE".utf8.contains($0) }),
        let number = try? JSON.parse(word, name: ""), case .number = number
      else { return .string(word) }
      return number
    }
  }

  /// A scalar in quotes; nil if it does not end.
  private mutating func quoted(_ quote: UInt8) -> [UInt8]? {
    var out: [UInt8] = []
    at += 1
    while at < text.count {
      let byte = text[at]
      at += 1
      if byte == quote {
        if quote == UInt8(ascii: "'"), at < text.count, text[at] == quote {
          out.append(quote)
          at += 1
          continue
        }
        return out
      }
      guard quote == UInt8(ascii: "\""), byte == UInt8(ascii: "\\") else {
        out.append(byte)
        continue
      }
      guard at < text.count, let character = escape() else { return nil }
      out += character
    }
    return nil
  }

  /// The character that the escape after a backslash stands for.
  private mutating func escape() -> [UInt8]? {
    let byte = text[at]
    at += 1
    let simple: [Unicode.Scalar: Unicode.Scalar] = [
      "0": "\0", "a": "\u{7}", "b": "\u{8}", "t": "\t", "n": "\n", "v": "\u{B}", "f": "\u{C}", "r": "\r", "e": "\u{1B}",
      " ": " ", "\"": "\"", "/": "/", "\\": "\\", "N": "\u{85}", "_": "\u{A0}", "L": "\u{2028}", "P": "\u{2029}",
    ]
    if let scalar = simple[Unicode.Scalar(byte)] { return Array(String(scalar).utf8) }
    guard let count = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8][byte] else { return nil }
    guard var number = hexadecimal(count) else { return nil }
    // JSON, which is YAML, writes characters beyond U+FFFF as two surrogates.
    if number & 0xFFFF_FC00 == 0xD800, at + 6 <= text.count, text[at] == UInt8(ascii: "\\"),
      text[at + 1] == UInt8(ascii: "u")
    {
      at += 2
      guard let low = hexadecimal(4), low & 0xFC00 == 0xDC00 else { return nil }
      number = 0x10000 + (number & 0x3FF) << 10 + low & 0x3FF
    }
    return Unicode.Scalar(number).map { Array(String($0).utf8) }
  }

  private mutating func hexadecimal(_ count: Int) -> UInt32? {
    guard at + count <= text.count else { return nil }
    defer { at += count }
    return UInt32(String(decoding: text[at..<at + count], as: UTF8.self), radix: 16)
  }
}
