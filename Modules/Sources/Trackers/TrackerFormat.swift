import Codecs
import Domain
public import Rows

/// The files of a service as a value: which names belong to it, and what their rows say. Built-in formats and those of
/// users are files in the grammar of source definitions, with `files` in place of `base_url`.
public struct TrackerFormat: Sendable {
  /// The name in commands: `letterboxd`.
  public internal(set) var name = ""
  /// One sentence without a full stop.
  public internal(set) var summary = ""
  /// Patterns of names that belong to the format, and of those that are never opened.
  var files: [String] = [], ignored: [String] = []
  var variables: [SourceVariable] = []
  var words: [TrackerWords] = []
  var shared: [TrackerColumns] = []
  var rules: [TrackerRule] = []
  /// The files that it writes.
  public internal(set) var exports: [TrackerExport] = []

  private var grammar = 2

  /// The format that the bytes of a file describe.
  /// - Throws: `configuration` for anything that is not such a description.
  public init(_ bytes: [UInt8], name: String) throws(Problem) {
    let document: JSON
    do throws(Problem) { document = try JSON.parse(bytes, name: name) } catch {
      throw Problem(.configuration, error.message, at: error.place, hint: error.hint)
    }
    let root = SourceNode(document, file: name), problems = SourceProblems(grammar: 2)
    SourceForm.object(Self.table.object).check(root, problems)
    try problems.check()
    self = Self.table.read(root)
    for (place, node) in zip(rules.indices, root["datasets"]?.elements ?? []) {
      rules[place].check(node, self, problems)
      if let shared = shared.first(where: { $0.name == rules[place].sharedColumns }) {
        rules[place].columns = shared.columns + rules[place].columns
      }
    }
    try problems.check()
  }
  private init() {}

  private static let table = SourceTable<TrackerFormat>(
    TrackerFormat(), "definition of the files of a service",
    [
      .key(
        "bb_source", \.grammar, SourceKind(.version, read: { $0.integer }, write: { .number(Int64($0)) }),
        "version of this file format"
      ).required(),
      .key("name", \.name, .matching(.word), "name of the format").required(),
      .key("summary", \.summary, .text, "description, in one sentence"),
      .key("files", \.files, .list(.text, least: 1), "patterns of the names of its files").required(),
      .key("not", \.ignored, .list(.text), "patterns of names that are never opened"),
      .key(
        "variables", \.variables, .entries(\.name, .variable, .object(SourceFile.variables)), "values for {name}"),
      .key("words", \.words, .entries(\.name, .word, .words), "named lists of words and their values"),
      .key("shared", \.shared, .entries(\.name, .word, .columns), "named lists of columns"),
      .key("datasets", \.rules, .list(.object(TrackerRule.table), least: 1), "rules, in order").required(),
      .key("exports", \.exports, .list(.object(TrackerExport.table)), "files that it writes"),
    ])

  func isIgnored(_ name: String) -> Bool { ignored.contains { TrackerPattern.fits($0, name) } }
  /// Whether a name belongs to the format.
  func names(_ file: String) -> Bool { !isIgnored(file) && files.contains { TrackerPattern.fits($0, file) } }
  /// Whether a name belongs to the format, by more than its suffix.
  func namesSurely(_ file: String) -> Bool {
    !isIgnored(file) && files.contains { !$0.hasPrefix("*.") && TrackerPattern.fits($0, file) }
  }
}

struct TrackerWords: Sendable, Equatable {
  var name = ""
  var values: [String: String] = [:]
}

struct TrackerColumns: Sendable, Equatable {
  var name = ""
  var columns: [TrackerColumn] = []
}

extension SourceKind where Value == TrackerWords {
  fileprivate static var words: Self {
    SourceKind(
      .pairs,
      read: { node in TrackerWords(values: Dictionary(node.pairs.map { ($0.name, $0.value) }) { $1 }) },
      write: { .object($0.values.map { JSON.Member($0.key, .string($0.value)) }) })
  }
}
extension SourceKind where Value == TrackerColumns {
  fileprivate static var columns: Self {
    let list = SourceKind<[TrackerColumn]>.list(.object(TrackerColumn.table), least: 1)
    return SourceKind(
      list.form, read: { list.read($0).map { TrackerColumns(columns: $0) } }, write: { list.write($0.columns) })
  }
}
extension SourceKind where Value == [String] {
  fileprivate static var texts: Self {
    SourceKind(
      .either([.text, .list(.text, least: 0)]), read: { $0.oneOrMore.map(\.text) },
      write: { .array($0.map { .string($0) }) })
  }
}

