import Conformance
import Domain

/// A reader of CSV by the book, byte by byte, that keeps whether a field was quoted: the second opinion beside bb's
/// own.
enum PlainCSV {
  struct Field: Equatable {
    var bytes: [UInt8] = []
    var isQuoted = false
  }

  /// The records of a document; a line end outside quotes is LF or CRLF.
  static func records(_ document: [UInt8], delimiter: UInt8) throws -> [[Field]] {
    var records: [[Field]] = [], record: [Field] = [], field = Field()
    var isInside = false, position = 0
    while position < document.count {
      let byte = document[position]
      let next: UInt8? = position + 1 < document.count ? document[position + 1] : nil
      position += 1
      if isInside {
        if byte != UInt8(ascii: "\"") {
          field.bytes.append(byte)
        } else if next == UInt8(ascii: "\"") {
          field.bytes.append(byte)
          position += 1
        } else {
          isInside = false
        }
      } else if byte == UInt8(ascii: "\"") {
        guard field == Field() else { throw LawViolation("a quote inside a field at byte \(position - 1)") }
        field.isQuoted = true
        isInside = true
      } else if byte == delimiter {
        record.append(field)
        field = Field()
      } else if byte == 0x0A || byte == 0x0D && next == 0x0A {
        if byte == 0x0D { position += 1 }
        records.append(record + [field])
        (record, field) = ([], Field())
      } else {
        guard byte != 0x0D, !field.isQuoted else { throw LawViolation("byte \(byte) at \(position - 1)") }
        field.bytes.append(byte)
      }
    }
    guard !isInside, record.isEmpty, field == Field() else { throw LawViolation("the document ends in a record") }
    return records
  }

  /// The rows of a document with a header, typed by the schema; `null` is what stands for null without quotes.
  static func rows(
    _ document: [UInt8], _ schema: Schema, delimiter: UInt8, null: [UInt8]
  ) throws -> [[Value]] {
    if document.starts(with: [0xEF, 0xBB, 0xBF]) { throw LawViolation("the document begins with a byte order mark") }
    let records = try records(document, delimiter: delimiter)
    let names = schema.columns.map { Array($0.name.utf8) }
    guard let header = records.first, header.map(\.bytes) == names else { throw LawViolation("the header differs") }
    return try records.dropFirst().map { record in
      guard record.count == schema.width else { throw LawViolation("\(record.count) fields, not \(schema.width)") }
      return try zip(record, schema.columns).map { field, column in
        try value(field, column.type, null: schema.width == 1 && null.isEmpty ? Array("\\N".utf8) : null)
      }
    }
  }

  private static func value(_ field: Field, _ type: ColumnType, null: [UInt8]) throws -> Value {
    if !field.isQuoted, field.bytes == null { return .null }
    switch type {
    case .integer, .real, .decimal: return .number(field.bytes)
    case .boolean: return .boolean(field.bytes == Array("true".utf8))
    case .bytes: return .bytes(try base64(field.bytes))
    case .list, .json: return .json(field.bytes)
    case .text, .date, .timestamp, .url: return .text(field.bytes)
    }
  }

  private static func base64(_ text: [UInt8]) throws -> [UInt8] {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bytes: [UInt8] = [], bits = 0, count = 0
    for byte in text where byte != UInt8(ascii: "=") {
      guard let digit = digits.firstIndex(of: byte) else { throw LawViolation("not base64") }
      bits = (bits << 6 | digit) & 0xFFFF
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(bits >> count & 0xFF))
      }
    }
    return bytes
  }
}
