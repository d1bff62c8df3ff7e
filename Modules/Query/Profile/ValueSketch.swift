import Codecs

/// The figures of values that are too many to count.
struct ValueSketch {
  private var distinct = DistinctSketch()
  private var numbers = NumberSketch()
  /// Numbers come before other values.
  private var leastNumber: ProfiledValue?
  private var greatestNumber: ProfiledValue?
  private var leastText: ProfiledValue?
  private var greatestText: ProfiledValue?
  private var shortest = Int.max
  private var longest = 0
  /// Numbers strictly between these change no extreme, and texts whose first bytes are.
  private var numberBounds = (low: Double.infinity, high: -Double.infinity)
  private var wordBounds = (low: UInt64.max, high: UInt64.min)
  /// The bits of numbers that were noted lately: they only need to be counted.
  private var recent = [UInt64](repeating: .max, count: 256)

  @inline(__always) mutating func note(_ value: ProfiledBytes, times: Int) {
    switch value {
    case .number(let signed):
      let number = signed == 0 ? 0 : signed
      numbers.insert(number, times: times)
      let bits = number.bitPattern, place = Int(truncatingIfNeeded: (bits &* 0x9E37_79B9_7F4A_7C15) >> 56)
      if recent[place] == bits { return }
      recent[place] = bits
      distinct.insert(ProfiledBytes.number(number).hash)
      if !(numberBounds.low < number && number < numberBounds.high) {
        note(extremes: ProfiledValue(number: number), ProfiledValue(number: number))
      }
      let length = Self.length(of: number)
      note(lengths: length, length)
    case .boolean:
      distinct.insert(value.hash)
      let known = ProfiledValue(value)
      note(extremes: known, known)
      note(lengths: known.length, known.length)
    case .text(let kind, let text):
      distinct.insert(value.hash)
      if kind == KeyBuffer.Kind.longNumber {
        let known = ProfiledValue(value)
        if let number = known.number { numbers.insert(number, times: times) }
        note(extremes: known, known)
      } else {
        let word = text.orderWord
        if !(wordBounds.low < word && word < wordBounds.high), isExtreme(text) {
          let known = ProfiledValue(value)
          note(extremes: known, known)
        }
      }
      // A character has one to four bytes.
      if text.count > longest || text.count < shortest &* 4 {
        let length = text.length
        note(lengths: length, length)
      }
    }
  }

  mutating func merge(_ other: ValueSketch) {
    distinct.merge(other.distinct)
    numbers.merge(other.numbers)
    if let low = other.leastNumber, let high = other.greatestNumber { note(extremes: low, high) }
    if let low = other.leastText, let high = other.greatestText { note(extremes: low, high) }
    note(lengths: other.shortest, other.longest)
  }

  private func isExtreme(_ text: ValueBytes) -> Bool {
    guard let leastText, let greatestText else { return true }
    return leastText.text.withValueBytes { text.order(to: $0) < 0 }
      || greatestText.text.withValueBytes { text.order(to: $0) > 0 }
  }

  /// Both are numbers, or neither is.
  private mutating func note(extremes low: ProfiledValue, _ high: ProfiledValue) {
    if let lowNumber = low.number, let highNumber = high.number {
      if leastNumber.map({ low < $0 }) ?? true { leastNumber = low }
      if greatestNumber.map({ $0 < high }) ?? true { greatestNumber = high }
      numberBounds = (min(numberBounds.low, lowNumber), max(numberBounds.high, highNumber))
    } else {
      if leastText.map({ low < $0 }) ?? true { leastText = low }
      if greatestText.map({ $0 < high }) ?? true { greatestText = high }
      wordBounds.low = min(wordBounds.low, low.text.withValueBytes(\.orderWord))
      wordBounds.high = max(wordBounds.high, high.text.withValueBytes(\.orderWord))
    }
  }

  private mutating func note(lengths short: Int, _ long: Int) {
    shortest = min(shortest, short)
    longest = max(longest, long)
  }

  /// The number of characters of a number's text.
  private static func length(of number: Double) -> Int {
    guard number == number.rounded(), number.magnitude < 1e15 else { return number.canonicalText.count }
    var rest = Int64(number).magnitude, length = number < 0 ? 2 : 1
    while rest >= 10 {
      rest /= 10
      length += 1
    }
    return length
  }

  func describe(in summary: inout ColumnSummary, isNumeric: Bool) {
    summary.distinct = min(distinct.count, summary.count)
    summary.least = leastNumber ?? leastText
    summary.greatest = greatestText ?? greatestNumber
    summary.lengths = (shortest, longest)
    if isNumeric { summary.distribute(numbers.values.map { (ProfiledValue(number: $0.value), $0.count) }) }
  }
}
