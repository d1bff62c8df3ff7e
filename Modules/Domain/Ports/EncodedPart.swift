public import Documents
public import Rows

/// Totals of the rows that an encoder encoded.
public struct EncodedPart: Sendable, Hashable {
  /// The number of rows.
  public var rows: Int
  /// The number of cells that `RowEncoder.warning` reports.
  public var reportedCells: Int
  /// The number of images that are not at hand.
  public var missingImages: Int
  /// The number of binary values that became text.
  var binaryValues = 0
  /// The columns that have a value, by their position in the output.
  public var filled: ColumnSet
  /// The cells that are links in a sheet, at most `SheetLink.maximum`; their rows are counted from the first row.
  public private(set) var links: [SheetLink] = []
  /// The facts about parts that `RowEncoder.finish` writes, and the bytes before each of them.
  public private(set) var records: [Record] = []
  /// The number of bytes, for encoders with records.
  public private(set) var byteCount = 0

  /// Facts about a part of the output that `RowEncoder.finish` writes.
  public struct Record: Sendable, Hashable {
    /// The number of bytes of all parts before it.
    public fileprivate(set) var offset: Int
    /// The facts.
    public let facts: any Sendable & Hashable

    /// Whether both have the same offset and facts.
    public static func == (a: Record, b: Record) -> Bool {
      a.offset == b.offset && AnyHashable(a.facts) == AnyHashable(b.facts)
    }
    /// Hashes the offset and the facts.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(offset)
      hasher.combine(AnyHashable(facts))
    }
  }

  /// A report on `rows` rows.
  public init(
    rows: Int = 0, reportedCells: Int = 0, missingImages: Int = 0, filled: ColumnSet = ColumnSet(),
    links: [SheetLink] = []
  ) {
    self.links = Array(links.prefix(SheetLink.maximum))
    self.rows = rows
    self.reportedCells = reportedCells
    self.missingImages = missingImages
    self.filled = filled
  }

  /// Adds facts about a part of `byteCount` bytes, which follows the parts so far.
  public mutating func add(_ facts: any Sendable & Hashable, byteCount: Int) {
    records.append(Record(offset: self.byteCount, facts: facts))
    self.byteCount += byteCount
  }

  /// Adds the report on the rows that follow.
  public mutating func merge(_ next: EncodedPart) {
    for var link in next.links.prefix(SheetLink.maximum - links.count) {
      link.row += rows
      links.append(link)
    }
    rows += next.rows
    reportedCells += next.reportedCells
    missingImages += next.missingImages
    binaryValues += next.binaryValues
    filled.formUnion(next.filled)
    for var record in next.records {
      record.offset += byteCount
      records.append(record)
    }
    byteCount += next.byteCount
  }
}
