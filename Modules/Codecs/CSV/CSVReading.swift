internal import CMasks
public import Rows

/// The options for reading CSV text as a table.
public struct CSVReading: Sendable, Hashable {
  /// The separator of fields: one ASCII character.
  public var delimiter: UInt8 = UInt8(ascii: ",")
  /// Whether the first record names the columns; else they are called `names`.
  public var hasHeader = true
  /// The columns of a file without a header, in its order; nil for `column1`, `column2`, ….
  public var names: [String]?
  /// Whether an empty field without quotes is the empty text rather than null.
  public var emptyIsText = false
  /// Fields without quotes that mean null as well.
  public var nullTexts: [[UInt8]] = []
  /// The separators of the fraction of a number, and of groups of its digits; nil for a point, and for no groups.
  public var decimalSeparator: UInt8?, thousands: UInt8?
  /// The spelling of numbers; nil for that of JSON.
  var numbers: NumberPattern? { NumberPattern(point: decimalSeparator ?? UInt8(ascii: "."), group: thousands) }
  /// The reading of a column whose values have a pattern; nil if there is no such pattern.
  public func column(_ type: ColumnType, pattern: String) -> CSVWColumn? {
    if let mark = NumberPattern.Mark(rawValue: pattern) { return CSVWColumn(.marked(numbers ?? .commaPoint, mark)) }
    return DatePattern(any: pattern).map { CSVWColumn(.pattern($0, type)) }
  }
  /// Whether bytes that are not UTF-8 become U+FFFD rather than a problem.
  public var replacesBadEncoding = false
  /// Types of columns, by name, that are not to be inferred.
  public var types: ColumnTypes = [:]
  /// The columns whose types are inferred; nil for all.
  public var inferred: NeededTypes?
  /// Whether times in several spellings have a type: the cells then end with the spellings.
  public var keepsSpellings = false
  /// Summaries, units and roles of columns, by name.
  public var annotations: [ColumnDescription] = []
  /// The names of the required columns; nil for all. Unknown names are ignored.
  public var columns: [String]?
  /// Whether each line is a record, in the parts of a file: a line break in a field is refused.
  public var areLines = false
  /// The most bytes that one field may have; a record may have twice as many.
  public var maximumField = 16 << 20
  /// Whether a quote inside an unquoted field is refused; otherwise it is kept and counted in the stream's notes.
  public var isStrict = false
  /// A field without quotes that means null in a file of one column, for files of earlier versions; nil for none.
  public var loneNullText: [UInt8]?

  /// The most columns of a file.
  public static let maximumColumns = 10_000

  /// The usual way: commas, a header, everything as it is found.
  public init() {}
}

/// The treatment of a quote inside an unquoted field.
enum CSVStrayQuotes: Sendable {
  case refused
  /// Not expected, so that cutting the file only counts quotes. If one occurs, the file is read again.
  case unexpected
  /// Part of the field.
  case kept
}

/// Whole records of a file, to be parsed on any core.
struct CSVPiece: ~Copyable, Sendable {
  /// The text, which begins at `start`; the last record ends with a line feed.
  var text: ArenaBuilder
  /// The offset of the first record.
  let start: Int
  /// The place of the first record in the file.
  let place: JSONPlace

  func place(of offset: Int) -> JSONPlace {
    place.advanced(over: text, from: start, to: max(start, min(offset, text.count)))
  }

  /// The records that begin in a range of the file's bytes; nil if there are none.
  consuming func records(in range: Range<Int>, _ delimiter: UInt8) -> CSVPiece? {
    let first = place.offset, end = first + text.count - start
    if first >= range.lowerBound, end <= range.upperBound { return self }
    guard end > range.lowerBound, first < range.upperBound else { return nil }
    let from = first >= range.lowerBound ? start : border(from: start + range.lowerBound - first, delimiter)
    let to = end <= range.upperBound ? text.count : border(from: start + range.upperBound - first, delimiter)
    guard from < to else { return nil }
    text.truncate(to: to)
    return dropping(before: from)
  }

  /// The first place at or after `offset` where a record begins.
  private func border(from offset: Int, _ delimiter: UInt8) -> Int {
    var isInside = false, isQuoted = false, fieldStart = start
    for at in start..<text.count {
      let byte = unsafe text.base[at]
      if byte == UInt8(ascii: "\"") {
        if at == fieldStart { isQuoted = true }
        if isQuoted { isInside.toggle() }
      } else if !isInside, byte == delimiter || byte == 0x0A {
        (fieldStart, isQuoted) = (at + 1, false)
        if byte == 0x0A, at + 1 >= offset { return at + 1 }
      }
    }
    return text.count
  }

  /// The place of a line feed in a quoted field; nil if there is none.
  func brokenLine(_ delimiter: UInt8) -> Int? {
    guard unsafe bb_count_byte(text.base + start, text.count - start, UInt8(ascii: "\"")) > 0 else { return nil }
    var isInside = false, isQuoted = false, fieldStart = start
    for at in start..<text.count {
      let byte = unsafe text.base[at]
      if byte == UInt8(ascii: "\"") {
        if at == fieldStart { isQuoted = true }
        if isQuoted { isInside.toggle() }
      } else if byte == 0x0A, isInside {
        return at
      } else if !isInside, byte == delimiter || byte == 0x0A {
        (fieldStart, isQuoted) = (at + 1, false)
      }
    }
    return nil
  }

  /// The records from `offset` on.
  consuming func dropping(before offset: Int) -> CSVPiece {
    let place = place(of: offset)
    return CSVPiece(text: text, start: offset, place: place)
  }
}
