public import Codecs
public import Rows

/// An output format as a value: its description, and a factory of encoders.
public protocol Exporter: Sendable {
  /// What help texts, suffix matching and plug-in lists are made of.
  var descriptor: ExporterDescriptor { get }
  /// Reads the output that exists, for formats that depend on it. Called once, before any row is read.
  /// - Returns: the columns by which the rows must be sorted.
  /// - Throws: `cannotCreate` if the output exists and must not; the errors of reading it.
  func prepare(_ options: ExportOptions) async throws(Problem) -> [String]
  /// The rows that are measured with these options before the first batch is encoded.
  func measuring(with options: ExportOptions) -> ExporterDescriptor.Measuring
  /// Adds the measurements of a batch to `layout`. Called for every batch, in order, if all rows are measured.
  func measure(_ batch: RowBatch, of schema: Schema, options: ExportOptions, into layout: inout ColumnMetrics)
  /// An encoder for rows of `schema`.
  ///
  /// - Parameters:
  ///   - schema: the schema of the rows.
  ///   - options: the options of the format.
  ///   - layout: what was measured; an empty one when nothing had to be.
  /// - Throws: `usage` for an option or a schema the format cannot do.
  func makeEncoder(for schema: Schema, options: ExportOptions, layout: ColumnMetrics) throws(Problem) -> any RowEncoder
  /// Wraps `sink` in a sink that processes the encoder's bytes, for formats that a program or a container writer
  /// produces. The wrapper receives the bytes of each batch in one piece.
  /// - Throws: `plugIn` if a program cannot be started, `io`.
  func sink(around sink: any ByteSink, of schema: Schema, options: ExportOptions) throws(Problem) -> any ByteSink
}

extension Exporter {
  /// An encoder for a table that is within the format's limits.
  /// - Throws: `badData` for a larger one; the errors of `makeEncoder`.
  public func encoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    try descriptor.check(columns: schema.width)
    return try makeEncoder(for: schema, options: options, layout: layout)
  }
  /// Nothing to read, and any order.
  public func prepare(_ options: ExportOptions) async throws(Problem) -> [String] { [] }
  /// Nothing: the encoder's bytes are the format's.
  public func sink(
    around sink: any ByteSink, of schema: Schema, options: ExportOptions
  ) throws(Problem) -> any ByteSink { sink }
  /// The value of the descriptor.
  public func measuring(with options: ExportOptions) -> ExporterDescriptor.Measuring { descriptor.measuring }
  /// Nothing to measure.
  public func measure(_ batch: RowBatch, of schema: Schema, options: ExportOptions, into layout: inout ColumnMetrics) {}
}

/// The name and the capabilities of a format.
public struct ExporterDescriptor: Sendable, Hashable {
  /// The word after `-f`.
  public let name: String
  /// File suffixes that choose it, without the dot, the usual one first.
  public let fileExtensions: [String]
  /// Its media type.
  public let mediaType: String
  /// A phrase without a period.
  public let summary: String
  /// Whether every value and null can be read back (else it is a display format, which shows every character).
  public let isExact: Bool
  /// The rows that are measured before the first one is encoded, whatever the options.
  public let measuring: Measuring
  /// Whether it shows images, those of `ExportOptions.images` among them.
  public var showsImages: Bool { options.contains { $0.key == "images" } }
  /// The number of lines before the first row that a terminal shows again after each screen.
  public let headerLines: Int
  /// Whether it writes the escape sequences of `ExportOptions.style`, and lets none of the data pass.
  public let isStyled: Bool
  /// Whether each value has its own type: bytes and text in one column are distinct, and text among JSON values needs
  /// no quotes.
  public let isTypedByValue: Bool
  /// The options of `--option NAME.key=value`.
  public let options: [Option]
  /// The largest table.
  public let limits: Limits
  /// The server that outputs go to, without secrets; nil for bytes that go to a file or a pipe.
  public var server: String?
  /// The possible actions for an output that exists; empty if the format leaves that to the file.
  public var existing: [ExistingOutput] = []

  /// The rows that a format measures before the first one is encoded.
  public enum Measuring: Sendable, Hashable {
    /// Nothing.
    case none
    /// The first rows, in `ColumnMetrics.head`.
    case head(rows: Int)
    /// What `Exporter.measure` finds in all rows.
    case all
  }

