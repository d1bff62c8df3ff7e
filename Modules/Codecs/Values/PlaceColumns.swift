public import Rows

/// Where a table says what a map shows: the columns of a place.
public struct PlaceColumns: Sendable {
  package let latitude: Int
  package let longitude: Int
  /// Position of the name, if there is one.
  public let name: Int?
  /// The position of the comment column, if there is one.
  package let comment: Int?
  /// Position of the time stamp of the place, if there is one: `time` or `created_at`.
  package let time: Int?
  /// The position of what other programs wrote, if there is such a column.
  package let extra: Int?
  /// Positions of all other columns, in order, the time among them.
  package let others: [Int]

  /// The columns of `schema`, found by their names.
  /// - Throws: `usage` for a table without coordinates; `format` is the word for the format that needs them.
  public init(_ schema: Schema, format: String) throws(Problem) {
    func find(_ names: String...) -> Int? {
      names.lazy.compactMap { name in schema.columns.firstIndex { $0.name.lowercased() == name } }.first
    }
    guard let latitude = find("latitude", "lat"), let longitude = find("longitude", "lon", "lng", "long") else {
      throw Problem(
        .usage, "\(format) requires latitude and longitude columns, which \(schema.name) does not have",
        hint: "export places, or choose another format")
    }
    let name = find("name", "title"), comment = find("comment", "description", "desc")
    time = find("time", "created_at").flatMap { schema.columns[$0].type == .timestamp ? $0 : nil }
    self.latitude = latitude
    self.longitude = longitude
    self.name = name
    self.comment = comment
    let extra = ForeignMembers.position(in: schema)
    self.extra = extra
    others = schema.columns.indices.filter { ![latitude, longitude, name, comment, extra].contains($0) }
  }

  /// A coordinate in plain decimal notation, as maps require; nil if it is null.
  /// - Throws: `badData` for a value that is not a number, or out of range (`-limit` to `limit`).
  package func coordinate(
    _ batch: RowBatch, _ row: Int, _ column: Int, limit: Double, _ schema: Schema
  ) throws(Problem) -> [UInt8]? {
    let cell = batch[row, column]
    if cell.isNull { return nil }
    var text = ByteBuffer(capacity: 64)
    DisplayText.appendPlain(cell, batch.arena, to: &text)
    let bytes = text.bytes()
    if Self.isPlain(bytes, below: Int(limit)) { return bytes }
    guard let number = DecimalLiteral(bytes), let value = Double(String(decoding: bytes, as: UTF8.self)),
      abs(value) <= limit
    else {
      throw Problem(
        .badData, "column \(schema.columns[column].name): expected a number from -\(Int(limit)) to \(Int(limit))",
        record: row)
    }
    return number.plain
  }

  /// Whether a text is a number without an exponent whose integer part shows that it is within `limit`.
  private static func isPlain(_ text: [UInt8], below limit: Int) -> Bool {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text[...]
    var whole = 0, point = digits.endIndex
    for place in digits.indices {
      let digit = Int(digits[place]) - 48
      if digit == -2, point == digits.endIndex, place > digits.startIndex, place < digits.endIndex - 1 {
        point = place
      } else {
        guard 0..<10 ~= digit else { return false }
        if place < point { whole = min(limit, whole * 10 + digit) }
      }
    }
    return !digits.isEmpty && whole < limit && (digits.first != 48 || point == digits.startIndex + 1)
  }
}

extension DecimalLiteral {
  /// The number without an exponent.
  fileprivate var plain: [UInt8] {
    (isNegative ? [UInt8(ascii: "-")] : []) + whole + (fraction.isEmpty ? [] : [UInt8(ascii: ".")] + fraction)
  }
}
