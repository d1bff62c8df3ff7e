/// An estimate of the number of different keys, in 16 KiB, with an error of about 1 % (HyperLogLog). It depends on the
/// set of keys only.
struct DistinctSketch {
  private var registers = [UInt8](repeating: 0, count: 1 << bits)
  private static let bits = 14

  mutating func insert(_ hash: UInt64) {
    let place = Int(truncatingIfNeeded: hash >> UInt64(64 - Self.bits))
    let rest: UInt64 = hash << Self.bits, mark: UInt64 = 1 << (Self.bits - 1)
    let rank = UInt8((rest | mark).leadingZeroBitCount + 1)
    if rank > registers[place] { registers[place] = rank }
  }

  mutating func merge(_ other: DistinctSketch) {
    for place in registers.indices { registers[place] = max(registers[place], other.registers[place]) }
  }

  var count: Int {
    let size = Double(registers.count)
    var sum = 0.0, zeros = 0
    for rank in registers {
      sum += 1 / Double(UInt64(1) &<< UInt64(rank))
      if rank == 0 { zeros += 1 }
    }
    let estimate = 0.7213 / (1 + 1.079 / size) * size * size / sum
    guard estimate <= 2.5 * size, zeros > 0 else { return Int(estimate.rounded()) }
    return Int((size * Self.logarithm(size / Double(zeros))).rounded())
  }

  /// The natural logarithm of a number above 1, the same on every machine.
  private static func logarithm(_ value: Double) -> Double {
    var mantissa = value, result = 0.0
    while mantissa > 1.5 {
      mantissa /= 2
      result += 0.693_147_180_559_945_3
    }
    let x = (mantissa - 1) / (mantissa + 1), square = x * x
    var term = x, sum = 0.0
    for power in stride(from: 1, to: 60, by: 2) {
      sum += term / Double(power)
      term *= square
    }
    return result + 2 * sum
  }
}

/// The distribution of numbers, each within 0.4 % of its value: 128 intervals between powers of two. It depends on the
/// numbers only, not on their order.
struct NumberSketch {
  private static let shift: UInt64 = 45, pageBits: UInt64 = 10
  private static let pageSize = 1 << Int(pageBits)
  /// The counts of intervals, in pages that exist where numbers are.
  private var counts: [Int] = []
  /// The first count of each page, or -1; pages and intervals are in the order of the numbers.
  private var pages = [Int](repeating: -1, count: 1 << Int(64 - shift - pageBits))

  @inline(__always) mutating func insert(_ value: Double, times: Int = 1) {
    guard value.isFinite else { return }
    let place = Self.place(of: value), page = Int(truncatingIfNeeded: place >> Self.pageBits)
    if pages[page] < 0 { addPage(page) }
    counts[pages[page] &+ Int(truncatingIfNeeded: place) & (Self.pageSize &- 1)] += times
  }

  private mutating func addPage(_ page: Int) {
    pages[page] = counts.count
    counts.append(contentsOf: repeatElement(0, count: Self.pageSize))
  }

  mutating func merge(_ other: NumberSketch) {
    for page in pages.indices where other.pages[page] >= 0 {
      if pages[page] < 0 { addPage(page) }
      for place in 0..<Self.pageSize { counts[pages[page] + place] += other.counts[other.pages[page] + place] }
    }
  }

  /// The numbers of the intervals that have some, in order, and how many there are.
  var values: [(value: Double, count: Int)] {
    var values: [(value: Double, count: Int)] = []
    for (page, start) in pages.enumerated() where start >= 0 {
      for place in 0..<Self.pageSize where counts[start + place] > 0 {
        values.append((Self.middle(of: UInt64(page) << Self.pageBits | UInt64(place)), counts[start + place]))
      }
    }
    return values
  }

  /// The interval of a number: its first bits, in an order that is the order of numbers.
  private static func place(of value: Double) -> UInt64 {
    let bits = (value == 0 ? 0 : value).bitPattern, sign: UInt64 = 1 << 63
    return (bits & sign == 0 ? bits | sign : ~bits) >> shift
  }

  private static func middle(of place: UInt64) -> Double {
    let sign: UInt64 = 1 << 63, low = place << shift
    // Integers up to 256 have an interval of their own.
    func value(_ bits: UInt64) -> Double { Double(bitPattern: bits & sign != 0 ? bits & ~sign : ~bits) }
    let first = value(low), last = value(low | (1 << shift - 1))
    let nearest = abs(first) < abs(last) ? first : last
    return abs(nearest) <= 256 && nearest == nearest.rounded() ? nearest : (first + last) / 2
  }
}
