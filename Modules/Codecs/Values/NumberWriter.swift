public import Rows

/// Numbers as text, in the one form that bb calls canonical.
///
/// - An integer is its decimal digits, with `-` before negative ones.
/// - A real is the shortest digits that read back as the same Double, always with `.0` or an exponent, in a spelling
///   that JSON accepts: from 0.0001 to 2^53 as `0.25`, `8.0`, `-0.0`, beyond that as `1e22`, `1.5e-7`: an exponent
///   without `+` and without leading zeros.
package enum NumberWriter {
  /// More bytes than any number needs.
  package static let longest = 32

  /// The two digits of each number below 100.
  private static var pairs: UnsafePointer<UInt8> {
    @inline(__always) get {
      let digits: StaticString = """
        00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960\
        616263646566676869707172737475767778798081828384858687888990919293949596979899
        """
      return unsafe digits.utf8Start
    }
  }

  /// Writes at `out`, which has room for `longest` bytes; returns the end.
  @inline(__always)
  static func put(_ value: Int64, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    guard value < 0 else { return unsafe put(UInt64(bitPattern: value), at: out) }
    unsafe out.pointee = UInt8(ascii: "-")
    return unsafe put(value.magnitude, at: out + 1)
  }

  /// Writes at `out`, which has room for `longest` bytes; returns the end.
  @inline(__always)
  static func put(_ value: UInt64, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    if value < 10 {
      unsafe out.pointee = UInt8(truncatingIfNeeded: 48 &+ value)
      return unsafe out + 1
    }
    var count = 0, shrinking = value
    while shrinking >= 100 {
      shrinking /= 100
      count &+= 2
    }
    count &+= shrinking >= 10 ? 2 : 1
    let end = unsafe out + count
    var at = unsafe end, rest = value
    while rest >= 100 {
      let quotient = rest / 100
      unsafe at -= 2
      unsafe putPair(rest &- quotient &* 100, at: at)
      rest = quotient
    }
    if rest >= 10 {
      unsafe putPair(rest, at: out)
    } else {
      unsafe out.pointee = UInt8(truncatingIfNeeded: 48 &+ rest)
    }
    return unsafe end
  }

  @inline(__always) private static func putPair(_ value: UInt64, at out: UnsafeMutablePointer<UInt8>) {
    let digits = unsafe pairs + Int(truncatingIfNeeded: value) &* 2
    unsafe out[0] = digits[0]
    unsafe out[1] = digits[1]
  }

  /// Writes a finite number at `out`, which has room for `longest` bytes; returns the end.
  ///
  /// Numbers with up to three decimals, which most are, are found exactly: `i / 10`, `i / 100`, `i / 1000` rounded
  /// correctly is the number again, and below 10^12 no shorter text and no neighbour with as many decimals is.
  @inline(__always)
  static func put(_ value: Double, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    let magnitude = value.magnitude
    guard magnitude < 1e12 else { return unsafe putSlowly(value, at: out) }
    let tenths = UInt64(magnitude * 10 + 0.5)
    if Double(tenths) / 10 == magnitude {
      let whole = tenths / 10
      let point = unsafe put(whole, at: sign(of: value, at: out))
      unsafe point[0] = UInt8(ascii: ".")
      unsafe point[1] = UInt8(truncatingIfNeeded: 48 &+ (tenths &- whole &* 10))
      return unsafe point + 2
    }
    let hundredths = UInt64(magnitude * 100 + 0.5)
    if Double(hundredths) / 100 == magnitude {
      let whole = hundredths / 100
      let point = unsafe put(whole, at: sign(of: value, at: out))
      unsafe point[0] = UInt8(ascii: ".")
      unsafe putPair(hundredths &- whole &* 100, at: point + 1)
      return unsafe point + 3
    }
    let thousandths = UInt64(magnitude * 1000 + 0.5)
    if Double(thousandths) / 1000 == magnitude {
      let whole = thousandths / 1000, rest = thousandths &- whole &* 1000
      let point = unsafe put(whole, at: sign(of: value, at: out))
      unsafe point[0] = UInt8(ascii: ".")
      unsafe point[1] = UInt8(truncatingIfNeeded: 48 &+ rest / 100)
      unsafe putPair(rest % 100, at: point + 2)
      return unsafe point + 4
    }
    return unsafe putSlowly(value, at: out)
  }

  @inline(__always)
  private static func sign(of value: Double, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    guard value.sign == .minus else { return unsafe out }
    unsafe out.pointee = UInt8(ascii: "-")
    return unsafe out + 1
  }

  /// The standard library's shortest digits, its exponent (`e+22`, `e-07`) in our spelling.
  @inline(never)
  private static func putSlowly(_ value: Double, at out: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    var end = unsafe out, mayDrop = false
    for byte in value.description.utf8 {
      if byte == UInt8(ascii: "e") {
        mayDrop = true
      } else if mayDrop, byte == UInt8(ascii: "+") || byte == UInt8(ascii: "0") {
        continue
      } else if byte != UInt8(ascii: "-") {
        mayDrop = false
      }
      unsafe end.pointee = byte
      unsafe end += 1
    }
    return unsafe end
  }
}

extension WriteCursor {
  @inline(__always) package mutating func put(_ value: Int64) { unsafe next = NumberWriter.put(value, at: next) }
  @inline(__always) package mutating func put(_ value: Double) { unsafe next = NumberWriter.put(value, at: next) }
}

extension ByteBuffer {
  /// Appends an integer in canonical form: its digits.
  public mutating func append(integer value: Int64) {
    let start = unsafe room(NumberWriter.longest)
    unsafe commit(NumberWriter.put(value, at: start))
  }
  /// Appends a finite real in canonical form: the shortest digits that read back the same, always with `.0` or an
  /// exponent (`8.5`, `-0.0`, `1e22`).
  package mutating func append(real value: Double) {
    let start = unsafe room(NumberWriter.longest)
    unsafe commit(NumberWriter.put(value, at: start))
  }
}

extension Double {
  /// The canonical text of a number: the shortest digits that read back the same, always with `.0` or an exponent
  /// (`8.5`, `-0.0`, `1e22`); the name of a number that is not finite.
  public var canonicalText: [UInt8] {
    guard isFinite else { return Array("\(NonfinitePolicy.word(for: self))".utf8) }
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberWriter.longest) { text in
      guard let start = text.baseAddress else { return [] }
      let end = unsafe NumberWriter.put(self, at: start)
      return unsafe Array(UnsafeBufferPointer(start: start, count: end - start))
    }
  }
}
