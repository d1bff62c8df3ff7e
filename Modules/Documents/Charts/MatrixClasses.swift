import Codecs

/// The classes of the values of a matrix: at most seven of one width, or one for each of at most seven values.
struct MatrixClasses: Sendable {
  private let step: ChartStep, first: Int
  /// The values, if each is a class.
  private let distinct: [DecimalNumber]
  let count: Int
  /// Whether the bounds were given, so that values may be outside.
  private let isFixed: Bool

  static let most = 7

  init(_ values: Set<DecimalNumber>, scale: (low: DecimalNumber, high: DecimalNumber)?) {
    isFixed = scale != nil
    guard values.count > Self.most || isFixed, let least = scale?.low ?? values.min(),
      let most = scale?.high ?? values.max()
    else {
      (step, first, distinct, count) = (.number(1, power: 0), 0, values.sorted(), values.count)
      return
    }
    distinct = []
    let size = ChartNumber.value(of: most) - ChartNumber.value(of: least)
    var chosen = (ChartStep.number(1, power: 0), 0, 1)
    for step in ChartStep.numbers(from: ChartStep.power(of: size) - 2, [10, 20, 25, 50]) {
      guard let low = step.index(of: least), let high = step.index(of: most) else { continue }
      // The last bound of a given scale belongs to its last class.
      let isBound = isFixed && ChartNumber.exact(step, high) == most && high > low
      chosen = (step, low, high - low + (isBound ? 0 : 1))
      if chosen.2 <= Self.most { break }
    }
    (step, first, count) = chosen
  }

  /// The class of a value, and its side if it is outside of the given bounds: -1 below, 1 above.
  func classify(_ value: DecimalNumber) -> (number: Int, side: Int) {
    if let found = distinct.firstIndex(of: value) { return (found, 0) }
    if value < ChartNumber.exact(step, first) { return (0, -1) }
    let last = first + count
    if isFixed, ChartNumber.exact(step, last) < value { return (count - 1, 1) }
    return (min((step.index(of: value) ?? last) - first, count - 1), 0)
  }

  /// The bounds of a class, `[6.5, 7)`, or its value.
  func text(_ number: Int) -> String {
    if !distinct.isEmpty { return ChartNumber.text(distinct[number]) }
    let isClosed = isFixed && number == count - 1
    return "[\(step.text(first + number)), \(step.text(first + number + 1))\(isClosed ? "]" : ")")"
  }

  /// Whether a class is below zero.
  private func isNegative(_ number: Int) -> Bool {
    distinct.isEmpty ? first + number < 0 : distinct[number] < DecimalNumber(0)
  }

  /// The colour of a class, 0 (light) to 6 (dark), and whether it is one of those below zero.
  func shade(_ number: Int) -> (level: Int, isNegative: Bool) {
    // Few classes are all darker than a cell without a row.
    let low = count <= 5 ? 2 : 0
    return (count > 1 ? low + number * (6 - low) / (count - 1) : 3, isNegative(number))
  }
}
