package import Rows

/// Ratings from 0 to 10 as five stars with halves, next to the number.
public enum Stars {
  /// The unit of columns that are shown so.
  package static let unit = "of 10"

  private static let texts: [StaticString] = [
    "☆☆☆☆☆", "½☆☆☆☆", "★☆☆☆☆", "★½☆☆☆", "★★☆☆☆", "★★½☆☆", "★★★☆☆", "★★★½☆", "★★★★☆", "★★★★½", "★★★★★",
  ]

  /// The stars of a rating, rounded to halves; nil for what is not from 0 to 10.
  public static func text(of rating: Double) -> StaticString? {
    rating >= 0 && rating <= 10 ? texts[Int(rating.rounded())] : nil
  }

  /// The stars of a number, rounded to halves; nil for what is not from 0 to 10.
  package static func text(of cell: Cell, _ arena: Arena) -> StaticString? {
    let value: Double? =
      switch cell {
      case .integer(let value): Double(value)
      case .real(let value): value
      case .number(let start, let length):
        Double(String(decoding: arena.bytes(start, length), as: UTF8.self))
      default: nil
      }
    return value.flatMap(text(of:))
  }
}
