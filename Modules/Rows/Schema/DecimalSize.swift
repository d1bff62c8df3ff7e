/// The digits of the values of a column of decimals, for formats and databases that have such types.
public struct DecimalSize: Sendable, Hashable, CustomStringConvertible {
  /// The most digits, 1 to 38.
  public let precision: Int
  /// The digits after the point, 0 to `precision`.
  public let scale: Int

  /// Parses `decimal(12,2)`, as SQL, Spark and Delta tables write it; nil for other text.
  public init?(_ text: some StringProtocol) {
    guard text.hasPrefix("decimal("), text.hasSuffix(")") else { return nil }
    let digits = text.dropFirst(8).dropLast().split(separator: ",", omittingEmptySubsequences: false)
    let numbers = digits.map { Int(String($0.filter { $0 != " " })) ?? -1 }
    guard numbers.count == 2, (1...38).contains(numbers[0]), (0...numbers[0]).contains(numbers[1]) else { return nil }
    (precision, scale) = (numbers[0], numbers[1])
  }

  /// A size; nil for one that is not allowed.
  public init?(precision: Int, scale: Int) {
    guard (1...38).contains(precision), (0...precision).contains(scale) else { return nil }
    (self.precision, self.scale) = (precision, scale)
  }

  /// `decimal(12,2)`.
  public var description: String { "decimal(\(precision),\(scale))" }
}
