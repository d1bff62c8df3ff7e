import Codecs
public import Domain
public import Rows

/// A violation of a law: the sample, the expectation and the result.
public struct LawViolation: Error, Sendable, CustomStringConvertible {
  /// The expectation and the result.
  public let description: String
  /// A violation.
  public init(_ description: String) { self.description = description }
}

/// An exporter as the laws see it: the format, its options, and how its documents are read back when that can be done.
public struct ExporterFixture: Sendable, CustomStringConvertible {
  /// Reads a document of rows of the schema.
  public typealias Reader = @Sendable (_ document: [UInt8], _ schema: Schema) async throws -> [[Value]]

  /// How failures name it.
  public let description: String
  /// The format.
  public let exporter: any Exporter
  /// Its options.
  public let options: ExportOptions
  /// The reader of its documents; nil for formats that only people read.
  public let reader: Reader?
  /// Whether it refuses some values of exact tables, naming them.
  public let refusesValues: Bool
  /// Whether its documents are text.
  public let isText: Bool
  /// Whether the format, which is exact, has reals that are not finite.
  public let hasNonfinite: Bool

  /// A fixture.
  public init(
    _ description: String, _ exporter: any Exporter, options: ExportOptions = ExportOptions(), reader: Reader? = nil,
    refusesValues: Bool = false, isText: Bool = true, hasNonfinite: Bool = false
  ) {
    self.description = description
    self.exporter = exporter
    self.options = options
    self.reader = reader
    self.refusesValues = refusesValues
    self.isText = isText
    self.hasNonfinite = hasNonfinite
  }

  /// A sink for rows of a table, and the bytes that it writes.
  func sink(_ schema: Schema) async throws(Problem) -> (sink: any RowSink, bytes: KeptBytes) {
    let kept = KeptBytes()
    try exporter.descriptor.check(columns: schema.width)
    return (try await exporter.sink(for: schema, options: options) { () throws(Problem) in kept }, kept)
  }

  /// Whether the format can do with the table: some need columns of coordinates or names, some refuse values.
  public func takes(_ table: SampleTable) async -> Bool {
    do throws(Problem) {
      let sink = try await sink(table.schema).sink
      try await sink.begin(ColumnMetrics())
      await sink.abandon()
      if refusesValues { _ = try await document(table) }
      return true
    } catch {
      return error.kind != .usage && !(refusesValues && error.kind == .badData && error.record != nil)
    }
  }

  /// The whole document of a table, its rows in batches of `size`.
  public func document(_ table: SampleTable, batchesOf size: Int = 7) async throws(Problem) -> [UInt8] {
    let (sink, kept) = try await sink(table.schema)
    _ = try await sink.write(all: table.batches(of: size))
    return await kept.bytes
  }

  /// The encoded form of each batch of a table by itself.
  fileprivate func encoded(_ table: SampleTable, batchesOf size: Int) async throws(Problem) -> [PreparedRows] {
    let sink = try await sink(table.schema).sink, batches = table.batches(of: size)
    var metrics = ColumnMetrics(head: batches)
    for batch in batches { sink.measure(batch, into: &metrics) }
    try await sink.begin(metrics)
    let rows = batches.map { PreparedRows([$0], capacity: 1 << 12) }
    for rows in rows { try sink.prepare(rows) }
    await sink.abandon()
    return rows
  }
}

actor KeptBytes: ByteSink {
  nonisolated let name = "memory"
  private(set) var bytes: [UInt8] = []

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) { self.bytes += bytes.bytes() }
  func commit() async throws(Problem) {}
  func abandon() async { bytes = [] }
}

/// One thing that holds for every exporter, over every sample table.
public struct ExporterLaw: Sendable, CustomStringConvertible {
  /// The law as text.
  public let description: String
  /// Throws a `LawViolation` where the law does not hold.
  public let check: @Sendable (ExporterFixture) async throws -> Void

  private init(_ description: String, _ check: @escaping @Sendable (ExporterFixture) async throws -> Void) {
    self.description = description
    self.check = check
  }

  /// A law that is checked on each sample table by itself.
  private static func forEachTable(
    _ description: String, _ check: @escaping @Sendable (ExporterFixture, SampleTable) async throws -> Void
  ) -> ExporterLaw {
    ExporterLaw(description) { fixture in
      var isTaken = false
      for table in SampleTable.all where await fixture.takes(table) {
        isTaken = true
        try await check(fixture, table)
      }
      if !isTaken { throw LawViolation("the format takes none of the tables") }
    }
  }

  /// Every law.
  public static let all: [ExporterLaw] = [
    batchingDoesNotShow, literalsDoNotShow, encodingIsPure, documentsAreText, emptyIsADocument, nullIsNotEmpty,
    readsBack, showsEveryCharacter, drivesNoTerminal, namesWhatItRefuses, carriesLongCells, limitsHold,
  ]

