/// The widths of the values of a column in terminal cells, counted.
public struct ColumnWidths: Sendable, Hashable {
  /// The number of values by width; the last entry is also for wider ones.
  private var counts: [Int] = []
  /// The width of the widest value.
  public private(set) var widest = 0
  /// The width of the longest word.
  public private(set) var longestWord = 0
  /// The number of values that show something.
  private(set) var filled = 0
  private var values = 0
  private var sum = 0

  /// Nothing measured.
  public init() {}

  /// Whether no value shows anything.
  package var isEmpty: Bool { filled == 0 }
  var mean: Int { values == 0 ? 0 : sum / values }

  private static let limit = 255

  package mutating func add(_ width: Int, word: Int = 0) {
    let entry = min(width, Self.limit)
    while counts.count <= entry { counts.append(0) }
    counts[entry] += 1
    values += 1
    sum += width
    if width > 0 { filled += 1 }
    widest = max(widest, width)
    longestWord = max(longestWord, word)
  }

  /// Adds the values of another part of the column.
  public mutating func merge(_ other: ColumnWidths) {
    while counts.count < other.counts.count { counts.append(0) }
    for (width, count) in other.counts.enumerated() { counts[width] += count }
    values += other.values
    sum += other.sum
    filled += other.filled
    widest = max(widest, other.widest)
    longestWord = max(longestWord, other.longestWord)
  }

  /// The width that `percent` of the values do not exceed; at most 255.
  public func percentile(_ percent: Int) -> Int {
    var left = ((values - 1) * percent + 99) / 100
    for (width, count) in counts.enumerated() {
      if left < count { return width }
      left -= count
    }
    return 0
  }
}
