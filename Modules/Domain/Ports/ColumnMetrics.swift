public import Codecs
public import Rows

/// Measurements of rows before the first one is encoded.
public struct ColumnMetrics: Sendable {
  /// The widths of the values of each column; empty when nothing was measured.
  public var widths: [ColumnWidths]
  /// For formats that spread nested values over columns: what each column falls into (`1`, `2`, `city`, `geo.lat`),
  /// in the order seen; empty when nothing was measured.
  public var parts: [[String]]
  /// The first rows, of a format that measures them: at most as many as it asks for, and at most 8 MiB of text.
  public var head: [RowBatch]
  /// The digits of the numbers of columns of decimals, by position: of those in `head`, or of all rows.
  public var decimals: [Int: DecimalShape] = [:]
  /// Whether `head` is the whole table.
  public var isWhole: Bool

  /// A layout.
  public init(
    widths: [ColumnWidths] = [], parts: [[String]] = [], head: [RowBatch] = [], isWhole: Bool = true,
    decimals: [Int: DecimalShape] = [:]
  ) {
    self.decimals = decimals
    self.widths = widths
    self.parts = parts
    self.head = head
    self.isWhole = isWhole
  }

  /// Adds the widths, parts and digits of the rows that follow.
  mutating func merge(_ next: ColumnMetrics) {
    for (column, shape) in next.decimals { decimals[column, default: DecimalShape()].merge(shape) }
    while widths.count < next.widths.count { widths.append(ColumnWidths()) }
    for (column, other) in next.widths.enumerated() { widths[column].merge(other) }
    while parts.count < next.parts.count { parts.append([]) }
    for (column, names) in next.parts.enumerated() {
      // Names that are canonically equivalent are different.
      let known = Set(parts[column].map { Array($0.utf8) })
      parts[column] += names.filter { !known.contains(Array($0.utf8)) }
    }
  }

  /// The most bytes of text in a head.
  static let headBytes = 8 << 20

  /// The first rows of a table: at most `count`, with at most `headBytes` of text, for any size of batches.
  struct Head: Sendable {
    private(set) var batches: [RowBatch] = []
    /// Whether there is a row that is not among them.
    private(set) var isFull = false
    private var rowsLeft: Int
    private var bytesLeft = ColumnMetrics.headBytes

    /// An empty head of at most `count` rows.
    init(rows count: Int) { rowsLeft = count }

    /// Adds the rows of a batch that belong to the head.
    mutating func append(_ batch: RowBatch) {
      if isFull { return }
      var rows = 0
      while rows < batch.count, rowsLeft > 0 {
        let size = batch.textBytes(ofRow: rows)
        if size > bytesLeft { break }
        bytesLeft -= size
        rowsLeft -= 1
        rows += 1
      }
      isFull = rows < batch.count
      if rows > 0 { batches.append(isFull ? batch.selecting(0..<rows) : batch) }
    }
  }
}
