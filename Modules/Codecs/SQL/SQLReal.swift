import Rows

/// A real in SQL that is read to the last bit.
///
/// SQLite's reader is exact for up to 15 digits and small exponents; any other number is an integer of 53 bits,
/// multiplied or divided by powers of two, which is exact as well.
enum SQLReal {
  /// The notation of the powers of two.
  enum Scale {
    /// `1024.0`: a real to SQLite.
    case literal
    /// `(round(1024)*1e0)`: to PostgreSQL a literal would be a decimal, and inexact in a division.
    case rounded
  }

  static func append(_ value: Double, scaledBy scale: Scale, _ out: inout ByteBuffer) {
    let text = value.canonicalText
    let mantissa = text.prefix { $0 != UInt8(ascii: "e") }.filter { $0 &- 48 < 10 }
    if value == 0, value.sign == .minus, scale == .rounded { return out.append("(round(0)*-1e0)") }
    let isSmall = value == 0 || (1e-5...1e21).contains(value.magnitude)
    if mantissa.drop(while: { $0 == 48 }).count <= 15, isSmall { return out.append(bytes: text) }
    var exponent = Int(value.exponent) - Double.significandBitCount
    var integer = value.significand.magnitude
    for _ in 0..<Double.significandBitCount { integer *= 2 }
    if value < 0 { out.append("-") }
    switch scale {
    case .literal: out.append(bytes: integer.canonicalText)
    case .rounded: out.append(integer: Int64(integer))
    }
    while exponent != 0 {
      let step = min(abs(exponent), 50)
      out.append(exponent > 0 ? "*" as StaticString : "/")
      switch scale {
      case .literal: out.append("\(1 << Int64(step)).0")
      case .rounded: out.append("(round(\(1 << Int64(step)))*1e0)")
      }
      exponent -= exponent > 0 ? step : -step
    }
  }
}
