/// Character references of HTML: `&amp;`, `&#38;`, `&#x26;`.
enum CharacterReference {
  /// The names that pages use most; others stay as they are written.
  private static let named: [String: String] = [
    "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": "\u{A0}", "copy": "©", "reg": "®",
    "trade": "™", "euro": "€", "pound": "£", "yen": "¥", "cent": "¢", "sect": "§", "deg": "°", "plusmn": "±",
    "micro": "µ", "middot": "·", "times": "×", "divide": "÷", "frac12": "½", "frac14": "¼", "frac34": "¾",
    "ndash": "–", "mdash": "—", "hellip": "…", "bull": "•", "minus": "−", "lsquo": "‘", "rsquo": "’", "ldquo": "“",
    "rdquo": "”", "laquo": "«", "raquo": "»", "auml": "ä", "ouml": "ö", "uuml": "ü", "Auml": "Ä", "Ouml": "Ö",
    "Uuml": "Ü", "szlig": "ß", "eacute": "é", "egrave": "è", "ecirc": "ê", "euml": "ë", "aacute": "á", "agrave": "à",
    "acirc": "â", "aring": "å", "aelig": "æ", "oslash": "ø", "ccedil": "ç", "ntilde": "ñ", "iacute": "í",
    "oacute": "ó", "uacute": "ú", "Eacute": "É", "Aring": "Å", "Oslash": "Ø", "Ccedil": "Ç", "larr": "←",
    "rarr": "→", "uarr": "↑", "darr": "↓", "ne": "≠", "le": "≤", "ge": "≥", "shy": "\u{AD}", "zwj": "\u{200D}",
  ]

  /// The character of the reference that `text` begins with, in UTF-8, and the length of the reference.
  static func decoded(_ text: ArraySlice<UInt8>) -> ([UInt8], Int)? {
    let word = text.dropFirst().prefix(12).prefix { $0 != UInt8(ascii: ";") }, end = word.endIndex
    guard end < text.endIndex, text[end] == UInt8(ascii: ";") else { return nil }
    let count = end + 1 - text.startIndex
    if word.first == UInt8(ascii: "#") {
      let digits = String(decoding: word.dropFirst(), as: UTF8.self)
      let number = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
      guard let number, number > 0, let scalar = Unicode.Scalar(number) else { return nil }
      return (Array(String(scalar).utf8), count)
    }
    return named[String(decoding: word, as: UTF8.self)].map { (Array($0.utf8), count) }
  }
}
