public import Domain
public import Rows

/// The reader of an output.
public enum OutputAudience: Sendable {
  /// The user, who chose no format.
  case user
  /// A script that reads the lines of `--plain`.
  case scripts
  /// A program that reads a format which was chosen.
  case files
}

/// The differences between the outputs of commands.
public struct OutputPolicy: Sendable {
  /// The format of standard output, and of files without extension, unless the command line or a setting names one.
  public var defaultFormat = "markdown"
  /// The format on a terminal instead; nil for the default format.
  public var interactiveFormat: String? = "table"
  /// The columns that a reader gets if the command line names none; all unless given.
  public var columns: [OutputAudience: [String]] = [:]
  /// Whether users see times in their time zone.
  public var showsLocalTimes = false
  /// The kind of records in the JSON object of `--json`: `notes`.
  public var kind = ""
  /// The source and the selection of the rows, to recognize a repetition of a command.
  public var origin = ""
  /// Whether the rows report on records, which the Delta tables among the outputs receive instead.
  public var isReport = false
  /// The directory of the images of the store that the records come from; nil for records of another source.
  public var storedImages: (@Sendable () throws(Problem) -> String)?
  /// The format of standard output, whatever the command line and the settings say; nil for theirs.
  public var exporter: (any Exporter)?
  /// The number of threads without `--threads`; nil for one for each core.
  public var threads: Int?

  /// Creates the policy of a command that shows a table on a terminal, and writes markdown elsewhere.
  public init() {}
}
