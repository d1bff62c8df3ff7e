public import Domain
import Query
public import Rows

/// An output of rows as the laws see it.
public struct RowSinkFixture: Sendable, CustomStringConvertible {
  /// How failures name it.
  public let description: String
  /// Opens a sink; every place is an output of its own.
  let open: @Sendable (_ place: Int, _ schema: Schema) async throws(Problem) -> any RowSink
  /// Reads an output; nil if it does not exist.
  let read: @Sendable (_ place: Int, _ schema: Schema) async throws -> (any RowStream)?
  /// A value of a real column that the output cannot have; nil if there is none.
  let refused: Value?

  /// An output.
  public init(
    _ description: String, refused: Value? = nil,
    open: @escaping @Sendable (_ place: Int, _ schema: Schema) async throws(Problem) -> any RowSink,
    read: @escaping @Sendable (_ place: Int, _ schema: Schema) async throws -> (any RowStream)?
  ) { (self.description, self.refused, self.open, self.read) = (description, refused, open, read) }

  /// The output with its sinks wrapped, and its places mapped to others.
  public func damaged(
    _ wrap: @escaping @Sendable (any RowSink) -> any RowSink, at place: @escaping @Sendable (Int) -> Int
  ) -> RowSinkFixture {
    RowSinkFixture(description, refused: refused) { [open] (number, schema) throws(Problem) in
      wrap(try await open(place(number), schema))
    } read: { [read] number, schema in
      try await read(place(number), schema)
    }
  }
}

/// One thing that holds for every output of rows.
public struct RowSinkLaw: Sendable, CustomStringConvertible {
  /// The law as text.
  public let description: String
  /// Throws a `LawViolation` where the law does not hold.
  public let check: @Sendable (RowSinkFixture) async throws -> Void

  private init(_ description: String, _ check: @escaping @Sendable (RowSinkFixture) async throws -> Void) {
    (self.description, self.check) = (description, check)
  }

  /// Every law.
  public static let all: [RowSinkLaw] = [readsBack, appearsComplete, abandonLeavesNothing, namesRows, areIndependent]

  static let schema = Schema(
    "t", columns: [ColumnDescription("id", .integer), ColumnDescription("part", .text), ColumnDescription("x", .real)])

  /// Batches of rows whose parts are not in order.
  private static func batches(_ seed: Int, last: Value = .real(0.5)) -> [RowBatch] {
    (0..<4).map { batch in
      var builder = RowBatchBuilder(width: 3)
      for row in 0..<25 {
        builder.append(integer: Int64(seed * 1000 + batch * 25 + row))
        builder.append(text: "p\(row * 7 % 3)")
        builder.append(value: batch == 3 && row == 24 ? last : .real(Double(row) / 4))
      }
      return builder.finish()
    }
  }

  private static func export(_ fixture: RowSinkFixture, _ place: Int) async throws(Problem) {
    let format = ExporterDescriptor("law", fileExtensions: [], mediaType: "", summary: "", isExact: true)
    let output = Export.Output(format, ExportOptions()) { (schema) throws(Problem) in
      try await fixture.open(place, schema)
    }
    let rows = BufferedRows(schema: schema, batches: batches(place))
    _ = try await Export(to: [output], threads: 2, scratch: NoScratch()).run(rows) { (rows) throws(Problem) in rows }
  }

  private static func expect(_ fixture: RowSinkFixture, _ place: Int, _ wanted: [RowBatch]?) async throws {
    let stream = try await fixture.read(place, schema)
    guard let wanted else {
      if stream != nil { throw LawViolation("there is an output") }
      return
    }
    guard let stream else { throw LawViolation("the output is missing") }
    let found = try await RowDigest.of(stream, threads: 1)
    var digest = RowDigest()
    for batch in wanted { digest.add(batch, of: schema) }
    if found != digest { throw LawViolation("\(digest.rows) rows became \(found.rows), or others") }
  }

  /// An export in threads, sorted as the sink asks for.
  public static let readsBack = RowSinkLaw("the rows written are read back") { fixture in
    try await export(fixture, 0)
    try await expect(fixture, 0, batches(0))
  }

  /// Until `commit` nothing is to be seen.
  public static let appearsComplete = RowSinkLaw("an output appears when it is complete") { fixture in
    let sink = try await fixture.open(1, schema)
    try await begin(sink, batches(1))
    try await sink.finish()
    try await expect(fixture, 1, nil)
    _ = try await sink.commit()
    try await expect(fixture, 1, batches(1))
  }

  /// `abandon` removes what was written.
  public static let abandonLeavesNothing = RowSinkLaw("an abandoned output leaves nothing") { fixture in
    let sink = try await fixture.open(2, schema)
    try await begin(sink, batches(2))
    await sink.abandon()
    try await expect(fixture, 2, nil)
  }

  /// A value that the output cannot have is refused with its row.
  public static let namesRows = RowSinkLaw("a refused value names its row") { fixture in
    guard let refused = fixture.refused else { return }
    let sink = try await fixture.open(3, schema)
    do throws(Problem) {
      _ = try await sink.write(all: batches(3, last: refused))
    } catch {
      if error.kind == .badData, error.record == 99 { return }
      throw LawViolation("the problem is “\(error)” of row \(error.record ?? -1)")
    }
    throw LawViolation("the value was written")
  }

  /// Two outputs that are written at once.
  public static let areIndependent = RowSinkLaw("two outputs at once do not mix") { fixture in
    let sinks = [try await fixture.open(4, schema), try await fixture.open(5, schema)]
    for (place, sink) in sinks.enumerated() { try await begin(sink, batches(4 + place)) }
    for sink in sinks { try await sink.finish() }
    for sink in sinks { _ = try await sink.commit() }
    for place in [4, 5] { try await expect(fixture, place, batches(place)) }
  }

  /// Writes the batches, in the order that the sink asks for.
  private static func begin(_ sink: any RowSink, _ batches: [RowBatch]) async throws(Problem) {
    let rows = try PartitionOrder.rows(
      of: BufferedRows(schema: schema, batches: batches), by: sink.order, scratch: NoScratch(), threads: 1)
    try await sink.begin(ColumnMetrics(head: batches))
    try await sink.open()
    while let batch = try await rows.next()?.batch() {
      let group = PreparedRows([batch], capacity: 1 << 12)
      try sink.prepare(group)
      try await sink.write(group)
    }
  }
}