  /// The bytes do not depend on the division of rows into batches.
  public static let batchingDoesNotShow = forEachTable("batching does not change the bytes") { fixture, table in
    let whole = try await fixture.document(table, batchesOf: .max / 2)
    for size in [1, 3] where try await fixture.document(table, batchesOf: size) != whole {
      throw LawViolation("\(table): batches of \(size) give other bytes than one batch")
    }
  }

  /// A store gives the literal of a number where an API gives the number.
  public static let literalsDoNotShow = forEachTable(
    "a number and its literal give the same bytes"
  ) { fixture, table in
    let rows = table.rows.map { row in
      zip(row, table.schema.columns).map { $1.type == .integer || $1.type == .real ? $0.withLiteralNumber : $0 }
    }
    let literals = SampleTable(table.description, table.schema, rows)
    if try await fixture.document(literals) != fixture.document(table) {
      throw LawViolation("\(table): the bytes differ")
    }
  }

  /// A batch may be encoded any number of times.
  public static let encodingIsPure = forEachTable("encoding a batch twice gives the same bytes") { fixture, table in
    let batches = table.batches(of: 5), sink = try await fixture.sink(table.schema).sink
    var metrics = ColumnMetrics(head: batches)
    for batch in batches { sink.measure(batch, into: &metrics) }
    try await sink.begin(metrics)
    for batch in batches {
      let first = PreparedRows([batch], capacity: 16), second = PreparedRows([batch], capacity: 16)
      try sink.prepare(first)
      try sink.prepare(second)
      let rows = first.bytes.count > 0 ? first.part.rows : batch.count
      if rows != batch.count { throw LawViolation("\(table): reports \(rows) of \(batch.count) rows") }
      if first.bytes.bytes() != second.bytes.bytes() || first.part != second.part {
        throw LawViolation("\(table): the second time differs")
      }
    }
    await sink.abandon()
  }

  /// Documents are UTF-8 and end with a line end.
  public static let documentsAreText = forEachTable("a document is UTF-8 and ends with a line end") { fixture, table in
    guard fixture.isText else { return }
    let document = try await fixture.document(table)
    if String(validating: document, as: UTF8.self) == nil { throw LawViolation("\(table): not UTF-8") }
    if !document.isEmpty, document.last != 0x0A { throw LawViolation("\(table): no line end at the end") }
  }

  /// No rows is still a document: exact formats read back no rows, display formats show the columns.
  public static let emptyIsADocument = ExporterLaw("no rows is still a document") { fixture in
    for (none, some) in [(SampleTable.empty, SampleTable.hostile), (.noPlaces, .places)] {
      guard await fixture.takes(none), await fixture.takes(some) else { continue }
      let document = try await fixture.document(none)
      if let reader = fixture.reader {
        let rows = try await reader(document, none.schema)
        if !rows.isEmpty { throw LawViolation("\(rows.count) rows were read from an empty table") }
      }
      if document == (try await fixture.document(some)) { throw LawViolation("an empty table looks like a full one") }
    }
  }

  /// In exact formats null and the empty text give different documents.
  public static let nullIsNotEmpty = ExporterLaw("null is not the empty text") { fixture in
    guard fixture.exporter.descriptor.isExact else { return }
    let one = Schema("t", columns: [ColumnDescription("c", .text)])
    for schema in [one, SampleTable.empty.schema, SampleTable.noPlaces.schema] {
      func table(_ value: Value) -> SampleTable {
        SampleTable("", schema, [schema.columns.map { $0.type == .text ? value : .null }])
      }
      guard await fixture.takes(table(.null)) else { continue }
      if try await fixture.document(table(.null)) == fixture.document(table(.text(""))) {
        throw LawViolation("they look the same in \(schema.width) columns")
      }
    }
  }

  /// Exact formats read back value for value, null for null.
  public static let readsBack = forEachTable("what is read back is what was written", checkReadsBack)

  /// A cell of 5 MB goes through whole.
  public static let carriesLongCells = ExporterLaw("a cell of 5 MB is written whole") { fixture in
    guard fixture.options.terminalWidth == nil, await fixture.takes(.long) else { return }
    let size = SampleTable.long.rows.reduce(0) { size, row in
      if case .text(let bytes) = row[1] { return size + bytes.count }
      return size
    }
    if fixture.isText, try await fixture.document(.long).count < size {
      throw LawViolation("the document is smaller than its cells")
    }
    try await checkReadsBack(fixture, .long)
  }

