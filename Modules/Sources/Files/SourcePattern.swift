import Rows

/// Kinds of text, each as a regular expression for the JSON Schema and as an equivalent check in code.
enum SourcePattern: Sendable, CaseIterable {
  /// A name of a source, dataset or column: not empty, without control characters.
  case word
  /// An http or https URL without login, query and fragment.
  case url
  /// The same, or with variables.
  case urlTemplate
  /// An http or https URL, or a path, with or without variables.
  case link
  /// The path after the base URL: starts with a slash, without white space and fragment.
  case path
  case pointer
  /// A JSON Pointer, or a word for a value from elsewhere.
  case selector
  /// The same in version 2.
  case longSelector
  /// The name of an environment variable.
  case variable
  /// The name of a header field.
  case field
  /// A text of one line: not empty, without control characters.
  case line
  /// A single ASCII character.
  case character
  /// A positive number, with or without a unit of time.
  case span

  /// In the syntax of ECMA-262, as JSON Schema wants.
  var expression: String {
    switch self {
    case .word, .line: #"^[^\u0000-\u001F\u007F]+$"#
    case .url: #"^https?://[^\u0000-\u0020\u007F/?#@]+(/[^\u0000-\u0020\u007F?#]*)?$"#
    case .urlTemplate:
      #"^(https?://[^\u0000-\u0020\u007F/?#@]+(/[^\u0000-\u0020\u007F?#]*)?|\{[^\u0000-\u0020\u007F?#@]+)$"#
    case .link: #"^(https?://[^\u0000-\u0020\u007F/?#@]|/|\{)[^\u0000-\u0020\u007F#@]*$"#
    case .path: #"^/[^\u0000-\u0020\u007F#]*$"#
    case .pointer: "^(/([^/~]|~[01])*)*$"
    case .selector: "^(\(SourceFile.elsewhere.joined(separator: "|"))|(/([^/~]|~[01])*)*)$"
    case .longSelector:
      "^(\((SourceFile.elsewhere + SourceFile.laterElsewhere).joined(separator: "|"))|"
        + "#parent(/([^/~]|~[01])*)+|(#answer|#outer(/#outer)*)?(/([^/~]|~[01])*)*)$"
    case .variable: "^[A-Za-z_][A-Za-z0-9_]*$"
    case .field: "^[A-Za-z0-9-]+$"
    case .character: #"^[\u0001-\u007F]$"#
    case .span: "^0*[1-9][0-9]{0,9}[smhdw]?$"
    }
  }

  /// Whether a text is of this kind.
  func holds(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    switch self {
    case .word, .line: return !bytes.isEmpty && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    case .url:
      guard let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) else { return false }
      let rest = bytes.dropFirst(scheme.utf8.count), host = rest.prefix { $0 != UInt8(ascii: "/") }
      return !host.isEmpty && !host.contains(UInt8(ascii: "@"))
        && rest.allSatisfy { Self.isVisible($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    case .urlTemplate:
      if Self.url.holds(text) { return true }
      return text.hasPrefix("{") && bytes.count > 1
        && bytes.dropFirst().allSatisfy { Self.isVisible($0) && !"?#@".utf8.contains($0) }
    case .link:
      let rest: ArraySlice<UInt8>
      if let scheme = ["http://", "https://"].first(where: { text.lowercased().hasPrefix($0) }) {
        rest = bytes.dropFirst(scheme.utf8.count)
        guard let first = rest.first, !"/?".utf8.contains(first) else { return false }
      } else {
        guard text.hasPrefix("/") || text.hasPrefix("{") else { return false }
        rest = bytes[...]
      }
      return rest.allSatisfy { Self.isVisible($0) && !"#@".utf8.contains($0) }
    case .path:
      return bytes.first == UInt8(ascii: "/") && bytes.allSatisfy { Self.isVisible($0) && $0 != UInt8(ascii: "#") }
    case .pointer:
      guard bytes.isEmpty || bytes.first == UInt8(ascii: "/") else { return false }
      return bytes.indices.allSatisfy { index in
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        return bytes[index] != UInt8(ascii: "~") || next == UInt8(ascii: "0") || next == UInt8(ascii: "1")
      }
    case .selector: return SourceFile.elsewhere.contains(text) || Self.pointer.holds(text)
    case .longSelector: return Self.isLongSelector(text)
    case .variable:
      return bytes.first.map { $0 == 95 || Self.isLetter($0) } ?? false
        && bytes.allSatisfy { $0 == 95 || Self.isLetter($0) || $0 &- 48 < 10 }
    case .field:
      return !bytes.isEmpty
        && bytes.allSatisfy { $0 == UInt8(ascii: "-") || Self.isLetter($0) || $0 &- 48 < 10 }
    case .span:
      let digits = "smhdw".utf8.contains(bytes.last ?? 0) ? bytes.dropLast() : bytes[...]
      return (1...10).contains(digits.drop { $0 == 48 }.count) && digits.allSatisfy { $0 &- 48 < 10 }
    case .character: return bytes.count == 1 && bytes[0] > 0 && bytes[0] < 0x80
    }
  }

  private static func isLongSelector(_ text: String) -> Bool {
    if (SourceFile.elsewhere + SourceFile.laterElsewhere).contains(text) || pointer.holds(text) { return true }
    for prefix in ["#parent", "#answer", "#outer"] where text.hasPrefix(prefix) {
      var rest = text.dropFirst(prefix.count)
      if prefix == "#outer" { while rest.hasPrefix("/#outer") { rest = rest.dropFirst("/#outer".count) } }
      return pointer.holds(String(rest)) && (prefix != "#parent" || !rest.isEmpty)
    }
    return false
  }

  /// The error for a text of another kind, and a hint.
  var complaint: (message: String, hint: Remedy) {
    switch self {
    case .word: ("invalid name", "use letters, digits and underscores")
    case .url, .urlTemplate, .link:
      ("expected an http or https URL", "use https://host/path; set a login in “auth”, by environment variable")
    case .path: ("invalid path", "start it with a slash; encode spaces as %20 and # as %23")
    case .pointer: ("invalid JSON Pointer", "start it with a slash, for example /results; write ~0 for ~ and ~1 for /")
    case .selector, .longSelector:
      (
        "invalid JSON Pointer",
        .advice(
          "start it with a slash, for example /name, or use one of "
            + (SourceFile.elsewhere
            + (self == .selector ? [] : SourceFile.laterElsewhere + ["#parent/COLUMN", "#answer/…", "#outer/…"]))
            .joined(separator: ", "))
      )
    case .variable: ("invalid environment variable name", "use letters, digits and underscores")
    case .field: ("invalid header name", "use letters, digits and hyphens")
    case .line: ("invalid header value", "write it on one line")
    case .span: ("invalid length", "use a number, or one with a unit: s, m, h, d or w, for example 30d")
    case .character: ("invalid character", "use one ASCII character, for example ;")
    }
  }

  private static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }
}