  /// The largest table of a format; nil for any size.
  public struct Limits: Sendable, Hashable {
    /// The most columns, at least 1.
    public var columns: Int?
    /// The most records.
    public var records: Int?
    /// The most characters of a value, in UTF-16 code units.
    public var characters: Int?

    /// No limits, or those given.
    public init(columns: Int? = nil, records: Int? = nil, characters: Int? = nil) {
      self.columns = columns
      self.records = records
      self.characters = characters
    }

    /// The limits, as in `2000 columns`; empty when there is none.
    public var description: String {
      [(columns, "columns"), (records, "records"), (characters, "characters per value")].compactMap { limit, what in
        limit.map { "\($0) \(what)" }
      }.joined(separator: "; ")
    }
  }

  /// One option of a format.
  public struct Option: Sendable, Hashable {
    /// The word before `=`.
    public let key: String
    /// What it takes: words joined by `|`, or a placeholder such as `TEXT`.
    public let values: String
    /// One sentence without a full stop, naming the default.
    public let summary: String
    /// Other spellings of `key`, accepted but not shown.
    public let aliases: [String]
    /// Creates an option.
    public init(_ key: String, aliases: [String] = [], _ values: String, _ summary: String) {
      self.key = key
      self.aliases = aliases
      self.values = values
      self.summary = summary
    }
    /// Whether `name` is the key or an alias.
    public func isNamed(_ name: String) -> Bool { key == name || aliases.contains(name) }
    /// The accepted values; nil if any text is accepted.
    public var choices: [String]? {
      let words = values.split(separator: "|").map(String.init)
      return words.count > 1 ? words : nil
    }
  }

  /// A description of a format.
  public init(
    _ name: String, fileExtensions: [String], mediaType: String, summary: String, isExact: Bool,
    measuring: Measuring = .none, headerLines: Int = 0, isStyled: Bool = false, isTypedByValue: Bool = false,
    options: [Option] = [], limits: Limits = Limits()
  ) {
    self.name = name
    self.fileExtensions = fileExtensions
    self.mediaType = mediaType
    self.summary = summary
    self.isExact = isExact
    self.measuring = measuring
    self.headerLines = headerLines
    self.isStyled = isStyled
    self.isTypedByValue = isTypedByValue
    self.options = options
    self.limits = limits
  }

  /// Refuses a table of more columns than the format has.
  /// - Throws: `badData` that names the format and the limit.
  public func check(columns count: Int) throws(Problem) {
    guard let most = limits.columns, count > most else { return }
    throw Problem(
      .badData, "\(name): the table has \(count) columns; the maximum is \(most)",
      hint: [.set(.columns, for: "choose columns"), .set(.outputFormat, for: "use another format")])
  }
}

/// Options for one output: what `--option`, `--delimiter`, `--null` … said, already narrowed to this format.
public struct ExportOptions: Sendable, Hashable {
  /// Values by key, as typed.
  public var values: [String: String]
  /// The width of the terminal the output goes to, in columns; nil for files and pipes.
  public var terminalWidth: Int?
  /// Colours and links on that terminal.
  public var style: TerminalStyle
  /// Whether the user chose the columns and their order.
  public var hasChosenColumns: Bool
  /// Images at hand, for pages.
  public var images: PageImages
  /// The action for an output that exists.
  public var existing = ExistingOutput.refuse
  /// The source and the selection of the rows, which identify a repetition of the same command.
  public var origin = ""

  /// No options, or those given.
  public init(
    _ values: [String: String] = [:], terminalWidth: Int? = nil, style: TerminalStyle = .plain,
    hasChosenColumns: Bool = false, images: PageImages = PageImages()
  ) {
    self.values = values
    self.terminalWidth = terminalWidth
    self.style = style
    self.hasChosenColumns = hasChosenColumns
    self.images = images
  }
}

/// The action for a table that an output is for and that exists.
public enum ExistingOutput: String, Sendable, Hashable, CaseIterable {
  /// It is an error.
  case refuse
  /// The rows are added.
  case append
  /// The table is replaced, with its columns.
  case replace
  /// The rows of the partitions that are written are replaced.
  case replacePartitions = "replace-partitions"
  /// The rows are replaced; the table stays.
  case truncate
  /// Rows with the same key are replaced, and others are added.
  case upsert
}

