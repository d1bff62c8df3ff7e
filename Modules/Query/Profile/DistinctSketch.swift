import Codecs

/// An estimate of the number of different keys, in 16 KiB, with an error of about 1 % (HyperLogLog). It depends on the
/// set of keys only.
struct DistinctSketch {
  private var registers = [UInt8](repeating: 0, count: 1 << bits)
  private static let bits = 14

  mutating func insert(_ hash: UInt64) {
    let place = Int(truncatingIfNeeded: hash >> UInt64(64 - Self.bits))
    let rank = UInt8((hash << UInt64(Self.bits) | 1 << UInt64(Self.bits - 1)).leadingZeroBitCount + 1)
    if rank > registers[place] { registers[place] = rank }
  }

  mutating func merge(_ other: DistinctSketch) {
    for place in registers.indices { registers[place] = max(registers[place], other.registers[place]) }
  }

  /// The estimate.
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

  /// A hash that is the same in every process.
  static func hash(_ bytes: some Collection<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    // All bits of the result depend on all bytes.
    hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
    hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return hash ^ hash >> 33
  }
}

/// The distribution of numbers, each within 0.4 % of its value: 128 intervals between powers of two. It depends on the
/// numbers only, not on their order.
struct NumberSketch {
  private static let shift: UInt64 = 45, pageBits: UInt64 = 10
  /// The counts of intervals, in pages that exist where numbers are; the intervals are in the order of the numbers.
  private var pages = [[Int]](repeating: [], count: 1 << Int(64 - shift - pageBits))
  private(set) var count = 0

  mutating func insert(_ value: Double, times: Int = 1) {
    guard value.isFinite else { return }
    let place = Self.place(of: value), page = Int(place >> Self.pageBits)
    if pages[page].isEmpty { pages[page] = [Int](repeating: 0, count: 1 << Int(Self.pageBits)) }
    pages[page][Int(place & (1 << Self.pageBits - 1))] += times
    count += times
  }

  mutating func merge(_ other: NumberSketch) {
    for page in pages.indices where !other.pages[page].isEmpty {
      if pages[page].isEmpty {
        pages[page] = other.pages[page]
      } else {
        for place in pages[page].indices { pages[page][place] += other.pages[page][place] }
      }
    }
    count += other.count
  }

  /// The numbers of the intervals that have some, in order, and how many there are.
  var values: [(value: Double, count: Int)] {
    var values: [(value: Double, count: Int)] = []
    for (page, counts) in pages.enumerated() {
      for (place, count) in counts.enumerated() where count > 0 {
        values.append((Self.middle(of: UInt64(page) << Self.pageBits | UInt64(place)), count))
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
