public import Rows

/// A format whose files can hold several tables.
public protocol ContainerFormat: Exporter {
  /// Opens a file for several tables.
  /// - Parameters:
  ///   - tables: the names of the tables.
  ///   - sink: the destination of the file.
  ///   - scratch: for a table until it is complete.
  /// - Throws: `cannotCreate` if an existing file must not be replaced.
  func container(
    of tables: [String], in sink: any ByteSink, scratch: any ScratchSpace
  ) throws(Problem) -> any TableContainer
}

/// A file of several tables, which are written one after another.
public protocol TableContainer: Sendable {
  /// The sink for the bytes of the encoder of a table: `commit` adds the table, `abandon` drops it.
  /// - Throws: `usage` for a name that another table has.
  func sink(for schema: Schema, options: ExportOptions) throws(Problem) -> any ByteSink
  /// Publishes the file with the tables that were added.
  func commit() async throws(Problem)
  /// Removes what was written.
  func abandon() async
}

/// A format that adds its tables to a container.
public struct ContainedFormat: Exporter {
  private let format: any ContainerFormat
  private let container: any TableContainer

  /// Creates the format of the tables of a container that `format` opened.
  public init(_ format: any ContainerFormat, in container: any TableContainer) {
    self.format = format
    self.container = container
  }

  /// The description of the format.
  public var descriptor: ExporterDescriptor { format.descriptor }
  /// The measurements of the format.
  public func measuring(with options: ExportOptions) -> ExporterDescriptor.Measuring { format.measuring(with: options) }
  /// The measurements of the format.
  public func measure(_ batch: RowBatch, of schema: Schema, options: ExportOptions, into layout: inout ColumnMetrics) {
    format.measure(batch, of: schema, options: options, into: &layout)
  }
  /// An encoder of the format.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder { try format.makeEncoder(for: schema, options: options, layout: layout) }
  /// A table of the container; `sink` is not used.
  public func sink(
    around sink: any ByteSink, of schema: Schema, options: ExportOptions
  ) throws(Problem) -> any ByteSink { try container.sink(for: schema, options: options) }
}