  /// As many columns as the format says are written and read back, one more is refused; without a limit there may be
  /// 20,000.
  public static let limitsHold = ExporterLaw("a table at the limit is written, above it refused") { fixture in
    guard fixture.options.terminalWidth == nil else { return }
    let descriptor = fixture.exporter.descriptor, most = descriptor.limits.columns
    let table = SampleTable.columns(most ?? 20_000)
    guard let most else {
      if await fixture.takes(table) { _ = try await fixture.document(table) }
      return
    }
    try await checkReadsBack(fixture, table)
    do throws(Problem) {
      _ = try await fixture.document(SampleTable.columns(most + 1))
    } catch {
      let message = "\(descriptor.name): the table has \(most + 1) columns; the maximum is \(most)"
      guard error.kind == .badData, error.message == message else { throw LawViolation("the problem is “\(error)”") }
      return
    }
    throw LawViolation("\(most + 1) columns were written; the limit is \(most)")
  }

  private static func checkReadsBack(_ fixture: ExporterFixture, _ table: SampleTable) async throws {
    guard let reader = fixture.reader else { return }
    let rows = try await reader(try await fixture.document(table), table.schema)
    if rows.count != table.rows.count { throw LawViolation("\(table): \(table.rows.count) rows became \(rows.count)") }
    for (row, (read, written)) in zip(rows, table.rows).enumerated() {
      for column in table.schema.columns.indices {
        let wanted = written[column].withLiteralNumber, found = read[column].withLiteralNumber
        if wanted != found {
          let name = table.schema.columns[column].name
          throw LawViolation("\(table): row \(row + 1), \(name): \(wanted.shown) became \(found.shown)")
        }
      }
    }
  }

  /// Display formats show every letter, digit and sign outside ASCII of a value, in order, in the text of its row.
  public static let showsEveryCharacter = forEachTable("every character is shown") { fixture, table in
    guard !fixture.exporter.descriptor.isExact, fixture.options.terminalWidth == nil else { return }
    for (row, encoded) in try await fixture.encoded(table, batchesOf: 1).enumerated() {
      let shown = String(decoding: encoded.bytes.bytes(), as: UTF8.self).unicodeScalars
      for case .text(let bytes) in table.rows[row] {
        var rest = shown[...]
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where scalar.isPlainlyShown {
          guard let found = rest.firstIndex(of: scalar) else {
            throw LawViolation("\(table): row \(row + 1): \(scalar.debugDescription) of a value is not shown")
          }
          rest = rest[rest.index(after: found)...]
        }
      }
    }
  }

  /// Display formats never pass on what moves a terminal's cursor, colours it or rings its bell.
  public static let drivesNoTerminal = forEachTable("no control character reaches a terminal") { fixture, table in
    guard !fixture.exporter.descriptor.isExact else { return }
    let document = String(decoding: try await fixture.document(table), as: UTF8.self)
    // The line ends of vCards are CRLF.
    for scalar in document.replacing("\r\n", with: "\n").unicodeScalars {
      let isAllowed = scalar == "\n" || scalar == "\t" || scalar.value == 0x85
      if !isAllowed, scalar.properties.generalCategory == .control {
        throw LawViolation("\(table): \(scalar.debugDescription) is in the document")
      }
    }
  }

  /// A real that is not finite is refused by exact formats without such reals, with record and column; display formats
  /// show it.
  public static let namesWhatItRefuses = ExporterLaw("what is refused is named") { fixture in
    let columns: [ColumnDescription] = [
      ColumnDescription("latitude", .real), ColumnDescription("longitude", .real), ColumnDescription("rating", .real),
      ColumnDescription("name", .text),
    ]
    let table = SampleTable(
      "NaN", Schema("t", columns: columns),
      [[.real(1), .real(1), .real(1), .text("a")], [.real(2), .real(1), .real(.nan), .text("b")]])
    do throws(Problem) {
      let document = try await fixture.document(table, batchesOf: 8)
      if fixture.hasNonfinite { return }
      if fixture.exporter.descriptor.isExact { throw Problem(.bug, "NaN was written") }
      if !String(decoding: document, as: UTF8.self).contains("NaN") { throw Problem(.bug, "NaN is not shown") }
    } catch {
      if error.kind != .badData || error.record != 1 || !error.message.contains("rating") {
        throw LawViolation("the problem is “\(error)”")
      }
    }
  }
}

extension Value {
  /// The value with its number as a literal, in which two readers agree.
  fileprivate var withLiteralNumber: Value {
    switch self {
    case .integer(let value): .number(Array(String(value).utf8))
    case .real(let value) where value.isFinite: .number(value.canonicalText)
    default: self
    }
  }

  fileprivate var shown: String {
    let text = String(describing: self)
    switch self {
    case .text(let bytes), .json(let bytes), .number(let bytes):
      return "“\(String(decoding: bytes.prefix(60), as: UTF8.self))”"
    default: return String(text.prefix(60))
    }
  }
}

extension Unicode.Scalar {
  /// Whether every display format shows the scalar as itself.
  fileprivate var isPlainlyShown: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: false
    default: value >= 0x80 || properties.isAlphabetic || properties.numericType != nil
    }
  }
}
