/// The records of a sample in a dialect, as ranges of it.
struct SampleScan {
  struct Row {
    /// The position of its first field, and their number.
    var first: Int, count: Int
    /// 1 if it cannot be read, 0.25 if it is odd.
    var bad: Double
    var start: Int
  }

  let parser: RecordParser
  private(set) var fields: [RecordParser.Field] = []
  private(set) var rows: [Row] = []
  /// Where the last record ends.
  let end: Int

  /// Records longer than this are taken for text that the dialect does not fit.
  private static let longest = 20_000

  /// - Parameter limit: the most records.
  init(_ text: Span<UInt8>, _ dialect: CSVDialect, limit: Int, isWhole: Bool) {
    var parser = RecordParser(dialect), plain = dialect
    plain.quote = nil
    plain.escape = .double
    var lines = RecordParser(plain)
    var at = dialect.separatorLine, faults = 0
    while at < text.count, rows.count < limit {
      var used = (try? parser.parse(text, at, isAtEnd: isWhole)) != nil
      if !used {
        if at > dialect.separatorLine { break }
        used = (try? parser.parse(text, at, isAtEnd: true)) != nil
      }
      let row: Row
      if parser.isBad {
        guard (try? lines.parse(text, at, isAtEnd: true)) != nil else { break }
        row = Row(first: fields.count, count: lines.fields.count, bad: 1, start: at)
        fields += lines.fields
        at = lines.next
        faults += 1
        if rows.count >= 50, faults * 2 > rows.count { break }
      } else {
        let bad = parser.fault != nil ? 0.25 : parser.next - at > Self.longest ? 1 : 0
        row = Row(first: fields.count, count: parser.fields.count, bad: bad, start: at)
        fields += parser.fields
        at = parser.next
      }
      rows.append(row)
    }
    self.parser = parser
    end = at
  }

  subscript(_ row: Row, _ column: Int) -> RecordParser.Field { fields[row.first + column] }

  func fields(of row: Row) -> ArraySlice<RecordParser.Field> { fields[row.first..<row.first + row.count] }

  /// Fields that are not blank.
  func filled(_ text: Span<UInt8>, _ row: Row) -> Int {
    fields(of: row).reduce(0) { $0 + (isBlank(text, $1) ? 0 : 1) }
  }

  /// Whether the record has nothing but blanks.
  func isEmpty(_ text: Span<UInt8>, _ row: Row) -> Bool { filled(text, row) == 0 }

  /// Whether the record is an empty line or only white space.
  func isBlankLine(_ text: Span<UInt8>, _ row: Row) -> Bool { row.count == 1 && isBlank(text, fields[row.first]) }

  func isBlank(_ text: Span<UInt8>, _ field: RecordParser.Field) -> Bool {
    for index in field.start..<field.end where !CellKind.isSpace(text[index]) { return false }
    return true
  }

  /// Whether a record begins with `mark`.
  func begins(_ text: Span<UInt8>, _ row: Row, with mark: [UInt8]) -> Bool {
    let field = fields[row.first]
    guard !field.isQuoted, field.end - field.start >= mark.count else { return false }
    for index in mark.indices where text[field.start + index] != mark[index] { return false }
    return true
  }

  func values(_ text: Span<UInt8>, _ row: Row) -> [[UInt8]] {
    var values: [[UInt8]] = []
    for field in fields(of: row) { values.append(parser.value(text, field)) }
    return values
  }
}

/// The number of records of each width.
struct WidthCounts {
  private(set) var counts: [Int: Int] = [:]

  mutating func add(_ width: Int) { counts[width, default: 0] += 1 }

  /// The widest of the frequent widths: records may be short at the end, where trailing empty fields are not always
  /// written. 0 if there are no records.
  var likely: Int {
    func weight(_ width: Int, _ count: Int) -> Double { Double(count) * (1 - 1 / (Double(width) + 0.15)) }
    return counts.max { left, right in
      (weight(left.key, left.value), left.key) < (weight(right.key, right.value), right.key)
    }?.key ?? 0
  }
}
