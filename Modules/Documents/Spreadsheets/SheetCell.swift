import Rows

/// A cell of a sheet that has a value.
struct SheetCell {
  enum Value {
    /// An empty cell that has no format either: a null that a program wrote on purpose.
    case null
    /// A range of the row's bytes.
    case text(Int, Int)
    /// An error such as `#DIV/0!`: a range of the row's bytes.
    case error(Int, Int)
    /// A shared string.
    case shared(Int)
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// A number beyond those: a range of the row's bytes.
    case literal(Int, Int)
    /// A whole day, as text: a range of the row's bytes.
    case date(Int, Int)
    /// A day and a time, as text: a range of the row's bytes.
    case dateTime(Int, Int)
    /// A time of day or an elapsed time, as text: a range of the row's bytes.
    case time(Int, Int)
  }
  /// The column, from 0.
  var column: Int
  var value: Value
}

/// The kinds of values of a column.
struct SheetKinds: OptionSet {
  let rawValue: UInt8
  static let integer = SheetKinds(rawValue: 1), real = SheetKinds(rawValue: 2), literal = SheetKinds(rawValue: 4)
  static let boolean = SheetKinds(rawValue: 8), date = SheetKinds(rawValue: 16), text = SheetKinds(rawValue: 32)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init(_ value: SheetCell.Value) {
    switch value {
    case .null: self = []
    case .text, .error, .shared, .dateTime, .time: self = .text
    case .boolean: self = .boolean
    case .integer: self = .integer
    case .real: self = .real
    case .literal: self = .literal
    case .date: self = .date
    }
  }

  /// The narrowest type that keeps every value; numbers with and without a fraction keep their shortest text.
  var type: ColumnType {
    switch self {
    case .integer: .integer
    case .real: .real
    case .boolean: .boolean
    case .date: .date
    default: !isEmpty && isSubset(of: [.integer, .real, .literal]) ? .decimal : .text
    }
  }
}