/// A column of a rule: a value of the row.
struct TrackerColumn: Sendable, Equatable {
  var name = "", from: [String] = []
  var constant: String?
  var nulls: [String] = [], formats: [String] = []
  var steps: [TrackerStep] = []
  /// Values by the member that a row has.
  var guesses: [SourceParameter] = []

  static let table = SourceTable<TrackerColumn>(
    TrackerColumn(), "a value of the row",
    [
      .key("name", \.name, .choice(names), "name of the value").required(),
      .key("from", \.from, .texts, "where it is; the first that is there"),
      .optional("value", \.constant, .scalar, "the value of every row"),
      .key("null", \.nulls, .list(.text), "texts that mean no value"),
      .key("formats", \.formats, .list(.text), "formats of dates"),
      .key("steps", \.steps, .list(.step), "changes of the value, in order"),
      .key("guess", \.guesses, .pairs, "values by the member that the row has"),
    ])
  private static let names =
    [
      "kind", "name", "year", "alias", "season", "episode", "at", "on", "rating", "rewatch", "tags", "text", "times",
      "again", "list", "position",
    ] + ["", "episode_", "own_"].flatMap { prefix in TrackerRow.services.map { prefix + $0 } }
}

struct TrackerStep: Sendable, Equatable {
  enum Kind: String, Sendable, CaseIterable { case split, stripHTML = "strip-html", year, cut, words }
  var kind = Kind.split
  var words = "", after = "", before = ""
  var isLast = false, isOnly = false
}

extension SourceKind where Value == TrackerStep {
  fileprivate static var step: Self {
    let cut = SourceObject(
      name: "", summary: "a part of a text",
      members: ["after", "after_last", "before"].map { SourceMember($0, .text, "text at its end") } + [
        SourceMember("only", .truth, "whether a text without it means null")
      ], conditions: [], since: 1)
    let object = SourceObject(
      name: "", summary: "a step",
      members: [SourceMember("cut", .object(cut), "a part"), SourceMember("words", .text, "a list of words")],
      conditions: [], since: 1)
    return SourceKind(
      .either([.choice(["split", "strip-html", "year"]), .object(object)]),
      read: { node in
        var step = TrackerStep()
        if let kind = TrackerStep.Kind(rawValue: node.text) {
          step.kind = kind
        } else if let words = node["words"] {
          (step.kind, step.words) = (.words, words.text)
        } else {
          let cut = node["cut"], last = cut?["after_last"]
          step.kind = .cut
          step.after = last?.text ?? cut?["after"]?.text ?? ""
          (step.before, step.isLast) = (cut?["before"]?.text ?? "", last != nil)
          step.isOnly = cut?["only"]?.json.booleanValue == true
        }
        return step
      }, write: { .string($0.kind.rawValue) })
  }
}

struct TrackerCondition: Sendable, Equatable {
  var at: [String] = []
  var value: String?, not: String?, start: String?
  var values: [String] = []

  static let table = SourceTable<TrackerCondition>(
    TrackerCondition(), "a condition on the row",
    [
      .key("at", \.at, .texts, "where the value is").required(),
      .optional("is", \.value, .text, "its value, some or none"), .optional("not", \.not, .text, "not its value"),
      .optional("starts", \.start, .text, "its beginning"), .key("in", \.values, .list(.text), "its values"),
    ])
}

/// The use of the rows of some files.
struct TrackerRule: Sendable, Equatable {
  var name = "", target = TrackerRow.Target.watches, file = ""
  var has: [String] = [], lacks: [String] = []
  var unlessFile: String?, service: String?
  var conditions: [TrackerCondition] = []
  var identity: [String] = [], otherIdentity: [String] = []
  var isEachPlay = false
  var header: String?
  var lists: [String] = [], place: String?, form: String?
  var explode: [String] = []
  var sharedColumns = ""
  var columns: [TrackerColumn] = [], more: [TrackerColumn] = []

