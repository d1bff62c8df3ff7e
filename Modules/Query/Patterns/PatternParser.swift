import Rows

struct PatternParser {
  private let text: String
  private let scalars: [Unicode.Scalar]
  private var at = 0
  private var ignoresCase = false, dotMatchesLineFeed = false
  private(set) var groups = 0
  private var depth = 0
  private static let largest = 1000, deepest = 100

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  private func problem(_ message: String, _ hint: Remedy = "write \\ before a character that means itself") -> Problem {
    Problem(.usage, "invalid pattern “\(text)”: \(message) at character \(at + 1)", hint: hint)
  }
  private var next: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }
  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    at += 1
    return true
  }

  mutating func parse() throws(Problem) -> PatternNode {
    while scalars[at...].starts(with: "(?".unicodeScalars), let close = scalars[at...].firstIndex(where: { $0 == ")" }),
      scalars[(at + 2)..<close].allSatisfy({ $0 == "i" || $0 == "s" }), close > at + 2
    {
      for flag in scalars[(at + 2)..<close] { if flag == "i" { ignoresCase = true } else { dotMatchesLineFeed = true } }
      at = close + 1
    }
    let node = try choice()
    if next != nil { throw problem("unexpected )") }
    return node
  }

  private mutating func choice() throws(Problem) -> PatternNode {
    var nodes = [try sequence()]
    while take("|") { nodes.append(try sequence()) }
    return nodes.count == 1 ? nodes[0] : .choice(nodes)
  }

  private mutating func sequence() throws(Problem) -> PatternNode {
    var nodes: [PatternNode] = []
    while let scalar = next, scalar != "|", scalar != ")" { nodes.append(try repeated()) }
    return nodes.count == 1 ? nodes[0] : nodes.isEmpty ? .empty : .sequence(nodes)
  }

  private mutating func repeated() throws(Problem) -> PatternNode {
    var node = try atom(), times = 0
    while let (least, most) = try counts() {
      times += 1
      if times > 1 { throw problem("nothing to repeat", "put what is repeated in parentheses") }
      node = .repeated(node, least: least, most: most, isLazy: take("?"))
    }
    return node
  }

  private mutating func counts() throws(Problem) -> (Int, Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    guard next == "{" else { return nil }
    at += 1
    guard let least = number() else { throw problem("missing number", "write \\{ for a brace") }
    var most: Int? = least
    if take(",") { most = number() }
    guard take("}") else { throw problem("missing }", "write \\{ for a brace") }
    guard least <= Self.largest, most ?? 0 <= Self.largest, most ?? least >= least else {
      throw problem("invalid repetition count", "use at most \(Self.largest), the smaller count first")
    }
    return (least, most)
  }

  private mutating func number() -> Int? {
    var value: Int?
    while let scalar = next, let digit = Int(String(scalar)), scalar.isASCII {
      value = min((value ?? 0) * 10 + digit, 100_000)
      at += 1
    }
    return value
  }

  private mutating func atom() throws(Problem) -> PatternNode {
    guard let scalar = next else { return .empty }
    switch scalar {
    case "*", "+", "?", "{": throw problem("nothing to repeat")
    case "(": return try group()
    case "[": return .characters(try characterClass())
    case ".":
      at += 1
      return .characters(dotMatchesLineFeed ? [0...0x10FFFF] : [0...9, 11...0x10FFFF])
    case "^", "$":
      at += 1
      return .assertion(scalar == "^" ? .start : .end)
    case "\\": return try escape()
    default:
      at += 1
      return .characters(cased([scalar.value...scalar.value]))
    }
  }

  private mutating func group() throws(Problem) -> PatternNode {
    let start = at
    at += 1
    var number: Int?
    if take("?") {
      guard take(":") else {
        throw problem("unsupported group", "use (…) or (?:…); flags go to the beginning: (?i)…")
      }
    } else {
      groups += 1
      number = groups
    }
    depth += 1
    guard depth <= Self.deepest else { throw problem("too many nested groups", "use at most \(Self.deepest)") }
    let node = try choice()
    depth -= 1
    guard take(")") else {
      at = start
      throw problem("unterminated (", "write \\( for a parenthesis")
    }
    return number.map { .group($0, node) } ?? node
  }

  private mutating func escape() throws(Problem) -> PatternNode {
    at += 1
    switch next {
    case "b", "B":
      let isBoundary = next == "b"
      at += 1
      return .assertion(isBoundary ? .boundary : .noBoundary)
    case "A", "z":
      let isStart = next == "A"
      at += 1
      return .assertion(isStart ? .start : .end)
    default: return .characters(try escapedCharacters())
    }
  }

  /// The characters that an escape stands for, after the backslash.
  private mutating func escapedCharacters() throws(Problem) -> [ClosedRange<UInt32>] {
    guard let scalar = next else { throw problem("missing character after \\") }
    at += 1
    func one(_ code: UInt32) -> [ClosedRange<UInt32>] { [code...code] }
    switch scalar {
    case "d": return [48...57]
    case "D": return Self.inverted([48...57])
    case "w": return Self.word
    case "W": return Self.inverted(Self.word)
    case "s": return [9...13, 32...32]
    case "S": return Self.inverted([9...13, 32...32])
    case "n": return one(10)
    case "r": return one(13)
    case "t": return one(9)
    case "x", "u": return one(try code(digits: scalar == "x" ? 2 : 4))
    default:
      guard !scalar.properties.isAlphabetic, scalar.properties.numericType == nil else {
        at -= 1
        throw problem("unsupported escape \\\(scalar)", "supported: \\d \\w \\s \\b \\n \\r \\t \\xHH \\uHHHH")
      }
      return one(scalar.value)
    }
  }

  private mutating func code(digits: Int) throws(Problem) -> UInt32 {
    let isBraced = take("{")
    var text = ""
    while let scalar = next, scalar.properties.isASCIIHexDigit, text.count < (isBraced ? 6 : digits) {
      text.unicodeScalars.append(scalar)
      at += 1
    }
    let isComplete = isBraced ? take("}") && !text.isEmpty : text.count == digits
    guard isComplete, let code = UInt32(text, radix: 16), Unicode.Scalar(code) != nil else {
      throw problem("invalid character code", "write \\u00e9 or \\x{e9}")
    }
    return code
  }

  private mutating func characterClass() throws(Problem) -> [ClosedRange<UInt32>] {
    let start = at
    at += 1
    let isInverted = take("^")
    var ranges: [ClosedRange<UInt32>] = [], isFirst = true
    while let scalar = next, scalar != "]" || isFirst {
      isFirst = false
      if scalar == "[", scalars[at...].starts(with: "[:".unicodeScalars) {
        throw problem("unsupported class", "write the characters, for example [a-z]")
      }
      let low = try classItem()
      guard next == "-", at + 1 < scalars.count, scalars[at + 1] != "]" else {
        ranges += low
        continue
      }
      at += 1
      let high = try classItem()
      guard low.count == 1, high.count == 1, low[0].count == 1, high[0].count == 1,
        low[0].lowerBound <= high[0].lowerBound
      else { throw problem("invalid range", "write the smaller character first") }
      ranges.append(low[0].lowerBound...high[0].lowerBound)
    }
    guard take("]") else {
      at = start
      throw problem("unterminated [", "write \\[ for a bracket")
    }
    ranges = cased(ranges)
    return isInverted ? Self.inverted(ranges) : ranges
  }

  private mutating func classItem() throws(Problem) -> [ClosedRange<UInt32>] {
    guard let scalar = next else { throw problem("unterminated [") }
    at += 1
    return scalar == "\\" ? try escapedCharacters() : [scalar.value...scalar.value]
  }

  /// With the other case of each character, if case is ignored. Of a large range only ASCII letters get it.
  private func cased(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    guard ignoresCase else { return ranges }
    var result = ranges
    for range in ranges {
      for code in range.count <= 2000 ? range : range.clamped(to: 0...0x7F) {
        guard let scalar = Unicode.Scalar(code) else { continue }
        for other in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
          let others = other.unicodeScalars
          if others.count == 1, let other = others.first, other != scalar { result.append(other.value...other.value) }
        }
      }
    }
    return result
  }

  private static let word: [ClosedRange<UInt32>] = [48...57, 65...90, 95...95, 97...122]

  private static func inverted(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = [], start: UInt32 = 0
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if range.lowerBound > start { result.append(start...(range.lowerBound - 1)) }
      start = max(start, range.upperBound + 1)
    }
    if start <= 0x10FFFF { result.append(start...0x10FFFF) }
    return result
  }
}
