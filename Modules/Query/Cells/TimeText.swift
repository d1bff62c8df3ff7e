import Codecs
import Rows

/// Timestamps as text whose bytes are in the order of time.
///
/// A local time is one without a zone, whose last parts that are zero are omitted as well: 10:00 is 10:00:00, and
/// midnight the day. A timestamp is in UTC, and its fraction has any number of digits, so that its bytes are not in
/// this order: `.` precedes `Z`, and `.5` and `.50` are the same instant. Without the `Z` and the zeros before it they
/// are. A spelling of its own, which ends with the byte before the time, is omitted.
package enum TimeText {
  /// The length of the beginning of a time that has the order of time. Of a date, or any other text, it is the whole
  /// length.
  @inline(__always) static func length(_ text: ValueBytes) -> Int {
    var count = text.count &- 1
    guard count >= 15 else { return text.count }
    guard text.byte(at: count) == UInt8(ascii: "Z") else { return localLength(text) }
    guard count > 19, text.byte(at: 19) == UInt8(ascii: ".") else { return count }
    while text.byte(at: count &- 1) == UInt8(ascii: "0") { count &-= 1 }
    return text.byte(at: count &- 1) == UInt8(ascii: ".") ? count &- 1 : count
  }

  @inline(never) private static func localLength(_ text: ValueBytes) -> Int {
    var count = text.count
    let value = valueLength(text)
    if value < count { return length(text.prefix(value)) }
    guard text.byte(at: 10) == UInt8(ascii: "T"), text.byte(at: 13) == UInt8(ascii: ":") else { return count }
    func isZero(_ place: Int) -> Bool { text.byte(at: place) == UInt8(ascii: "0") }
    if count > 20, text.byte(at: 19) == UInt8(ascii: ".") {
      while isZero(count - 1) { count -= 1 }
      if count == 20 { count = 19 }
    }
    if count == 19, isZero(17), isZero(18) { count = 16 }
    return count == 16 && isZero(11) && isZero(12) && isZero(14) && isZero(15) ? 10 : count
  }

  /// The length of a time without its own spelling.
  fileprivate static func valueLength(_ text: ValueBytes) -> Int {
    let last = text.count - 1
    guard last > 10, case let mark = text.byte(at: last) & ~1, mark == UInt8(ascii: " ") || mark == UInt8(ascii: "T")
    else { return text.count }
    return (10..<last).first { text.byte(at: $0) == UInt8(ascii: "Z") }.map { $0 + 1 } ?? last
  }

  /// A timestamp without what follows this beginning.
  package static func ordered(_ text: [UInt8]) -> [UInt8] { Array(text.prefix(text.withValueBytes(length))) }

  /// Negative, zero or positive as the first of two times, each a length and a pointer, is earlier than, the same as or
  /// later than the other: a collation of SQLite.
  package static func compare(
    _: UnsafeMutableRawPointer?, _ count: Int32, _ a: UnsafeRawPointer?, _ other: Int32, _ b: UnsafeRawPointer?
  ) -> Int32 {
    let (a, b) = unsafe (ValueBytes(start: a, count: Int(count)), ValueBytes(start: b, count: Int(other)))
    return Int32(a.prefix(length(a)).order(to: b.prefix(length(b))))
  }
}

extension CellReader {
  /// A time without its own spelling.
  func unspelled(_ cell: Cell) -> Cell {
    guard case .text(let start, let length) = cell else { return cell }
    return .text(start, UInt32(truncatingIfNeeded: TimeText.valueLength(value(start, length))))
  }

  /// A timestamp as the text that has the order of time; other cells as they are.
  @inline(__always) func time(_ cell: Cell) -> Cell {
    guard case .text(let start, let length) = cell else { return cell }
    return .text(start, UInt32(truncatingIfNeeded: TimeText.length(value(start, length))))
  }
}

/// A date or a time, maybe partial, which values are compared with.
struct DateBound: Sendable {
  let text: [UInt8]
  /// The beginning of the values that fall in it; nil for an instant.
  private let beginning: [UInt8]?
  /// Whether it begins with an instant, which is a value of the column: those who are equal are within.
  private let isTime: Bool

  /// A date, of a column of dates; nil for other text.
  init?(date: [UInt8]) {
    guard Dates.isDate(date) else { return nil }
    (text, beginning, isTime) = (date, date, false)
  }

  /// A timestamp with any offset, or a time that is partial: `2024`, `2024-05-17`, `2024-05-17T08:15`; nil for other
  /// text.
  init?(time: [UInt8]) {
    if let instant = Dates.utc(time) {
      (text, beginning, isTime) = (TimeText.ordered(instant), nil, true)
    } else if Dates.isDate(time) {
      (text, beginning, isTime) = (time, time, true)
    } else {
      let rest: String
      switch time.count {
      case 13: rest = ":00:00Z"
      case 16: rest = ":00Z"
      default: rest = "Z"
      }
      let whole = time + Array(rest.utf8)
      guard Dates.isTimestamp(whole) else { return nil }
      (text, beginning, isTime) = (time.count > 19 ? TimeText.ordered(whole) : time, time, true)
    }
  }

  /// A date, or a time without a zone: `2024-05-17`, `2024-05-17 08:15`; nil for other text.
  init?(local: [UInt8]) {
    var time = local
    if time.count > 10, time[10] == UInt8(ascii: " ") { time[10] = UInt8(ascii: "T") }
    guard Dates.isDate(time) || Dates.isDatetime(time.count == 13 ? time + Array(":00".utf8) : time) else { return nil }
    (text, beginning, isTime) = (time.count == 13 ? time : TimeText.ordered(time), time, true)
  }

  /// Whether a value is the same, or within it.
  @inline(__always) func holds(_ value: ValueBytes) -> Bool {
    if let beginning, value.count >= beginning.count,
      beginning.withValueBytes({ value.prefix(beginning.count).order(to: $0) }) == 0
    {
      return true
    }
    return isTime && text.withValueBytes(value.order) == 0
  }

  /// The order of a value and the bound. What begins with the bound comes after it.
  @inline(__always) func order(_ value: ValueBytes) -> Int {
    let order = text.withValueBytes(value.order)
    return order == 0 && isTime && beginning != nil ? 1 : order
  }
}
