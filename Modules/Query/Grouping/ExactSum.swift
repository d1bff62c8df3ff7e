import Codecs
import Rows

/// Numbers added exactly, of any size: decimal digits in groups of nine, each with a sign of its own.
struct WideSum {
  private var limbs: [Int64] = []
  /// The place of the first limb: limb i stands for 10^(9 × (low + i)).
  private var low = 0
  /// Additions since limbs were last carried; each changes a limb by less than 10^9.
  private var pending = 0

  private static let base: Int64 = 1_000_000_000
  /// The most digits before or after the point.
  static let digits = 20_000

  init() {}

  /// Adds ±0.d₁d₂… × 10^exponent; false if it has digits too far from the point.
  mutating func add(_ number: DecimalNumber) -> Bool {
    let (isNegative, digits, exponent) = number.parts
    if digits.isEmpty { return true }
    guard abs(exponent) <= Self.digits, digits.count <= Self.digits else { return false }
    // The place of the first decimal is -1.
    var place = exponent - digits.count
    var limb = 0, value: Int64 = 0, factor: Int64 = 1
    func floor9(_ place: Int) -> Int { place >= 0 ? place / 9 : -((8 - place) / 9) }
    limb = floor9(place)
    for _ in 0..<(place - limb * 9) { factor *= 10 }
    for digit in digits.reversed() {
      value += Int64(digit) * factor
      factor *= 10
      place += 1
      if floor9(place) != limb {
        add(isNegative ? -value : value, at: limb)
        (limb, value, factor) = (limb + 1, 0, 1)
      }
    }
    if value != 0 { add(isNegative ? -value : value, at: limb) }
    return true
  }

  private mutating func add(_ value: Int64, at place: Int) {
    if limbs.isEmpty { low = place }
    if place < low {
      limbs.insert(contentsOf: repeatElement(0, count: low - place), at: 0)
      low = place
    }
    while place - low >= limbs.count { limbs.append(0) }
    limbs[place - low] += value
    pending += 1
    if pending >= 1 << 32 { carry() }
  }

  mutating func add(_ other: WideSum) {
    var other = other
    other.carry()
    for (index, limb) in other.limbs.enumerated() where limb != 0 { add(limb, at: other.low + index) }
  }

  mutating func negate() {
    for index in limbs.indices { limbs[index].negate() }
  }

  /// The sum as bytes, for a file of this process.
  var bytes: [UInt8] {
    var sum = self
    sum.carry()
    return ([Int64(sum.low)] + sum.limbs).flatMap { limb in
      (0..<8).map { UInt8(truncatingIfNeeded: limb >> ($0 * 8)) }
    }
  }

  /// The sum that `bytes` gave.
  init(bytes: UnsafeRawBufferPointer) {
    for at in stride(from: 0, to: bytes.count, by: 8) {
      let word = unsafe Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: Int64.self))
      if at == 0 { low = Int(word) } else { limbs.append(word) }
    }
  }

  /// Brings every limb but the last into the range of nine digits.
  private mutating func carry() {
    pending = 0
    var index = 0
    while index < limbs.count {
      let limb = limbs[index]
      var (quotient, rest) = limb.quotientAndRemainder(dividingBy: Self.base)
      if index == limbs.count - 1, quotient == 0 { break }
      if rest < 0 {
        rest += Self.base
        quotient -= 1
      }
      if index == limbs.count - 1 {
        if quotient == -1 { break }
        limbs.append(0)
      }
      limbs[index] = rest
      limbs[index + 1] += quotient
      index += 1
    }
  }

  /// The sum as a sign, digits without zeros at the front, and the power of ten of the last of them.
  var result: (isNegative: Bool, digits: [UInt8], exponent: Int) {
    var sum = self
    sum.carry()
    while sum.limbs.last == 0 { sum.limbs.removeLast() }
    guard let top = sum.limbs.last else { return (false, [], 0) }
    let isNegative = top < 0
    if isNegative {
      for index in sum.limbs.indices { sum.limbs[index].negate() }
      sum.carry()
      while sum.limbs.last == 0 { sum.limbs.removeLast() }
    }
    var digits: [UInt8] = []
    for limb in sum.limbs.reversed() {
      let text = Array(String(limb).utf8).map { $0 - 48 }
      if !digits.isEmpty { digits += repeatElement(0, count: 9 - text.count) }
      digits += text
    }
    return (isNegative, digits, sum.low * 9)
  }
}

/// Adds numbers exactly: so the sum does not depend on the order of the rows or on the number of threads.
final class SumState: AggregateState {
  private let column: Int
  private let name: String
  private let result: ColumnType
  private let isMean: Bool
  private var sums: [Sum] = []
  /// The sums that do not fit 128 bits, by group.
  private var wide: [Int: WideSum] = [:]
  /// The sums of the values that are not finite, of the groups that have some: nothing finite changes them.
  private var unbounded: [Int: Double] = [:]

