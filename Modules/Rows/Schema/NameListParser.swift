/// One of several comma-separated names, as in `--columns`, `--sort` and `--types`: `a, b:desc, "c, d"`.
///
/// A name that contains a comma or the mark, or starts with a quote, is written `"…"`, with `""` for a quote.
public struct NameListParser: Sendable, Hashable {
  /// The name.
  public let name: String
  /// The text after the mark: `desc` of `b:desc`; nil without a mark.
  public let value: String?

  /// Reads a list of names.
  /// - Parameters:
  ///   - text: the list: names separated by commas.
  ///   - mark: what parts a name from its value, as `:` and `=` do; nil when the names have none.
  ///   - option: what messages call the list: `columns` of `--columns`.
  /// - Throws: `usage` for an empty name, and for a quote that is not closed or is followed by text.
  public static func list(_ text: String, mark: Unicode.Scalar? = nil, of option: String) throws(Problem)
    -> [NameListParser]
  {
    var rest = text.unicodeScalars[...], names: [NameListParser] = []
    func problem(_ what: String, _ hint: Remedy) -> Problem {
      Problem(.usage, "--\(option) “\(text)” \(what)", hint: hint)
    }
    while true {
      rest = rest.drop { $0 == " " }
      var name = ""
      let isQuoted = rest.first == "\""
      if isQuoted {
        guard let quoted = takeQuoted(&rest) else {
          throw problem("has an unterminated quote", #"write "" for a quote inside"#)
        }
        name = quoted
        rest = rest.drop { $0 == " " }
        guard rest.isEmpty || rest.first == "," || rest.first == mark else {
          throw problem("has text after a closing quote", #"write "" for a quote inside"#)
        }
      } else {
        name = trimmed(take(&rest) { $0 == "," || $0 == mark })
      }
      var value: String?
      if let mark, rest.first == mark {
        rest = rest.dropFirst()
        value = trimmed(take(&rest) { $0 == "," })
      }
      if name.isEmpty { throw problem("contains an empty name", "use names separated by commas") }
      names.append(NameListParser(name: name, value: value))
      guard rest.first == "," else { return names }
      rest = rest.dropFirst()
    }
  }

  /// A name, quoted if necessary for a list with any mark.
  public static func written(_ name: String) -> String {
    let scalars = name.unicodeScalars
    let isPlain =
      !name.isEmpty && scalars.first != "\"" && scalars.first != " " && scalars.last != " "
      && !scalars.contains { ",:=".unicodeScalars.contains($0) }
    return isPlain ? name : "\"\(name.replacing("\"", with: "\"\""))\""
  }

  /// Scans up to a scalar that ends the text.
  private static func take(
    _ rest: inout Substring.UnicodeScalarView, until isEnd: (Unicode.Scalar) -> Bool
  ) -> Substring.UnicodeScalarView {
    let taken = rest.prefix { !isEnd($0) }
    rest = rest[taken.endIndex...]
    return taken
  }

  private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
    var text = text.drop { $0 == " " }
    while text.last == " " { text = text.dropLast() }
    return String(text)
  }

  /// The text between quotes; nil when they are not closed.
  private static func takeQuoted(_ rest: inout Substring.UnicodeScalarView) -> String? {
    var taken = "".unicodeScalars
    rest = rest.dropFirst()
    while let scalar = rest.first {
      rest = rest.dropFirst()
      if scalar == "\"" {
        guard rest.first == "\"" else { return String(taken) }
        rest = rest.dropFirst()
      }
      taken.append(scalar)
    }
    return nil
  }
}
