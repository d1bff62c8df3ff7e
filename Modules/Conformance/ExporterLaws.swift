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
  /// How its documents are read back; nil for formats that only people read.
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

  /// Whether the format can do with the table: some need columns of coordinates or names, some refuse values.
  public func takes(_ table: SampleTable) -> Bool {
    do {
      _ = try exporter.encoder(for: table.schema, options: options, layout: ColumnMetrics())
      if refusesValues { _ = try document(table) }
      return true
    } catch {
      return error.kind != .usage && !(refusesValues && error.kind == .badData && error.record != nil)
    }
  }

  /// The measurements of rows before the first one is encoded.
  public func layout(of batches: [RowBatch], _ schema: Schema) -> ColumnMetrics {
    var layout = ColumnMetrics()
    switch exporter.measuring(with: options) {
    case .none: break
    case .all: for batch in batches { exporter.measure(batch, of: schema, options: options, into: &layout) }
    case .head(let rows):
      var head = ColumnMetrics.Head(rows: rows)
      for batch in batches { head.append(batch) }
      (layout.head, layout.isWhole) = (head.batches, !head.isFull)
    }
    return layout
  }

  /// The whole document of a table, its rows in batches of `size`.
  public func document(_ table: SampleTable, batchesOf size: Int = 7) throws(Problem) -> [UInt8] {
    let batches = table.batches(of: size)
    let encoder = try exporter.encoder(for: table.schema, options: options, layout: layout(of: batches, table.schema))
    var out = ByteBuffer(capacity: 1024)
    try encoder.begin(&out)
    var all = EncodedPart()
    for group in encoder.groupBytes > 0 ? [batches] : batches.map({ [$0] }) {
      if all.rows > 0, group.contains(where: { $0.count > 0 }) { out.append(encoder.separator) }
      all.merge(try encoder.encode(group, &out))
    }
    try encoder.finish(all, &out)
    return out.bytes()
  }
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
      let tables = SampleTable.all.filter(fixture.takes)
      if tables.isEmpty { throw LawViolation("the format takes none of the tables") }
      for table in tables { try await check(fixture, table) }
    }
  }

  /// Every law.
  public static let all: [ExporterLaw] = [
    batchingDoesNotShow, literalsDoNotShow, encodingIsPure, documentsAreText, emptyIsADocument, nullIsNotEmpty,
    readsBack, showsEveryCharacter, drivesNoTerminal, namesWhatItRefuses, carriesLongCells, limitsHold,
  ]

  /// The bytes do not depend on the division of rows into batches.
  public static let batchingDoesNotShow = forEachTable("batching does not change the bytes") { fixture, table in
    let whole = try fixture.document(table, batchesOf: .max / 2)
    for size in [1, 3] where try fixture.document(table, batchesOf: size) != whole {
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
    if try fixture.document(literals) != fixture.document(table) { throw LawViolation("\(table): the bytes differ") }
  }

  /// A batch may be encoded any number of times.
  public static let encodingIsPure = forEachTable("encoding a batch twice gives the same bytes") { fixture, table in
    let batches = table.batches(of: 5)
    let layout = fixture.layout(of: batches, table.schema)
    let encoder = try fixture.exporter.encoder(for: table.schema, options: fixture.options, layout: layout)
    for batch in batches {
      var first = ByteBuffer(capacity: 16), second = ByteBuffer(capacity: 16)
      let part = try encoder.encode(batch, &first)
      let again = try encoder.encode(batch, &second)
      if part.rows != batch.count { throw LawViolation("\(table): reports \(part.rows) of \(batch.count) rows") }
      if first.bytes() != second.bytes() || part != again { throw LawViolation("\(table): the second time differs") }
    }
  }

  /// Documents are UTF-8 and end with a line end.
  public static let documentsAreText = forEachTable("a document is UTF-8 and ends with a line end") { fixture, table in
    guard fixture.isText else { return }
    let document = try fixture.document(table)
    if String(validating: document, as: UTF8.self) == nil { throw LawViolation("\(table): not UTF-8") }
    if !document.isEmpty, document.last != 0x0A { throw LawViolation("\(table): no line end at the end") }
  }

  /// No rows is still a document: exact formats read back no rows, display formats show the columns.
  public static let emptyIsADocument = ExporterLaw("no rows is still a document") { fixture in
    for (none, some) in [(SampleTable.empty, SampleTable.hostile), (.noPlaces, .places)]
    where fixture.takes(none) && fixture.takes(some) {
      let document = try fixture.document(none)
      if let reader = fixture.reader {
        let rows = try await reader(document, none.schema)
        if !rows.isEmpty { throw LawViolation("\(rows.count) rows were read from an empty table") }
      }
      if document == (try fixture.document(some)) { throw LawViolation("an empty table looks like a full one") }
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
      guard fixture.takes(table(.null)) else { continue }
      if try fixture.document(table(.null)) == fixture.document(table(.text(""))) {
        throw LawViolation("they look the same in \(schema.width) columns")
      }
    }
  }

  /// Exact formats read back value for value, null for null.
  public static let readsBack = forEachTable("what is read back is what was written", checkReadsBack)

  /// A cell of 5 MB goes through whole.
  public static let carriesLongCells = ExporterLaw("a cell of 5 MB is written whole") { fixture in
    guard fixture.options.terminalWidth == nil, fixture.takes(.long) else { return }
    let size = SampleTable.long.rows.reduce(0) { size, row in
      if case .text(let bytes) = row[1] { return size + bytes.count }
      return size
    }
    if fixture.isText, try fixture.document(.long).count < size {
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
      if fixture.takes(table) { _ = try fixture.document(table) }
      return
    }
    try await checkReadsBack(fixture, table)
    do throws(Problem) {
      _ = try fixture.document(SampleTable.columns(most + 1))
    } catch {
      let message = "\(descriptor.name): the table has \(most + 1) columns; the maximum is \(most)"
      guard error.kind == .badData, error.message == message else { throw LawViolation("the problem is “\(error)”") }
      return
    }
    throw LawViolation("\(most + 1) columns were written; the limit is \(most)")
  }

  private static func checkReadsBack(_ fixture: ExporterFixture, _ table: SampleTable) async throws {
    guard let reader = fixture.reader else { return }
    let rows = try await reader(try fixture.document(table), table.schema)
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
    let batches = table.batches(of: 1)
    let layout = fixture.layout(of: batches, table.schema)
    let encoder = try fixture.exporter.encoder(for: table.schema, options: fixture.options, layout: layout)
    var out = ByteBuffer(capacity: 1024)
    for (row, batch) in batches.enumerated() {
      out.removeAll()
      _ = try encoder.encode(batch, &out)
      let shown = String(decoding: out.bytes(), as: UTF8.self).unicodeScalars
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
    let document = String(decoding: try fixture.document(table), as: UTF8.self)
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
      let document = try fixture.document(table, batchesOf: 8)
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

  /// For messages: short.
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