  /// The sum so far is `total` × 10^-`scale`, and what `wide` has.
  private struct Sum {
    var total: Int128 = 0
    var count = 0
    var scale = 0
  }

  /// The sum or the mean of a column; `result` is the type of the sum.
  init(column: Int, named name: String, result: ColumnType, isMean: Bool) {
    self.column = column
    self.name = name
    self.result = result
    self.isMean = isMean
  }

  var memory: Int { sums.capacity * MemoryLayout<Sum>.stride + wide.count * 256 }
  func reserve(_ groups: Int) { sums.append(contentsOf: repeatElement(Sum(), count: groups - sums.count)) }

  func add(_ rows: GroupedBatch) throws(Problem) {
    var sums: [Sum] = []
    swap(&sums, &self.sums)
    defer { swap(&sums, &self.sums) }
    for index in rows.rows.indices {
      let cell = rows.reader.cell(Int(rows.rows[index]), column)
      if cell.isNull { continue }
      let group = Int(rows.groups[index])
      sums[group].count &+= 1
      if let number = ShortDecimal(cell, rows.reader) {
        if number.scale == sums[group].scale {
          let (sum, isTooLarge) = sums[group].total.addingReportingOverflow(Int128(number.mantissa))
          if !isTooLarge {
            sums[group].total = sum
            continue
          }
        }
        add(Int128(number.mantissa), number.scale, to: &sums[group], group)
      } else if let number = rows.reader.number(of: cell) {
        guard wide[group, default: WideSum()].add(number) else {
          throw Problem(
            .badData, "\(name): the sum would need more than \(WideSum.digits) digits",
            hint: .set(.conditions, for: "filter out the extreme values"))
        }
      } else if case .real(let value) = cell {
        unbounded[group, default: 0] += value
      } else {
        sums[group].count &-= 1
      }
    }
  }

  private func add(_ value: Int128, _ scale: Int, to sum: inout Sum, _ group: Int) {
    let common = max(scale, sum.scale)
    if let total = Self.scaled(sum.total, by: common - sum.scale), let more = Self.scaled(value, by: common - scale) {
      let (result, isTooLarge) = total.addingReportingOverflow(more)
      if !isTooLarge {
        sum.total = result
        sum.scale = common
        return
      }
    }
    // The sum starts again; what it was is kept aside.
    keepAside(sum, group)
    (sum.total, sum.scale) = Self.scaled(value, by: common - scale).map { ($0, common) } ?? (value, scale)
  }

  private func keepAside(_ sum: Sum, _ group: Int) {
    let digits = String(sum.total)
    guard let number = DecimalNumber(Array("\(digits)e-\(sum.scale)".utf8)) else { return }
    _ = wide[group, default: WideSum()].add(number)
  }

  static func scaled(_ value: Int128, by power: Int) -> Int128? {
    if power == 0 || value == 0 { return value }
    guard power < powers.count else { return nil }
    let (product, isTooLarge) = value.multipliedReportingOverflow(by: powers[power])
    return isTooLarge ? nil : product
  }
  private static let powers: [Int128] = (0..<39).map { (0..<$0).reduce(1) { power, _ in power * 10 } }

  /// The number of values; the sum and its scale; what does not fit 128 bits.
  func appendPartial(_ group: Int, to builder: inout RowBatchBuilder) {
    if sums[group].total != Int128(Int64(truncatingIfNeeded: sums[group].total)) {
      keepAside(sums[group], group)
      sums[group].total = 0
    }
    let sum = sums[group]
    builder.append(integer: Int64(sum.count))
    builder.append(integer: Int64(sum.total))
    builder.append(integer: Int64(sum.scale))
    if let value = unbounded[group] { return builder.append(real: value) }
    if let wide = wide[group] { builder.append(bytes: wide.bytes) } else { builder.appendNull() }
  }

  func add(_ groups: PartialGroups, _ column: Int) {
    groups.forEach { group, row in
      sums[group].count += row.integer(column)
      add(Int128(row.integer(column + 1)), row.integer(column + 2), to: &sums[group], group)
      if case .real(let value) = row.cell(column + 3) { unbounded[group, default: 0] += value }
      guard case .bytes(let start, let length) = row.cell(column + 3) else { return }
      unsafe wide[group, default: WideSum()].add(WideSum(bytes: row.reader.bytes(start, length)))
    }
  }

