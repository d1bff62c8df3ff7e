import Codecs
import CommandLineKit
import Domain
import Networking
import Query
import Rows
import Sources

/// Reads arbitrary text with each of the small grammars that users write. Invariants: nothing traps, text is only
/// refused as the user's mistake, and accepted text that is formatted and read again has the same meaning.
enum Grammar {
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// By scalars: a combining mark after a quote is a separate character.
  private static func replacing(_ scalar: Unicode.Scalar, by other: String, in text: String) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += $1 == scalar ? other : String($1) }
  }

  /// What `read` makes of something; nil when it is refused, which must be for one of these kinds.
  private static func accepted<Result>(
    as kinds: Set<Problem.Kind> = [.usage], _ read: () throws(Problem) -> Result
  ) -> Result? {
    do throws(Problem) {
      return try read()
    } catch {
      precondition(kinds.contains(error.kind) && !error.message.isEmpty, "\(error)")
      return nil
    }
  }

  /// `--where`, `--sort`.
  static func selection(_ bytes: [UInt8]) {
    let text = Self.text(bytes)
    _ = accepted { () throws(Problem) in try Predicate(parsing: text) }
    _ = accepted { () throws(Problem) in try Aggregate.list(parsing: text) }
    _ = accepted { () throws(Problem) in try Assigned.list(parsing: text) }
    _ = accepted { () throws(Problem) in try Expression(parsing: text) }
    _ = accepted { () throws(Problem) in try Pattern(text) }
    if let condition = accepted({ () throws(Problem) in try Condition(parsing: text) }) {
      let quoted = condition.values.map { "'\(replacing("'", by: "''", in: $0))'" }
      let other = condition.otherColumn.map { "\"\(replacing("\"", by: "\"\"", in: $0))\"" } ?? ""
      let written =
        "\"\(replacing("\"", by: "\"\"", in: condition.column))\" \(condition.comparison.rawValue) "
        + (condition.comparison == .isIn ? "(\(quoted.joined(separator: ",")))" : quoted.joined()) + other
      let again = accepted { () throws(Problem) in try Condition(parsing: written) }
      precondition(again == condition, "\(condition) is \(written)")
    }
    _ = accepted { () throws(Problem) in try NameListParser.list(text, mark: ":", of: "sort") }
    _ = accepted { () throws(Problem) in try EpisodeKey(parsing: text, production: "bb") }
  }

  /// `--at`.
  static func coordinates(_ bytes: [UInt8]) {
    guard let place = accepted({ () throws(Problem) in try Coordinates(parsing: text(bytes)) }) else { return }
    precondition(abs(place.latitude) <= 90 && abs(place.longitude) <= 180, "nowhere on earth")
    let again = accepted { () throws(Problem) in try Coordinates(parsing: place.text) }
    precondition(again == place, "\(place) is \(place.text)")
  }

  /// A file that describes an API.
  static func source(_ bytes: [UInt8]) {
    let kinds: Set<Problem.Kind> = [.usage, .badData, .configuration]
    guard let source = accepted(as: kinds, { () throws(Problem) in try SourceFile.read(bytes, name: "fuzz") }) else {
      return
    }
    let again = accepted(as: kinds) { () throws(Problem) in
      try SourceFile.read(SourceFile.text(of: source), name: "again")
    }
    precondition(again == source, "another source")
  }

  /// Dates of HTTP, of sources, and of timestamps.
  static func dates(_ bytes: [UInt8]) {
    if let seconds = HTTPDate.seconds(text(bytes)) {
      precondition((-62_135_596_800...253_402_300_800).contains(seconds), "no year of four digits")
    }
    for format in Dates.Format.allCases {
      if let date = Dates.date(bytes, format: format) { precondition(Dates.isDate(date), "no date") }
    }
    if let time = Dates.timestamp(epochLiteral: bytes) { precondition(Dates.isTimestamp(time), "no timestamp") }
    precondition(!(Dates.isDate(bytes) && Dates.isTimestamp(bytes)), "both")
  }

  /// The words of `EDITOR`.
  static func words(_ bytes: [UInt8]) {
    guard let words = ShellWords.split(text(bytes)) else { return }
    let quoted = words.map { "'\(replacing("'", by: "'\\''", in: $0))'" }.joined(separator: " ")
    precondition(ShellWords.split(quoted) == words, "\(words)")
  }
}
