import Codecs
import Domain
import Rows

/// The options of the built-in formats, each described once.
enum OptionKeys {
  static let delimiter = ExporterDescriptor.Option(
    "delimiter", "CHARACTER", "What separates fields: one ASCII character, or tab, semicolon, pipe (default: a comma)")
  static let lineEnding = ExporterDescriptor.Option(
    "line-ending", words(CSVStyle.LineEnding.self), "What ends a record (default: lf)")
  static let null = ExporterDescriptor.Option(
    "null", "TEXT", "What stands for null; a text equal to it is quoted (default: an empty field)")
  static let headers = ExporterDescriptor.Option(
    "headers", "yes|no", "Whether the first line names the columns (default: yes)")
  static let nested = ExporterDescriptor.Option(
    "nested", words(CSVStyle.Nested.self),
    "Lists and JSON values as JSON text, joined by semicolons, or spread over columns (default: json)")
  static let formulas = ExporterDescriptor.Option(
    "formulas", words(CSVStyle.Formulas.self), "Text that a spreadsheet would take for a formula (default: keep)")
  static let excel = ExporterDescriptor.Option(
    "excel", "yes|no", "For Excel: byte order mark, CRLF, formulas escaped (default: no)")
  static let nonfinite = ExporterDescriptor.Option(
    "nonfinite", words(NonfinitePolicy.self), "NaN and the infinities: refused, as null, or as text (default: error)")

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
    let nearest = Nearest.word(to: word, among: words).map { "did you mean \($0)? " } ?? ""
    return Problem(
      .usage, "\(key): no choice “\(word)”", hint: "\(nearest)there are: \(words.joined(separator: ", "))")
  }
}
