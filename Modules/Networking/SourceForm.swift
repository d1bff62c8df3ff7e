/// The accepted values at one place of a source definition. The reader validates with these values, and the JSON Schema
/// is generated from them, so the two agree.
indirect enum SourceForm: Sendable {
  /// This integer.
  case constant(Int)
  /// Any text.
  case text
  /// A text of a certain kind.
  case matching(SourcePattern)
  /// One of these texts.
  case choice([String])
  /// An integer of at least `least`.
  case integer(least: Int)
  /// A number above 0.
  case positive
  /// `true` or `false`.
  case truth
  /// An object whose values are texts or numbers.
  case pairs
  /// An object whose keys and values are texts of certain kinds.
  case texts(keys: SourcePattern, values: SourcePattern)
  /// A list of at least `least` elements.
  case list(SourceForm, least: Int)
  /// An object.
  case object(SourceObject)
  /// An object whose member `tag` says which of these it is.
  case variants(tag: String, [SourceObject])
  /// One of these texts, or an object with one of these members.
  case wordOrMember([String], [SourceMember])
}

/// The members an object may have; no others.
struct SourceObject: Sendable {
  /// The value of the tag that chooses it, where there is one.
  var name = ""
  /// One sentence without a full stop.
  var summary: String
  /// The members, in the order files are written in.
  var members: [SourceMember]
  /// Members that may only be there for some values of another.
  var conditions: [SourceCondition] = []
}

/// One member of an object.
struct SourceMember: Sendable {
  var key: String
  var form: SourceForm
  var isRequired: Bool
  /// One sentence without a full stop.
  var summary: String

  /// An optional member.
  init(_ key: String, _ form: SourceForm, _ summary: String) {
    self.key = key
    self.form = form
    isRequired = false
    self.summary = summary
  }
  /// A member that must be there.
  static func required(_ key: String, _ form: SourceForm, _ summary: String) -> SourceMember {
    var member = SourceMember(key, form, summary)
    member.isRequired = true
    return member
  }
}

/// A condition for a member: another member has one of some values, or, with `orAbsent`, is missing.
struct SourceCondition: Sendable {
  var key: String
  var other: String
  var values: [String]
  var orAbsent: Bool
  /// The error for a file that violates it.
  var complaint: String
}

/// Kinds of text, each as a regular expression for the JSON Schema and as an equivalent check in code.
enum SourcePattern: Sendable, CaseIterable {
  /// A name of a source, dataset or column: not empty, without control characters.
  case word
  /// An http or https URL without login, query and fragment.
  case url
  /// The path after the base URL: starts with a slash, without white space and fragment.
  case path
  /// A JSON Pointer.
  case pointer
  /// A JSON Pointer, or a word for a value from elsewhere.
  case selector
  /// The name of an environment variable.
  case variable
  /// The name of a header field.
  case field
  /// The value of a header field: not empty, without control characters.
  case line

  /// In the syntax of ECMA-262, as JSON Schema wants.
  var expression: String {
    switch self {
    case .word, .line: #"^[^\u0000-\u001F\u007F]+$"#
    case .url: #"^https?://[^\u0000-\u0020\u007F/?#@]+(/[^\u0000-\u0020\u007F?#]*)?$"#
    case .path: #"^/[^\u0000-\u0020\u007F#]*$"#
    case .pointer: "^(/([^/~]|~[01])*)*$"
    case .selector: "^(\(SourceFile.elsewhere.joined(separator: "|"))|(/([^/~]|~[01])*)*)$"
    case .variable: "^[A-Za-z_][A-Za-z0-9_]*$"
    case .field: "^[A-Za-z0-9-]+$"
    }
  }

  /// Whether a text is of this kind.
  func holds(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    switch self {
    case .word, .line: return !bytes.isEmpty && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    case .url:
      guard let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }) else { return false }
      let rest = bytes.dropFirst(scheme.utf8.count), host = rest.prefix { $0 != UInt8(ascii: "/") }
      return !host.isEmpty && !host.contains(UInt8(ascii: "@"))
        && rest.allSatisfy { Self.isVisible($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    case .path:
      return bytes.first == UInt8(ascii: "/") && bytes.allSatisfy { Self.isVisible($0) && $0 != UInt8(ascii: "#") }
    case .pointer:
      guard bytes.isEmpty || bytes.first == UInt8(ascii: "/") else { return false }
      return bytes.indices.allSatisfy { index in
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        return bytes[index] != UInt8(ascii: "~") || next == UInt8(ascii: "0") || next == UInt8(ascii: "1")
      }
    case .selector: return SourceFile.elsewhere.contains(text) || Self.pointer.holds(text)
    case .variable:
      return bytes.first.map { $0 == 95 || Self.isLetter($0) } ?? false
        && bytes.allSatisfy { $0 == 95 || Self.isLetter($0) || $0 &- 48 < 10 }
    case .field:
      return !bytes.isEmpty
        && bytes.allSatisfy { $0 == UInt8(ascii: "-") || Self.isLetter($0) || $0 &- 48 < 10 }
    }
  }

  /// The error for a text of another kind, and a hint.
  var complaint: (message: String, hint: String) {
    switch self {
    case .word: ("invalid name", "use letters, digits and underscores")
    case .url:
      ("expected an http or https URL", "use https://host/path; set a login in “auth”, by environment variable")
    case .path: ("invalid path", "start it with a slash; encode spaces as %20 and # as %23")
    case .pointer: ("invalid JSON Pointer", "start it with a slash, for example /results; write ~0 for ~ and ~1 for /")
    case .selector:
      (
        "invalid JSON Pointer",
        "start it with a slash, for example /name, or use one of \(SourceFile.elsewhere.joined(separator: ", "))"
      )
    case .variable: ("invalid environment variable name", "use letters, digits and underscores")
    case .field: ("invalid header name", "use letters, digits and hyphens")
    case .line: ("invalid header value", "write it on one line")
    }
  }

  private static func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }
}
