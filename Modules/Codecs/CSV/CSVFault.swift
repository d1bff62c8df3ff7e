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
      message: "a quote inside a field that does not begin with one", offset: offset,
      hint: "quote the whole field and double its quotes")
  }
  static func bareReturn(at offset: Int) -> CSVFault {
    CSVFault(
      message: "a carriage return without a line feed, outside quotes", offset: offset,
      hint: "quote the field it is in")
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
