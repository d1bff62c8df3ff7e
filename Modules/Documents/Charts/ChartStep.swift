import Codecs
import Rows

/// The distance between the ticks, bins or classes of a scale. They are at its multiples, which have indices.
///
/// The position of a number is its value; that of a time is the number of seconds since 1970.
package enum ChartStep: Sendable, Hashable {
  /// 1, 2, 5 or 25 times a power of ten.
  case number(Int, power: Int)
  /// Some seconds: up to a week, which begins on a Monday.
  case seconds(Int)
  /// Some months: up to centuries.
  case months(Int)

  static let day = 86_400, week = 604_800

  /// The steps of times, ascending.
  static let times: [ChartStep] =
    [1, 5, 15, 60, 300, 900, 3600, 10_800, 21_600, 43_200, day, week].map { .seconds($0) }
    + [1, 3, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000, 12_000, 24_000, 60_000, 120_000].map { .months($0) }

  /// The steps for values of a type; none for numbers.
  static func times(of type: ColumnType) -> [ChartStep] {
    type.isTime ? times : type == .date ? Array(times.drop { $0 != .seconds(day) }) : []
  }

  /// The steps of numbers from 10 to a power on, ascending.
  static func numbers(from power: Int, _ factors: [Int] = [1, 2, 5]) -> some Sequence<ChartStep> {
    (0...).lazy.map { .number(factors[$0 % factors.count], power: power + $0 / factors.count) }
  }

  /// The power of ten of a positive number's first digit; 0 for others.
  static func power(of value: Double) -> Int { (DecimalNumber(value)?.parts.exponent).map { $0 - 1 } ?? 0 }

  package func start(_ index: Int) -> Double {
    switch self {
    case .number(let factor, let power): Double("\(index * factor)e\(power)") ?? 0
    case .seconds(let count): Double(index * count + offset)
    case .months(let count):
      Double(CivilDate(year: month(index, count).0, month: month(index, count).1, day: 1).daysSince1970 * Self.day)
    }
  }

  /// Weeks begin on a Monday, as 1970-01-05 was.
  private var offset: Int { self == .seconds(Self.week) ? 4 * Self.day : 0 }

  private func month(_ index: Int, _ count: Int) -> (Int, Int) {
    let (year, month) = (index * count).quotientAndRemainderRoundingDown(dividingBy: 12)
    return (year, month + 1)
  }

  /// The last multiple that is not after a position.
  func index(of position: Double) -> Int {
    switch self {
    case .number(let factor, let power):
      let quotient = (position / (Double("\(factor)e\(power)") ?? 1)).rounded(.down)
      return Int(max(-4e18, min(4e18, quotient)))
    case .seconds, .months: return index(ofSecond: Int(position.rounded(.down)))
    }
  }

  /// The last multiple that is not after a time.
  func index(ofSecond second: Int) -> Int {
    switch self {
    case .number: return 0
    case .seconds(let count): return (second - offset).quotientAndRemainderRoundingDown(dividingBy: count).0
    case .months(let count):
      let date = CivilDate(daysSince1970: second.quotientAndRemainderRoundingDown(dividingBy: Self.day).0)
      return (date.year * 12 + date.month - 1).quotientAndRemainderRoundingDown(dividingBy: count).0
    }
  }

  /// The last multiple that is not after a number, exactly; nil if it is too large.
  func index(of number: DecimalNumber) -> Int? {
    guard case .number(let factor, let power) = self else { return nil }
    let (isNegative, digits, exponent) = number.parts
    let count = exponent - power
    if digits.isEmpty { return 0 }
    guard count <= 18 else { return nil }
    var value = 0
    for place in 0..<max(count, 0) { value = value * 10 + (place < digits.count ? Int(digits[place]) : 0) }
    // A negative number with more digits is below this one.
    if isNegative { value = -value - (digits.count > count ? 1 : 0) }
    return value.quotientAndRemainderRoundingDown(dividingBy: factor).0
  }

  package func text(_ index: Int) -> String {
    switch self {
    case .number:
      return ChartNumber.text(ChartNumber.exact(self, index))
    case .seconds(let count):
      let (days, second) = Int(start(index)).quotientAndRemainderRoundingDown(dividingBy: Self.day)
      let date = CivilDate(daysSince1970: days)
      let day = "\(Self.padded(date.year, 4))-\(Self.padded(date.month, 2))-\(Self.padded(date.day, 2))"
      if count % Self.day == 0 { return day }
      let time = "\(day)T\(Self.padded(second / 3600, 2)):\(Self.padded(second / 60 % 60, 2))"
      return count % 60 == 0 ? time : "\(time):\(Self.padded(second % 60, 2))"
    case .months(let count):
      let (year, month) = month(index, count)
      return count % 12 == 0 ? Self.padded(year, 4) : "\(Self.padded(year, 4))-\(Self.padded(month, 2))"
    }
  }

  static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
  }
}

