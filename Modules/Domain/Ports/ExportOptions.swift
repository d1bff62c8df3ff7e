public import Codecs
public import Documents
public import Rows

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
  /// Whether CSV files have the header of the source, with its empty and duplicate names.
  public var keepsTitles = false
  /// Images at hand, for pages.
  public var images: PageImages
  /// The types that the user gave columns, with the sizes of decimals.
  public var types = ColumnTypes()
  /// The action for an output that exists.
  public var existing = ExistingOutput.refuse
  /// The source and the selection of the rows, which identify a repetition of the same command.
  public var origin = ""

  /// The states of the stored table whose current rows are written; nil for other rows. An output that has the current
  /// state of the same origin is left unchanged; one that has an earlier state is replaced.
  public var states: TableStates?

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
