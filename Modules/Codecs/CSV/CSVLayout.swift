import Rows

/// Which columns a file has, and where each value goes. Shared by all who parse pieces of it.
struct CSVLayout: Sendable {
  /// The kind of values that a column accepts.
  enum Kind: Sendable {
    case text, integer, real, decimal, boolean, date, time, respelled, other

    var isNumber: Bool { self == .integer || self == .real || self == .decimal }
  }

  struct Column: Sendable {
    let name: String
    let type: ColumnType
    let kind: Kind
    let isNullable: Bool
    let spelling: ValueSpelling
    /// The position in the row; -1 if the value is not needed.
    let slot: Int
    /// Whether the type was found by looking at values, so that it may not be the last word.
    let isInferred: Bool
    /// Whether numbers are rounded to Doubles.
    let isRounded: Bool
  }

  let columns: [Column]
  let width: Int
  let reading: CSVReading
  /// The treatment of a quote inside an unquoted field.
  let strayQuotes: CSVStrayQuotes

  /// A layout for all columns of `schema`, of which only those at `wanted` go into the rows, in that order.
  init(_ schema: Schema, wanted: [Int], inferred: Set<Int>, reading: CSVReading, _ strayQuotes: CSVStrayQuotes) {
    var slots = [Int](repeating: -1, count: schema.width)
    for (slot, position) in wanted.enumerated().reversed() { slots[position] = slot }
    columns = schema.columns.enumerated().map { position, column in
      var kind: Kind =
        switch column.type {
        case .text, .url: .text
        case .integer: .integer
        case .real: .real
        case .decimal: .decimal
        case .boolean: .boolean
        case .date: .date
        case .timestamp, .datetime: .time
        case .bytes, .list, .json: .other
        }
      if column.spelling.isRespelled { kind = .respelled }
      return Column(
        name: column.name, type: column.type, kind: kind, isNullable: column.isNullable,
        spelling: column.spelling, slot: slots[position],
        isInferred: inferred.contains(position), isRounded: reading.types.isRounded(column.name))
    }
    width = wanted.count
    self.reading = reading
    self.strayQuotes = strayQuotes
  }
}
