import Codecs

package struct SheetCell {
  package enum Value {
    /// An empty cell that has no format either: a null that a program wrote on purpose.
    case null
    /// A range of the row's bytes.
    case text(Int, Int)
    /// An error such as `#DIV/0!`: a range of the row's bytes.
    case error(Int, Int)
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
    /// The same in UTC.
    case instant(Int, Int)
    /// A time of day or an elapsed time, as text: a range of the row's bytes.
    case time(Int, Int)
  }
  /// The column, from 0.
  package var column: Int
  package var value: Value
}

extension ValueKinds {
  package init(_ value: SheetCell.Value) {
    switch value {
    case .null: self = []
    case .text, .error, .shared, .time: self = .text
    case .boolean: self = .lowerWord
    case .integer: self = .integer
    case .real: self = .real
    case .literal: self = .decimal
    case .date: self = .day
    case .dateTime: self = .local
    case .instant: self = .instant
    }
  }
}
