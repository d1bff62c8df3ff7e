package enum TerminalKey: Sendable, Hashable {
  case character(String)
  case up, down, left, right, pageUp, pageDown, home, end, enter, escape, backspace
  /// A letter with the control key: `control("C")`.
  case control(Character)
  /// A key without a meaning.
  case other
  case closed

  /// Takes a key from the beginning of what a terminal sent.
  /// - Parameter isComplete: whether nothing follows soon, so that a lone Escape is that key.
  /// - Returns: nil if more must follow, or nothing is left.
  package static func take(from bytes: inout [UInt8], isComplete: Bool) -> TerminalKey? {
    guard let first = bytes.first else { return nil }
    func end(_ count: Int, _ key: TerminalKey) -> TerminalKey {
      bytes.removeFirst(min(count, bytes.count))
      return key
    }
    switch first {
    case 0x1B:
      guard bytes.count > 1 else { return isComplete ? end(1, .escape) : nil }
      guard bytes[1] == UInt8(ascii: "[") || bytes[1] == UInt8(ascii: "O") else {
        // Escape, then another key.
        return end(1, .escape)
      }
      guard let last = bytes.indices.dropFirst(2).first(where: { (0x40...0x7E).contains(bytes[$0]) }) else {
        return isComplete || bytes.count > 32 ? end(bytes.count, .other) : nil
      }
      let parameter = String(decoding: bytes[2..<last].prefix { $0 != UInt8(ascii: ";") }, as: UTF8.self)
      return end(last + 1, sequence(bytes[last], parameter))
    case 0x0D, 0x0A: return end(1, .enter)
    case 0x7F, 0x08: return end(1, .backspace)
    case 0x09: return end(1, .right)
    case 0..<0x20: return end(1, .control(Character(Unicode.Scalar(first + 0x40))))
    default:
      let count = first < 0x80 ? 1 : first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      guard bytes.count >= count || isComplete else { return nil }
      guard let text = String(validating: bytes.prefix(count), as: UTF8.self) else { return end(1, .other) }
      return end(count, .character(text))
    }
  }

  private static func sequence(_ last: UInt8, _ parameter: String) -> TerminalKey {
    switch last {
    case UInt8(ascii: "A"): .up
    case UInt8(ascii: "B"): .down
    case UInt8(ascii: "C"): .right
    case UInt8(ascii: "D"): .left
    case UInt8(ascii: "H"): .home
    case UInt8(ascii: "F"): .end
    case UInt8(ascii: "~"):
      switch parameter {
      case "1", "7": .home
      case "4", "8": .end
      case "5": .pageUp
      case "6": .pageDown
      default: .other
      }
    default: .other
    }
  }
}