/// An axis: ticks at multiples of a step, of which the first and the last enclose the data.
package struct ChartAxis: Sendable {
  package let step: ChartStep
  private let first: Int
  /// The number of ticks, 3 to 8.
  private let count: Int
  private let low: Double, high: Double

  /// The axis with the smallest step that has at most `most` ticks.
  /// - Parameter times: the steps of an axis of times; none for numbers.
  package init(covering range: ClosedRange<Double>, times: [ChartStep] = [], most: Int = 8) {
    let isTime = !times.isEmpty
    let least = range.lowerBound, greatest = range.upperBound, size = greatest - least
    func ends(_ step: ChartStep) -> (Int, Int) {
      let first = step.index(of: least), last = step.index(of: greatest)
      return (first, step.start(last) < greatest ? last + 1 : last)
    }
    let magnitude = size > 0 ? size / 1000 : max(abs(greatest), isTime ? 1 : 0.5) / 2
    let small = isTime ? (size > 0 ? times[0] : .seconds(ChartStep.day)) : .number(1, power: 0)
    var chosen = (small, ends(small))
    if isTime, size > 0 {
      for step in times {
        chosen = (step, ends(step))
        let isShort = step.start(1) - step.start(0) < Double(ChartStep.day)
        if chosen.1.1 - chosen.1.0 < (isShort ? min(4, most) : most) { break }
      }
    } else if !isTime {
      for step in ChartStep.numbers(from: ChartStep.power(of: magnitude)) {
        chosen = (step, ends(step))
        if chosen.1.1 - chosen.1.0 < most { break }
      }
    }
    var (first, last) = chosen.1
    while last - first < 2 { if greatest > 0 || least == 0 { last += 1 } else { first -= 1 } }
    (step, self.first, count) = (chosen.0, first, last - first + 1)
    (low, high) = (step.start(first), step.start(last))
  }

  /// The axis with the most ticks, at most `most`, whose texts do not touch on `length`, in tenths of a pixel.
  package init(covering range: ClosedRange<Double>, times: [ChartStep] = [], most: Int = 8, below length: Int) {
    let all = (3...most).reversed().lazy.map { Self(covering: range, times: times, most: $0) }
    self = all.first { $0.room * ($0.count - 1) <= length } ?? Self(covering: range, times: times, most: 3)
  }

  /// The width of the widest text, in tenths of a pixel.
  var room: Int { ChartText.room(ticks.map(\.text)) + 60 }

  package var ticks: [(position: Double, text: String)] {
    (first..<first + count).map { (step.start($0), step.text($0)) }
  }

  /// The place of a position on an axis of `length`.
  package func place(_ position: Double, on length: Int) -> Int {
    Int(((position - low) / (high - low) * Double(length)).rounded())
  }
}

/// A cell as a number or a time of a chart.
enum ChartNumber {
  case null
  /// Infinite, not a number, or too large to draw.
  case undrawn(String)
  case number(Double, DecimalNumber)
  case time(Int, isPartial: Bool, String)

  /// The largest number that is drawn.
  private static let most = 1e300

  init(_ cell: Cell, _ arena: Arena) {
    switch cell {
    case .null: self = .null
    case .boolean(let value): self = .number(value ? 1 : 0, DecimalNumber(value ? 1 : 0))
    case .text(let start, let length):
      let text = arena.bytes(start, length), string = String(decoding: text, as: UTF8.self)
      guard let day = Dates.day(of: Array(text.prefix(10))) else {
        self = .undrawn(string)
        return
      }
      func part(_ at: Int) -> Int { text.count >= at + 2 ? Int(text[at] &- 48) * 10 + Int(text[at + 1] &- 48) : 0 }
      self = .time(
        day * ChartStep.day + part(11) * 3600 + part(14) * 60 + part(17), isPartial: text.count < 10, string)
    default:
      let exact: DecimalNumber?
      switch cell {
      case .integer(let value): exact = DecimalNumber(value)
      case .real(let value): exact = DecimalNumber(value)
      default: exact = DecimalNumber(Self.plain(cell, arena))
      }
      guard let exact, abs(Self.value(of: exact)) <= Self.most else {
        self = .undrawn(String(decoding: Self.plain(cell, arena), as: UTF8.self))
        return
      }
      self = .number(Self.value(of: exact), exact)
    }
  }

  static func plain(_ cell: Cell, _ arena: Arena) -> [UInt8] {
    var text = ByteBuffer(capacity: 32)
    DisplayText.appendPlain(cell, arena, to: &text)
    return text.bytes()
  }

  /// The position on an axis; nil if there is none.
  var position: Double? {
    switch self {
    case .null, .undrawn: nil
    case .number(let value, _): value
    case .time(let seconds, _, _): Double(seconds)
    }
  }

  var text: String {
    switch self {
    case .null: "null"
    case .undrawn(let text), .time(_, _, let text): text
    case .number(_, let number): Self.text(number)
    }
  }

  static func value(of number: DecimalNumber) -> Double {
    let (isNegative, digits, exponent) = number.parts
    if digits.isEmpty { return 0 }
    let text = (isNegative ? "-0." : "0.") + digits.map(String.init).joined() + "e\(exponent)"
    return Double(text) ?? (exponent > 0 ? .infinity : 0)
  }

  /// The multiple of a step of numbers, exactly.
  static func exact(_ step: ChartStep, _ index: Int) -> DecimalNumber {
    guard case .number(let factor, let power) = step else { return DecimalNumber(Int64(index)) }
    return DecimalNumber(Array("\(index * factor)e\(power)".utf8)) ?? DecimalNumber(0)
  }

  /// An exact decimal with commas between thousands; with an exponent only below 10⁻²⁰ and from 10²¹ on.
  static func text(_ number: DecimalNumber) -> String {
    let (isNegative, digits, exponent) = number.parts, sign = isNegative ? "-" : ""
    let written = digits.map(String.init).joined()
    if digits.isEmpty { return "0" }
    if exponent > 21 || exponent < -20 {
      return sign + written.prefix(1) + (digits.count > 1 ? "." + written.dropFirst() : "") + "e\(exponent - 1)"
    }
    if exponent <= 0 { return sign + "0." + String(repeating: "0", count: -exponent) + written }
    let whole = written.prefix(exponent) + String(repeating: "0", count: max(exponent - digits.count, 0))
    var grouped = ""
    for (place, digit) in whole.enumerated() {
      if place > 0, (whole.count - place) % 3 == 0 { grouped += "," }
      grouped.append(digit)
    }
    return sign + grouped + (digits.count > exponent ? "." + written.dropFirst(exponent) : "")
  }
}