/// Measurements of rows before the first one is encoded.
public struct ColumnMetrics: Sendable {
  /// The widths of the values of each column; empty when nothing was measured.
  public var widths: [ColumnWidths]
  /// For formats that spread nested values over columns: what each column falls into (`1`, `2`, `city`, `geo.lat`),
  /// in the order seen; empty when nothing was measured.
  public var parts: [[String]]
  /// The first rows, of a format that measures them: at most as many as it asks for, and at most 8 MiB of text.
  public var head: [RowBatch]
  /// Whether `head` is the whole table.
  public var isWhole: Bool

  /// A layout.
  public init(
    widths: [ColumnWidths] = [], parts: [[String]] = [], head: [RowBatch] = [], isWhole: Bool = true
  ) {
    self.widths = widths
    self.parts = parts
    self.head = head
    self.isWhole = isWhole
  }

  /// Adds the widths and parts of the rows that follow.
  mutating func merge(_ next: ColumnMetrics) {
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
  public static let headBytes = 8 << 20

  /// The first rows of a table: at most `count`, with at most `headBytes` of text, for any size of batches.
  public struct Head: Sendable {
    /// The rows so far.
    public private(set) var batches: [RowBatch] = []
    /// Whether there is a row that is not among them.
    public private(set) var isFull = false
    private var rowsLeft: Int
    private var bytesLeft = ColumnMetrics.headBytes

    /// An empty head of at most `count` rows.
    public init(rows count: Int) { rowsLeft = count }

    /// Adds the rows of a batch that belong to the head.
    public mutating func append(_ batch: RowBatch) {
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

/// Encodes batches as bytes without state between batches: any core may encode any batch, also more than once, and the
/// bytes do not depend on where the batch is in the table. `begin` and `finish` are called once each.
public protocol RowEncoder: Sendable {
  /// The bytes between two rows. `encode` writes it between the rows of its batch; the caller writes it between batches
  /// that have rows.
  var separator: StaticString { get }
  /// Appends what precedes the first row.
  func begin(_ out: inout ByteBuffer) throws(Problem)
  /// Appends the rows of a batch.
  /// - Returns: what is to be reported; the caller merges the parts in order, once for each batch written.
  /// - Throws: `badData` with `record` set for a value that the format cannot represent.
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart
  /// The size in memory from which on batches are encoded together, in bytes; 0 for each batch by itself.
  var groupBytes: Int { get }
  /// Appends the rows of batches that are encoded together.
  /// - Returns, throws: as for one batch.
  func encode(_ group: [RowBatch], _ out: inout ByteBuffer) throws(Problem) -> EncodedPart
  /// Appends what follows the last row, given the merged parts of all batches.
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem)
  /// The warning after the export (`3 cells begin like a formula`), given the merged parts; nil if there is none.
  func warning(_ all: EncodedPart) -> Warning?
  /// The note below the rows on a terminal (`29 rows`), given the merged parts; nil if there is none.
  func footer(_ all: EncodedPart) -> Warning?
}

extension RowEncoder {
  /// Each batch by itself.
  public var groupBytes: Int { 0 }
  /// Appends the batches one by one, with separators between them.
  public func encode(_ group: [RowBatch], _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    var all = EncodedPart()
    for batch in group {
      if all.rows > 0, batch.count > 0 { out.append(separator) }
      do throws(Problem) { all.merge(try encode(batch, &out)) } catch { throw error.following(rows: all.rows) }
    }
    return all
  }
  /// No footer.
  public func footer(_ all: EncodedPart) -> Warning? { nil }
  /// No separator.
  public var separator: StaticString { "" }
  /// No warning.
  public func warning(_ all: EncodedPart) -> Warning? { nil }
}

/// Totals of the rows that an encoder encoded.
public struct EncodedPart: Sendable, Hashable {
  /// The number of rows.
  public var rows: Int
  /// The number of cells that `RowEncoder.warning` reports.
  public var reportedCells: Int
  /// The number of images that are not at hand.
  public var missingImages: Int
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
    filled.formUnion(next.filled)
    for var record in next.records {
      record.offset += byteCount
      records.append(record)
    }
    byteCount += next.byteCount
  }
}

extension Problem {
  /// The same problem, its record counted from a row that is `rows` rows before.
  func following(rows: Int) -> Problem {
    var problem = self
    if let record { problem.record = record + rows }
    return problem
  }
}
