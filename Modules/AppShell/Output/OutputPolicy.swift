import Codecs
package import CommandLineKit
package import Domain
import Rows

package enum OutputAudience: Sendable {
  /// The user, who chose no format.
  case user
  /// A script that reads the lines of `--plain`.
  case scripts
  /// A program that reads a format which was chosen.
  case files
}

/// The differences between the outputs of commands.
package struct OutputPolicy: Sendable {
  /// The format of standard output unless the command line or a setting names one, or it is a terminal.
  package var defaultFormat = "csv"
  /// The format on a terminal instead; nil for the default format.
  package var interactiveFormat: String? = "table"
  /// The columns that a reader gets if the command line names none; all unless given.
  package var columns: [OutputAudience: [String]] = [:]
  /// The same for tables of text in files; nil for the columns of files.
  package var tableColumns: [String]?
  /// Whether users see the first columns that fit, not the most useful ones.
  package var choosesColumns = false
  /// Whether users see times in their time zone.
  package var showsLocalTimes = false
  /// The kind of records in the JSON object of `--json`: `notes`.
  package var kind = ""
  /// The source and the selection of the rows, to recognize a repetition of a command.
  package var origin = ""
  /// Whether the rows report on records, which the Delta tables among the outputs receive instead.
  package var isReport = false
  /// The directory of the images of the store that the records come from; nil for records of another source.
  package var storedImages: Directory?
  /// The dataset of the records; nil if it is not known.
  package var dataset: String?
  /// The format of standard output, whatever the command line and the settings say; nil for theirs.
  package var exporter: (any Exporter)?
  /// The number of threads without `--threads`; nil for one for each core.
  package var threads: Int?

  /// Creates the policy of a command that shows a table on a terminal, and writes CSV elsewhere.
  package init() {}

  /// The policy of a command that reports: a table everywhere.
  package static let report: OutputPolicy = {
    var policy = OutputPolicy()
    policy.defaultFormat = "table"
    return policy
  }()

  /// Makes the format of the first input that of standard output, if it is a text format of rows.
  package mutating func follow(_ invocation: Invocation, first path: String?) {
    let suffix = path.flatMap { FileCompression.split($0).path.split(separator: "/").last?.split(separator: ".").last }
    follow(invocation.value(of: "from-format") ?? suffix.flatMap { FileFormat(suffix: String($0)) }?.name)
  }
  /// Makes `format` that of standard output, if it is a text format of rows.
  mutating func follow(_ format: String?) {
    if let format, ["csv", "tsv", "json", "ndjson"].contains(format) { defaultFormat = format }
  }
}
