import Codecs
package import CommandLineKit
import Dialects
package import Domain
package import Rows

extension FileInputOptions {
  private static let group = "CSV input"

  /// The options, for commands that read no other format.
  package static let dialectOptions = dialectBindings.map(\.option)

  private static func text(
    _ name: String, _ placeholder: String, _ setting: Setting, default usual: String? = nil, _ summary: String
  ) -> Option {
    .value(name, placeholder, default: usual, setting: setting, in: group, summary)
  }
  private static func choice<Value: RawRepresentable & CaseIterable & Sendable>(
    _ name: String, _ placeholder: String, _ setting: Setting, default usual: String, _ summary: String,
    _ member: any WritableKeyPath<Self, Value?> & Sendable, others: [String] = []
  ) -> OptionBinding<Self> where Value.RawValue == String {
    let words = Value.allCases.map(\.rawValue)
    return .value(
      .value(
        name, placeholder, values: .words(words + others), default: usual, setting: setting, in: group, summary),
      member
    ) { (text) throws(Problem) in
      if text == "auto" { return nil }
      guard let value = Value(rawValue: text) else {
        throw Problem(
          .usage, "invalid value “\(text)” for --\(name)", hint: .choose(text, from: words, "available values"))
      }
      return value
    }
  }
  private static func count(
    _ name: String, _ setting: Setting, in range: ClosedRange<Int>, _ summary: String,
    _ member: any WritableKeyPath<Self, Int?> & Sendable
  ) -> OptionBinding<Self> {
    .number(text(name, "N", setting, summary), member, in: range)
  }

  static let dialectBindings: [OptionBinding<Self>] = [
    .value(
      text(
        "from-encoding", "NAME", .inputEncoding, default: "auto",
        "encoding of the text, also of json, xml and other text formats: \(CharacterEncoding.allCases.map(\.rawValue).joined(separator: ", "))"
      ),
      \.dialect.encoding
    ) { (text) throws(Problem) in
      if text == "auto" { return nil }
      guard let encoding = CharacterEncoding(named: text) else {
        throw Problem(
          .usage, "unknown encoding “\(text)”",
          // A similar name may be another encoding.
          hint: .advice("available encodings: \(CharacterEncoding.allCases.map(\.rawValue).joined(separator: ", "))"))
      }
      return encoding
    },
    .value(
      text(
        "from-delimiter", "TEXT", .inputDelimiter, default: "auto",
        "field delimiter: one or two characters, or comma, tab, semicolon, pipe, space, spaces (one or more)"),
      \.dialect.delimiter
    ) { (text) throws(Problem) in try delimiter(text) },
    .value(
      text("from-quote", "CHAR", .inputQuote, default: "auto", "character around fields, or none"), \.dialect.quote
    ) { (text) throws(Problem) in
      if text == "auto" { return nil }
      if text == "none" { return DialectOptions.Quote.none }
      guard text.utf8.count == 1, let byte = text.utf8.first, (0x21...0x7E).contains(byte) else {
        throw Problem(
          .usage, "invalid value “\(text)” for --from-quote", hint: "use one ASCII character, none or auto")
      }
      return .character(byte)
    },
    choice(
      "from-escape", "HOW", .inputEscape, default: "auto", "how a quote is written in a quoted field",
      \.dialect.escape, others: ["auto"]),
    .flag(
      .flag(
        "no-header", setting: .noHeader, in: group,
        "the first record is data; the columns are named column1, column2, … or as --names says"
      ).excluding("header-rows"), \.dialect.hasNoHeader),
    count(
      "header-rows", .headerRows, in: 0...10, "records of the header, or 0 for none; the names are joined by spaces",
      \.dialect.headerRows),
    .value(
      text("names", "NAME,…", .columnNames, "names of the columns, instead of those of the header"), \.dialect.names
    ) { (text) throws(Problem) in try NameListParser.list(text, of: "names").map(\.name) },
    count(
      "skip-rows", .skippedRows, in: 0...1_000_000, "skip the first N records, empty lines included",
      \.dialect.skippedRows),
    count("skip-footer", .skippedFooter, in: 0...1000, "skip the last N records", \.dialect.skippedFooter),
    .value(text("comment", "TEXT", .commentPrefix, "skip lines that begin with TEXT"), \.dialect.comment) {
      (text) throws(Problem) in
      if text.isEmpty { throw Problem(.usage, "missing text after --comment") }
      return Array(text.utf8)
    },
    choice(
      "ragged", "HOW", .raggedRows, default: "error",
      "what to do with records that are not as wide as the header: fill short ones (pad), cut long ones, both, or drop them",
      \.dialect.ragged),
    .value(
      text("table-number", "N", .tableNumber, default: "1", "which of several tables of a file to read, or all"),
      \.dialect.table
    ) { (text) throws(Problem) in
      if text == "all" { return 0 }
      guard let number = Int(text), 1...1000 ~= number else {
        throw Problem(.usage, "invalid value “\(text)” for --table-number", hint: "use a number from 1, or all")
      }
      return number
    },
    .value(
      text(
        "fixed", "FIRST-LAST,…", .fixedColumns,
        "columns by the positions of their characters, from 1, for example 1-10,11-15,16-"
      ).excluding("from-delimiter", "from-quote", "from-escape"), \.dialect.positions
    ) { (text) throws(Problem) in try positions(text) },
    .flag(
      .flag(
        "repair", setting: .repair, in: group,
        "read damaged records, detect everything, and report each record that was changed"), \.dialect.repairs),
    .number(
      text("max-rejects", "N", .maximumRejects, "stop when more than N records were changed or dropped"),
      \.dialect.maximumRejects, in: 0...1_000_000_000),
  ]

  /// The option of a setting with its value, as the command line has it; nil if there is no such option.
  package static func option(for setting: Setting, value: String?) -> [String]? {
    options.first { $0.setting == setting }.map { ["--\($0.name)"] + (value.map { [$0] } ?? []) }
  }

  package static func text(of setting: Setting, value: String) -> String {
    (option(for: setting, value: value) ?? []).map { $0.hasPrefix("--") ? $0 : Remedy.shellWord($0) }
      .joined(separator: " ")
  }

  private static func delimiter(_ text: String) throws(Problem) -> [UInt8]? {
    if text == "auto" { return nil }
    if text == "spaces" { return CSVDialect.spaces }
    if text.hasPrefix("\\x"), let byte = UInt8(text.dropFirst(2), radix: 16), byte < 0x20, byte != 0x0A, byte != 0x0D {
      return [byte]
    }
    let bytes = Array(text.utf8)
    if text.unicodeScalars.count == 1, bytes.count > 1 { return bytes }
    guard bytes.count == 2, text != "\\t", bytes != CSVDialect.spaces else {
      return [try CSVStyle.delimiter(named: text)]
    }
    for byte in bytes where byte != 0x20 { _ = try CSVStyle.delimiter(named: String(decoding: [byte], as: UTF8.self)) }
    return bytes
  }

  private static func positions(_ text: String) throws(Problem) -> [ClosedRange<Int>] {
    var positions: [ClosedRange<Int>] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      let first = ends.first.flatMap { Int($0) } ?? 0
      let last = ends.count < 2 ? first : ends[1].isEmpty ? 1 << 30 : Int(ends[1]) ?? 0
      guard first >= 1, last >= first, first > positions.last?.upperBound ?? 0 else {
        throw Problem(
          .usage, "invalid columns “\(part)” for --fixed", hint: "use ascending positions, for example 1-10,11-15,16-")
      }
      positions.append(first...last)
    }
    return positions
  }
}