  func append(_ group: Int, to builder: inout RowBatchBuilder) throws(Problem) {
    let sum = sums[group]
    if sum.count == 0 { return builder.appendNull() }
    if let value = unbounded[group] { return builder.append(real: value) }
    if wide[group] == nil, appendShort(sum, to: &builder) { return }
    if wide[group] != nil || sum.total != 0 { keepAside(sum, group) }
    sums[group].total = 0
    var (isNegative, digits, exponent) = wide[group, default: WideSum()].result
    // The decimals that the numbers show are kept.
    let shown = isMean || result != .decimal ? 0 : sum.scale
    while digits.last == 0, isMean || exponent < -shown {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { (digits, exponent) = ([0], 0) }
    while exponent > -shown, shown > 0 {
      digits.append(0)
      exponent -= 1
    }
    if isMean { (digits, exponent) = Self.divided(digits, exponent, by: sum.count) }
    let isReal = isMean ? result != .decimal : result == .real
    if isMean, !isReal { Self.round(&digits, &exponent) }
    let literal = Self.literal((isNegative, digits, exponent))
    if isReal {
      // A sum beyond the greatest Double is infinite.
      builder.append(real: Double(String(decoding: literal, as: UTF8.self)) ?? .nan)
    } else if result == .integer {
      guard let value = Int64(String(decoding: literal, as: UTF8.self)) else {
        throw Problem(
          .badData, "\(name): the sum is out of range for an integer",
          hint: .set(.columnTypes, to: "\(name)=decimal"))
      }
      builder.append(integer: value)
    } else {
      builder.append(number: literal)
    }
  }

  /// The usual case: few digits, so one operation rounds correctly.
  private func appendShort(_ sum: Sum, to builder: inout RowBatchBuilder) -> Bool {
    if isMean {
      guard sum.scale <= 15, sum.total.magnitude < 1 << 53 else { return false }
      let (divisor, isTooLarge) = Int(Self.powers[sum.scale]).multipliedReportingOverflow(by: sum.count)
      guard !isTooLarge, divisor < 1 << 53 else { return false }
      builder.append(real: Double(Int64(sum.total)) / Double(divisor))
      return true
    }
    switch result {
    case .integer where sum.scale == 0 && sum.total >= Int128(Int64.min) && sum.total <= Int128(Int64.max):
      builder.append(integer: Int64(sum.total))
    case .real where sum.scale <= 15 && sum.total.magnitude < 1 << 53:
      builder.append(real: Double(Int64(sum.total)) / NearestDouble.powersOfTen[sum.scale])
    default: return false
    }
    return true
  }

  /// Digits of the quotient, enough to round to a Double, with a 1 for a rest.
  static func divided(_ digits: [UInt8], _ exponent: Int, by divisor: Int) -> ([UInt8], Int) {
    var quotient: [UInt8] = [], rest: UInt128 = 0, exponent = exponent
    func next(_ digit: UInt8) {
      rest = rest * 10 + UInt128(digit)
      let (value, remainder) = rest.quotientAndRemainder(dividingBy: UInt128(divisor))
      rest = remainder
      if !quotient.isEmpty || value != 0 { quotient.append(UInt8(value)) }
    }
    for digit in digits { next(digit) }
    while rest != 0, quotient.count < 40 {
      next(0)
      exponent -= 1
    }
    if rest != 0 {
      quotient.append(1)
      exponent -= 1
    }
    return quotient.isEmpty ? ([0], 0) : (quotient, exponent)
  }

  /// Rounds a quotient that does not end to the digits of the largest decimal, if its fraction has as many.
  private static func round(_ digits: inout [UInt8], _ exponent: inout Int) {
    let kept = max(38, digits.count + exponent)
    guard digits.count > max(40, kept) else { return }
    let isUp = digits[kept] >= 5
    exponent += digits.count - kept
    digits.removeLast(digits.count - kept)
    guard isUp, let last = digits.lastIndex(where: { $0 < 9 }) else { return }
    digits[last] += 1
    exponent += digits.count - 1 - last
    digits.removeLast(digits.count - 1 - last)
  }

  /// The number `digits` × 10^`exponent` in JSON's grammar: without an exponent if it is not long.
  static func literal(_ number: (isNegative: Bool, digits: [UInt8], exponent: Int)) -> [UInt8] {
    let (isNegative, digits, exponent) = number
    var text = digits.map { $0 + 48 }
    if exponent > 0, text.count + exponent <= 400 {
      if digits != [0] { text += repeatElement(48, count: exponent) }
    } else if exponent < 0, exponent >= -400 {
      if text.count <= -exponent { text = repeatElement(48, count: 1 - exponent - text.count) + text }
      text.insert(UInt8(ascii: "."), at: text.count + exponent)
    } else if exponent != 0 {
      text += Array("e\(exponent)".utf8)
    }
    return (isNegative ? [UInt8(ascii: "-")] : []) + text
  }
}
