internal import CMasks
import Codecs
import Rows

/// The text between tags and of attributes: with entities, and with line ends of any kind.
enum XMLText {
  /// Appends `text` to `out`, entities and line ends replaced if it is raw; returns why it cannot.
  static func append(_ text: ByteRun, isRaw: Bool, to out: inout ByteBuffer) -> String? {
    let before = out.count
    let isPlain =
      !isRaw || text.distance(to: UInt8(ascii: "&")) == text.count && text.distance(to: 0x0D) == text.count
    if isPlain { out.append(text) } else if let fault = appendReplacing(text, to: &out) { return fault }
    let made = out.run(from: before)
    return unsafe Int(bb_first_not_utf8(made.start, made.count)) == made.count ? nil : "invalid UTF-8"
  }

  private static func appendReplacing(_ text: ByteRun, to out: inout ByteBuffer) -> String? {
    var place = 0
    while place < text.count {
      let byte = text[place]
      if byte == UInt8(ascii: "&") {
        let rest = text.slice(from: place, atMost: 12), length = rest.distance(to: UInt8(ascii: ";"))
        guard length < rest.count else { return "“&” is not followed by an entity name" }
        let word = rest.slice(from: 1, atMost: length - 1).text
        guard let scalar = scalar(word) else { return "unknown entity “&\(word);”" }
        out.append(bytes: Array(String(scalar).utf8))
        place += length + 1
        continue
      }
      place += 1
      // As XML has it, one line feed ends a line.
      if byte == 0x0D, place < text.count, text[place] == 0x0A { continue }
      out.append(byte: byte == 0x0D ? 0x0A : byte)
    }
    return nil
  }

  /// The character that the entity `&word;` stands for: the five of XML, and characters by number.
  private static func scalar(_ word: String) -> Unicode.Scalar? {
    switch word {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "quot": return "\""
    case "apos": return "'"
    default:
      let number =
        word.hasPrefix("#x")
        ? UInt32(word.dropFirst(2), radix: 16) : word.hasPrefix("#") ? UInt32(word.dropFirst()) : nil
      return number == 0 ? nil : number.flatMap(Unicode.Scalar.init)
    }
  }
}
