/// What is wrong with CSV text, and where; becomes a `Problem` once the name and the line are known.
struct CSVFault: Error {
  let message: String
  /// Offset of the byte at fault, in the chunk.
  let offset: Int
  var hint = ""
  /// Whether it was found in a record, rather than in the bytes of many.
  var isInRecord = true
  /// The column (of the file) whose type a value does not fit.
  var column: Int?
  /// Whether it is a quote inside an unquoted field.
  var isStrayQuote = false
}

/// The rules that hold for the header as for every record.
extension CSVFault {
  static func unclosedQuote(at offset: Int) -> CSVFault {
    CSVFault(
      message: "a quote is opened here and never closed", offset: offset, hint: "a field's own quotes are doubled")
  }
  static func textBehindQuote(at offset: Int) -> CSVFault {
    CSVFault(
      message: "text stands behind the quote that closes a field", offset: offset,
      hint: "a field's own quotes are doubled")
  }
  static func strayQuote(at offset: Int) -> CSVFault {
    CSVFault(
      message: "unexpected quote in an unquoted field", offset: offset,
      hint: "quote the whole field and double its quotes, or omit --strict-csv", isStrayQuote: true)
  }
  static func bareReturn(at offset: Int) -> CSVFault {
    CSVFault(
      message: "a carriage return without a line feed, outside quotes", offset: offset,
      hint: "quote the field it is in")
  }
  /// - Parameter name: the field's column; nil when it is not known yet.
  static func fieldTooLong(_ name: String?, maximum: Int, at offset: Int) -> CSVFault {
    CSVFault(
      message: "\(name.map { "the value of “\($0)”" } ?? "the field") is larger than \(maximum >> 20) MiB",
      offset: offset, hint: "raise the limit with --max-field")
  }
  static func recordTooLong(maximum: Int, at offset: Int) -> CSVFault {
    CSVFault(
      message: "the record is larger than \(2 * maximum >> 20) MiB", offset: offset,
      hint: "raise the limit with --max-field: a record may have twice as much")
  }
  /// - Parameter found: the fields of the record; nil for more than expected.
  static func ragged(_ found: Int?, of width: Int, at offset: Int) -> CSVFault {
    CSVFault(
      message: "expected \(width) field\(width == 1 ? "" : "s"), found \(found.map(String.init) ?? "more")",
      offset: offset)
  }
  static func tooManyColumns(at offset: Int) -> CSVFault {
    CSVFault(message: "the header has more than \(CSVReading.maximumColumns) columns", offset: offset)
  }
  /// - Parameter byte: the position in the file.
  static func notUTF8(byte: Int, at offset: Int) -> CSVFault {
    CSVFault(
      message: "byte \(byte) of the file is not UTF-8", offset: offset,
      // UTF-16 begins with a byte that UTF-8 does not have.
      hint: byte == 0
        ? "convert the file: iconv -f UTF-16 -t UTF-8, if that is what it is"
        : "convert the file, or say --encoding-errors replace", isInRecord: false)
  }
}
