import Rows

/// An error in CSV text with its offset; becomes a `Problem` when the name and the line are known.
struct CSVSyntaxError: Error {
  let message: String
  /// Offset of the byte at fault, in the arena.
  let offset: Int
  var hint = Remedy()
  /// Whether it was found in a record, rather than in the bytes of many.
  var isInRecord = true
  /// The column (of the file) whose type a value does not fit.
  var column: Int?
  /// That value, if it is short and without digits, as marks of missing values are.
  var value: String?
  /// Whether it is a quote inside an unquoted field.
  var isStrayQuote = false
}

/// The rules that hold for the header as for every record.
extension CSVSyntaxError {
  private static let doubling: Remedy = [
    "inside a quoted field, write a quote as two quotes", .repairing,
  ]
  static func unclosedQuote(at offset: Int) -> CSVSyntaxError {
    CSVSyntaxError(
      message: "unterminated quoted field", offset: offset, hint: doubling)
  }
  static func textBehindQuote(at offset: Int) -> CSVSyntaxError {
    CSVSyntaxError(
      message: "unexpected text after a closing quote", offset: offset,
      hint: doubling)
  }
  static func strayQuote(at offset: Int) -> CSVSyntaxError {
    CSVSyntaxError(
      message: "unexpected quote in an unquoted field", offset: offset,
      hint: ["quote the whole field and double its quotes", .omit(.strictQuotes)], isStrayQuote: true)
  }
  static func bareReturn(at offset: Int) -> CSVSyntaxError {
    CSVSyntaxError(
      message: "carriage return without line feed outside quotes", offset: offset,
      hint: ["quote the field; if lines end in CR alone, convert them: tr '\\r' '\\n'", .repairing])
  }
  /// - Parameter name: the field's column; nil when it is not known yet.
  static func fieldTooLong(_ name: String?, maximum: Int, at offset: Int) -> CSVSyntaxError {
    CSVSyntaxError(
      message: "\(name.map { "the value of “\($0)”" } ?? "the field") is larger than \(maximum >> 20) MiB",
      offset: offset, hint: .raise(.maximumField))
  }
  static func recordTooLong(maximum: Int, at offset: Int) -> CSVSyntaxError {
    CSVSyntaxError(
      message: "the record is larger than \(2 * maximum >> 20) MiB", offset: offset,
      hint: .raise(.maximumField).after("a record may have twice the size of a value"))
  }
  /// - Parameters:
  ///   - found: the fields of the record; nil for more than expected.
  ///   - isAfterBlank: whether another table may begin here.
  static func ragged(
    _ found: Int?, of width: Int, at offset: Int, isAfterBlank: Bool = false
  ) -> CSVSyntaxError {
    let tables: Remedy = isAfterBlank ? .set(.tableNumber, to: "1", "2") : ""
    return CSVSyntaxError(
      message: "expected \(width) field\(width == 1 ? "" : "s"), found \(found.map(String.init) ?? "more")",
      offset: offset,
      hint: [tables, .repairing, .set(.raggedRows, to: "both")])
  }
  static func tooManyColumns(at offset: Int) -> CSVSyntaxError {
    CSVSyntaxError(message: "the header has more than \(CSVReading.maximumColumns) columns", offset: offset)
  }
  /// - Parameter byte: the position in the file.
  static func notUTF8(byte: Int, at offset: Int) -> CSVSyntaxError {
    CSVSyntaxError(
      message: "invalid UTF-8 at byte \(byte)", offset: offset,
      // UTF-16 begins with a byte that UTF-8 does not have.
      hint: byte == 0
        ? "convert the file to UTF-8; if it is UTF-16, use: iconv -f UTF-16 -t UTF-8"
        : [
          .repairing, .set(.inputEncoding, to: "windows-1252"),
          .set(.invalidUTF8, to: "replace", for: "lose the character"),
        ],
      isInRecord: false)
  }
}
