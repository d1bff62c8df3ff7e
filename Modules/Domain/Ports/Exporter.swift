import Codecs
public import Rows

/// Opens the destination of an output's bytes.
public typealias OpenBytes = @Sendable () async throws(Problem) -> any ByteSink

/// An output format as a value: its description, and a factory of sinks of rows.
public protocol Exporter: Sendable {
  /// The description for help texts, suffix matching and plug-in lists.
  var descriptor: ExporterDescriptor { get }
  /// The table that outputs go to; nil for formats of files.
  var table: OutputTable? { get }
  /// Whether there is an output already, for formats whose outputs are tables.
  /// - Parameter table: the name of the records.
  func exists(_ table: String) async throws(Problem) -> Bool
  /// A sink for rows of `schema`.
  ///
  /// - Parameters:
  ///   - schema: the schema of the rows.
  ///   - options: the options of the format.
  ///   - open: opens the destination, for formats of files.
  /// - Throws: `usage` for an option or a schema the format cannot do; for a table, the errors of reading it.
  func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink
  /// Opens a file for several tables; nil if the format's files hold one.
  /// - Parameters:
  ///   - tables: the names of the tables.
  ///   - sink: the destination of the file.
  ///   - scratch: for a table until it is complete.
  ///   - existing: the action for a table that a file has already.
  /// - Throws: `cannotCreate` if an existing file must not be replaced.
  func container(
    of tables: [String], in sink: any ByteSink, scratch: any ScratchSpace, existing: ExistingOutput
  ) throws(Problem) -> (any TableContainer)?
}

extension Exporter {
  /// A format of files.
  public var table: OutputTable? { nil }
  /// The output is a file.
  public func exists(_ table: String) async throws(Problem) -> Bool { false }
  /// Files of one table.
  public func container(
    of tables: [String], in sink: any ByteSink, scratch: any ScratchSpace, existing: ExistingOutput
  ) throws(Problem) -> (any TableContainer)? { nil }
}

/// A format whose files are what encoders make of rows.
public protocol ByteFormat: Exporter {
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
}

extension ByteFormat {
  /// An encoder for a table that is within the format's limits.
  /// - Throws: `badData` for a larger one; the errors of `makeEncoder`.
  func encoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    try descriptor.check(columns: schema.width)
    return try makeEncoder(for: schema, options: options, layout: layout)
  }
  /// The encoded rows.
  public func sink(
    for schema: Schema, options: ExportOptions, into open: @escaping OpenBytes
  ) async throws(Problem) -> any RowSink { EncodedFile(self, of: schema, options, open: open) }
  /// The value of the descriptor.
  public func measuring(with options: ExportOptions) -> ExporterDescriptor.Measuring { descriptor.measuring }
  /// Nothing to measure.
  public func measure(_ batch: RowBatch, of schema: Schema, options: ExportOptions, into layout: inout ColumnMetrics) {}
}

/// A table that an output goes to.
public struct OutputTable: Sendable {
  /// Its name, without secrets.
  public let name: String
  /// The possible actions if it exists.
  public let existing: [ExistingOutput]
  /// Those that leave rows in it which the output does not have: it cannot be verified.
  public let merging: [ExistingOutput]
  /// The options that do not apply to the states of a stored table; nil if it does not take those.
  public let excludedFromStates: [String]?

  /// Describes a table.
  public init(
    _ name: String, existing: [ExistingOutput], merging: [ExistingOutput] = [], excludedFromStates: [String]? = nil
  ) {
    (self.name, self.existing, self.merging) = (name, existing, merging)
    self.excludedFromStates = excludedFromStates
  }
}

/// A file of several tables, which are written one after another.
public protocol TableContainer: Sendable {
  /// The sink of a table: `commit` adds the table, `abandon` drops it.
  /// - Throws: `usage` for a name that another table has.
  func sink(for schema: Schema, options: ExportOptions) async throws(Problem) -> any RowSink
  /// Publishes the file with the tables that were added.
  func commit() async throws(Problem)
  func abandon() async
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
  /// The possible actions for a file that exists; without any of them, it is replaced.
  public var existing: [ExistingOutput] {
    switch name {
    case "sqlite": [.append, .upsert, .replace, .truncate]
    case "csv", "tsv", "ndjson": [.append, .replace]
    default: [.replace]
    }
  }
  /// Whether it writes no rows, but what all rows have in common.
  package var describesRows: Bool { Self.descriptions.contains(name) }
  /// The formats that do.
  package static let descriptions = ["json-schema", "csvw", "frictionless"]
  /// Whether its files are not text.
  public var isBinary: Bool { mediaType.hasPrefix("application/vnd.") }
  /// The number of lines before the first row that a terminal shows again after each screen.
  public let headerLines: Int
  /// Whether it writes the escape sequences of `ExportOptions.style`, and lets none of the data pass.
  public let isStyled: Bool
  /// Whether each value has its own type: bytes and text in one column are distinct, and text among JSON values needs
  /// no quotes.
  let isTypedByValue: Bool
  /// The options of `--option NAME.key=value`.
  public let options: [Option]
  /// The largest table.
  public let limits: Limits
  /// Whether readers cannot tell its Base64 texts from other text.
  package var losesBytes: Bool
  /// What it needs of columns that are read from text; nil for their types.
  public var neededTypes: NeededTypes.Others?
  /// Whether its files can hold several tables.
  public let holdsSeveralTables: Bool
  /// Extensions of files that it can write as well, in a form of their own, when it was chosen by name.
  public var drawings: [String] = []

  /// The rows that a format measures before the first one is encoded.
  public enum Measuring: Sendable, Hashable {
    case none
    /// The first rows, in `ColumnMetrics.head`.
    case head(rows: Int)
    /// The findings of `Exporter.measure` in all rows.
    case all
  }

  /// The largest table of a format; nil for any size.
  public struct Limits: Sendable, Hashable {
    /// The most columns, at least 1.
    public var columns: Int?
    var records: Int?
    /// The most characters of a value, in UTF-16 code units.
    var characters: Int?

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
    /// The accepted values: words joined by `|`, or a placeholder such as `TEXT`.
    public let values: String
    /// One sentence without a full stop, naming the default.
    public let summary: String
    /// Other spellings of `key`, accepted but not shown.
    let aliases: [String]
    /// Whether the value names columns of the output.
    public private(set) var namesColumns = false
    /// Creates an option whose value names columns.
    public static func columns(_ key: String, _ values: String, _ summary: String) -> Option {
      var option = Option(key, values, summary)
      option.namesColumns = true
      return option
    }
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
      let words = values.split(at: "|").map(String.init)
      return words.count > 1 ? words : nil
    }
  }

  /// A description of a format.
  public init(
    _ name: String, fileExtensions: [String], mediaType: String, summary: String, isExact: Bool,
    measuring: Measuring = .none, headerLines: Int = 0, isStyled: Bool = false, isTypedByValue: Bool = false,
    options: [Option] = [], limits: Limits = Limits(), holdsSeveralTables: Bool = false
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
    losesBytes = isExact && !isTypedByValue
    self.options = options
    self.limits = limits
    self.holdsSeveralTables = holdsSeveralTables
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
