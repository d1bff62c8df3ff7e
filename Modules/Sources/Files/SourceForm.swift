import Codecs

/// The accepted values at one place of a source definition. The reader validates with these values, and the JSON Schema
/// is generated from them, so the two agree.
indirect enum SourceForm: Sendable {
  case version
  case text
  /// A text of a certain kind.
  case matching(SourcePattern)
  case choice([String])
  /// An integer of at least `least`.
  case integer(least: Int)
  /// A number above 0.
  case positive
  /// `true` or `false`.
  case truth
  /// `null`.
  case null
  /// A text, a number, `true` or `false`.
  case scalar
  case any
  /// An object whose values are texts or numbers.
  case pairs
  /// An object whose keys are texts of a certain kind.
  case entries(keys: SourcePattern, values: SourceForm)
  /// A list of at least `least` elements.
  case list(SourceForm, least: Int)
  case object(SourceObject)
  /// An object whose member `tag` says which of these it is.
  case variants(tag: String, [SourceObject])
  /// One of these texts, or an object with one of these members.
  case wordOrMember([SourceWord], [SourceMember])
  /// One of these forms, which are of different kinds of values.
  case either([SourceForm])

  /// Whether values of this form are of the kind of `value`.
  func isKind(of value: JSON) -> Bool {
    switch self {
    case .version, .integer, .positive: value.numberLiteral != nil
    case .text, .matching, .choice: value.stringBytes != nil
    case .truth: value.booleanValue != nil
    case .null: value.isNull
    case .scalar: value.stringBytes != nil || value.numberLiteral != nil || value.booleanValue != nil
    case .any: true
    case .pairs, .entries, .object, .variants: value.objectMembers != nil
    case .list: value.arrayValue != nil
    case .wordOrMember: value.stringBytes != nil || value.objectMembers != nil
    case .either(let forms): forms.contains { $0.isKind(of: value) }
    }
  }
}

/// A word, and the version of the grammar that it belongs to.
struct SourceWord: Sendable, ExpressibleByStringLiteral {
  var text: String
  var since = 1
  init(_ text: String, since: Int) {
    self.text = text
    self.since = since
  }
  init(stringLiteral text: String) { self.text = text }
}

/// The members an object may have; no others.
struct SourceObject: Sendable {
  /// The value of the tag that chooses it, where there is one.
  var name = ""
  /// One sentence without a full stop.
  var summary: String
  /// The members, in the order files are written in.
  var members: [SourceMember]
  /// Members that may only be there for some values of another; in version 1 only.
  var conditions: [SourceCondition] = []
  /// The version of the grammar that it belongs to.
  var since = 1
}

struct SourceMember: Sendable {
  var key: String
  /// The form in version 1, and in later ones unless `newer` is another.
  var form: SourceForm
  /// The form in version 2; nil for the same.
  var newer: SourceForm?
  /// The versions of the grammar in which the member is required.
  var requiredIn: ClosedRange<Int>?
  /// One sentence without a full stop.
  var summary: String
  /// The version of the grammar that it belongs to.
  var since = 1

  /// An optional member.
  init(_ key: String, _ form: SourceForm, newer: SourceForm? = nil, _ summary: String, since: Int = 1) {
    self.key = key
    self.form = form
    self.newer = newer
    self.summary = summary
    self.since = since
  }
  func form(in grammar: Int) -> SourceForm { grammar > 1 ? newer ?? form : form }
  /// Whether it must be there in a version of the grammar.
  func isRequired(in grammar: Int) -> Bool { requiredIn?.contains(grammar) ?? false }
}

/// A condition for a member: another member has one of some values, or, with `orAbsent`, is missing.
struct SourceCondition: Sendable {
  var key: String
  var other: String
  var values: [String]
  var orAbsent: Bool
  /// The error for a file that violates it.
  var complaint: String
  /// The last version of the grammar in which it holds.
  var last = 9
}