  static let table = SourceTable<TrackerRule>(
    TrackerRule(), "the use of the rows of some files",
    [
      .key("name", \.name, .matching(.word), "name of the rule").required(),
      .key("into", \.target, .word, "dataset").required(),
      .key("file", \.file, .text, "pattern of names").required(),
      .key("has", \.has, .list(.text), "columns that must be there"),
      .key("lacks", \.lacks, .list(.text), "columns that must not be there, one or, with |, all of several"),
      .optional("unless_file", \.unlessFile, .text, "not if this file is there too"),
      .optional("as", \.service, .matching(.word), "name of the service in identifiers"),
      .key("where", \.conditions, .list(.object(TrackerCondition.table)), "conditions, all of them"),
      .key("id", \.identity, .list(.text), "what identifies a play in the service"),
      .key("or_id", \.otherIdentity, .list(.text), "the same if there is none"),
      .key("each", \.isEachPlay, .truth, "true: one row is one play"),
      .part("answer", answer, "format of the files"),  // prose-lint: ignore
      .part("records", records, "place and form of the records"),
      .key(
        "explode", \.explode, .oneOrMore(.matching(.pointer)), "array within records whose elements are the records"),
      SourceKey(
        member: SourceMember(
          "columns", .either([.text, .list(.object(TrackerColumn.table.object), least: 1)]),
          "values, or the name of shared ones"),
        read: { node, rule in
          if node.json.stringBytes != nil {
            rule.sharedColumns = node.text
          } else {
            rule.columns = SourceKind<[TrackerColumn]>.list(.object(TrackerColumn.table)).read(node) ?? []
          }
        }, write: { _, _ in nil }
      ).required(),
      .key("more", \.more, .list(.object(TrackerColumn.table)), "further values"),
    ])
  private static let answer = SourceTable<TrackerRule>(
    TrackerRule(), "format of the files",
    [
      SourceKey(member: SourceMember("as", .choice(["csv"]), "format"), read: { _, _ in }, write: { _, _ in nil }),
      .optional("header", \.header, .text, "first cell of the row with the names"),
    ])
  private static let records = SourceTable<TrackerRule>(
    TrackerRule(), "place and form of the records",
    [
      .key("lists", \.lists, .list(.text), "members that hold arrays of records"),
      .optional("at", \.place, .matching(.pointer), "place of the records, or of a text with them"),
      .optional("as", \.form, .choice(["go-maps"]), "form of the text"),
    ])

  mutating func check(_ node: SourceNode, _ format: TrackerFormat, _ problems: SourceProblems) {
    columns += more
    if !sharedColumns.isEmpty, !format.shared.contains(where: { $0.name == sharedColumns }), let place = node["columns"]
    {
      problems.note(place.unknown(sharedColumns, "list of columns", format.shared.map(\.name)))
    }
    for column in columns {
      for step in column.steps where step.kind == .words && !format.words.contains(where: { $0.name == step.words }) {
        problems.note(node.unknown(step.words, "list of words", format.words.map(\.name)))
      }
    }
  }
}

/// A file that a format writes.
public struct TrackerExport: Sendable, Equatable {
  /// The name of the file.
  public internal(set) var file = ""
  /// The dataset of its rows, or `all`.
  public internal(set) var from = ""
  /// The kind of titles; nil for both.
  public internal(set) var kind: String?
  /// The list of its rows, and a field that rows must have; nil for none.
  public internal(set) var list: String?, needs: String?
  /// The most bytes of a file; nil for no limit.
  public internal(set) var maximumBytes: Int?
  /// The columns: headers and fields.
  public internal(set) var columns: [[String]] = []

  static let table = SourceTable<TrackerExport>(
    TrackerExport(), "a file that it writes",
    [
      .key("file", \.file, .matching(.word), "name").required(),
      .key("from", \.from, .choice(["watches", "ratings", "lists", "all"]), "dataset").required(),
      .optional("kind", \.kind, .choice(["show", "movie"]), "kind of titles"),
      .optional("list", \.list, .text, "list"), .optional("needs", \.needs, .text, "field that rows must have"),
      .optional("at_most_bytes", \.maximumBytes, .integer(least: 1), "most bytes of a file"),
      .key("columns", \.columns, .list(.list(.text, least: 2), least: 1), "pairs of header and field").required(),
    ])
}

/// Patterns of file names: `*` and `?`, ignoring case; without `/` of the last part.
enum TrackerPattern {
  static func fits(_ pattern: String, _ name: String) -> Bool {
    let name = name.lowercased(), last = name.split(separator: "/").last.map(String.init) ?? name
    return matches(Array(pattern.lowercased().utf8)[...], Array((pattern.contains("/") ? name : last).utf8)[...])
  }

  private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    var pattern = pattern, text = text, back: (ArraySlice<UInt8>, ArraySlice<UInt8>)?
    while true {
      if pattern.first == UInt8(ascii: "*") {
        pattern = pattern.dropFirst()
        back = (pattern, text)
      } else if let byte = text.first, pattern.first == byte || pattern.first == UInt8(ascii: "?") {
        (pattern, text) = (pattern.dropFirst(), text.dropFirst())
      } else if text.isEmpty, pattern.isEmpty {
        return true
      } else if let (rest, from) = back, !from.isEmpty {
        (pattern, text) = (rest, from.dropFirst())
        back = (rest, text)
      } else {
        return false
      }
    }
  }
}
