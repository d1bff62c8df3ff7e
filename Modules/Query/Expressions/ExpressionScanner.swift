import Rows

/// Scans the words of expressions by scalars, so that a combining mark after a quote does not hide the quote.
struct ExpressionScanner {
  private let text: String
  /// The word for what is read, in messages.
  private let kind: String
  var rest: Substring.UnicodeScalarView
  /// Whether the right side of a comparison is a value of the type of the left side, which needs no quotes.
  var takesValues: Bool

  init(_ text: String, _ kind: String, takesValues: Bool) {
    (self.text, self.kind, self.takesValues, rest) = (text, kind, takesValues, text[...].unicodeScalars)
  }

  func problem(_ message: String, _ hint: Remedy) -> Problem {
    let column = text.distance(from: text.startIndex, to: rest.startIndex) + 1
    let shown = text.utf8.count > 200 ? "\(text.prefix(100))…" : text
    return Problem(.usage, "invalid \(kind) “\(shown)”: \(message) at character \(column)", hint: hint)
  }

  mutating func skipBlanks() {
    rest = rest.drop { takesValues ? $0 == " " || $0 == "\t" : $0.properties.isWhitespace }
  }

  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    skipBlanks()
    guard rest.first == mark else { return false }
    rest = rest.dropFirst()
    return true
  }

  func peeks(_ word: String) -> Bool {
    var ahead = self
    return ahead.takeWords(word)
  }

  /// Skips words, in any case and with blanks between them; false if they are not there.
  mutating func takeWords(_ words: String) -> Bool {
    var ahead = self
    for word in words.split(at: " ") {
      ahead.skipBlanks()
      guard ahead.takeName().lowercased() == word else { return false }
    }
    self = ahead
    return true
  }

  static func isPartOfName(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    return properties.isAlphabetic || properties.numericType != nil || scalar == "_"
      || [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  /// A name without quotes; with dots, `user.name` is one: whether it is a column or a member the schema says.
  mutating func takeName(dots: Bool = true) -> String {
    let name = rest.prefix { Self.isPartOfName($0) || dots && $0 == "." }
    rest = rest[name.endIndex...]
    return String(name)
  }

  mutating func column(_ hint: Remedy) throws(Problem) -> String {
    skipBlanks()
    if rest.first == "\"" { return try quoted("\"") }
    let name = takeName()
    if name.isEmpty { throw problem("missing column", hint) }
    return name
  }

  mutating func quoted(_ quote: Unicode.Scalar) throws(Problem) -> String {
    let start = rest
    rest = rest.dropFirst()
    var value = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar != quote {
        value.append(scalar)
      } else if rest.first == quote {
        value.append(quote)
        rest = rest.dropFirst()
      } else {
        return String(value)
      }
    }
    rest = start
    throw problem("unterminated \(quote)", "write \(quote)\(quote) for a quote inside")
  }
}
