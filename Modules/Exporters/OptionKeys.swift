import Codecs
import Domain
import Rows

/// The options of the built-in formats, each described once.
enum OptionKeys {
  static let delimiter = ExporterDescriptor.Option(
    "delimiter", "CHARACTER",
    "Field delimiter: an ASCII character, or comma, tab, semicolon, pipe, space [default: comma]")
  static let lineEnding = ExporterDescriptor.Option(
    "line-ending", words(CSVStyle.LineEnding.self), "Line ending [default: lf]")
  static let null = ExporterDescriptor.Option(
    "null", "TEXT", "Text to write for null; equal text is quoted [default: empty field]")
  static let headers = ExporterDescriptor.Option(
    "headers", "yes|no", "Write a header row [default: yes]")
  static let nested = ExporterDescriptor.Option(
    "nested", words(CSVStyle.Nested.self),
    "Write lists and JSON values as JSON text, joined by semicolons, or spread over columns [default: json]")
  static let formulas = ExporterDescriptor.Option(
    "formulas", words(CSVStyle.Formulas.self), "Text that a spreadsheet would treat as a formula [default: keep]")
  static let excel = ExporterDescriptor.Option(
    "excel", "yes|no", "Write for Excel: byte order mark, CRLF, escaped formulas [default: no]")
  static let nonfinite = ExporterDescriptor.Option(
    "nonfinite", words(NonfinitePolicy.self), "NaN and infinities: fail, write null, or write as text [default: error]")

  private static func words<Choice: RawRepresentable & CaseIterable>(_ type: Choice.Type) -> String
  where Choice.RawValue == String {
    type.allCases.map(\.rawValue).joined(separator: "|")
  }
}

extension ExportOptions {
  /// The choice typed for `option`, or the default.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ option: ExporterDescriptor.Option, default usual: Choice
  ) throws(Problem) -> Choice where Choice.RawValue == String {
    guard let word = values[option.key] else { return usual }
    guard let choice = Choice(rawValue: word) else { throw option.problem(with: word) }
    return choice
  }

  /// Whether `yes` or `no` was typed for `option`, or the default.
  func flag(_ option: ExporterDescriptor.Option, default usual: Bool) throws(Problem) -> Bool {
    switch values[option.key] {
    case nil: return usual
    case "yes": return true
    case "no": return false
    case let word?: throw option.problem(with: word)
    }
  }
}

extension ExporterDescriptor.Option {
  /// The problem with a word that is not one of the choices.
  func problem(with word: String) -> Problem {
    let words = choices ?? []
    return Problem(
      .usage, "invalid value “\(word)” for option \(key)",
      hint: .choose(word, from: words, "expected one of"))
  }
}
