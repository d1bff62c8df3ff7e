import Domain
import Query
import Codecs
import Dialects
package import CommandLineKit

/// The options of outputs, as `OutputPlan` reads them.
package enum OutputOptions {
  private static let group = "Output"
  package static let output = Option.value(
    "output", short: "o", "FILE", values: .file, repeatable: true, in: group,
    "write to FILE or s3://BUCKET/KEY (format from its extension), or - for standard output; may be repeated; {COLUMN}, "
      + "{n} and {date} in the path make partitions; delta:DIR is a Delta table")
  /// The format of standard output, and of files without extension.
  static let format = Option.value(
    "format", short: "f", "FORMAT", values: .dynamic("format"),
    default: "table on a terminal, otherwise that of the input or csv",
    setting: .outputFormat, in: group, "output format"
  ).excluding("json", "plain")
  static let width = Option.value(
    "width", "N", default: "width of the terminal", in: group, "table: fit into N columns; 0 for no limit")
  /// Whether a table shows long text on several lines.
  static let wrap = Option.flag(
    "wrap", in: group, "table: show long text on up to three lines instead of cutting it to one")
  /// Whether long output on a terminal is not shown by a pager.
  static let noPager = Option.flag("no-pager", in: group, "do not show long output with a pager")
  static let imageDirectory = Option.value(
    "image-dir", "DIR", values: .file, setting: .imageDirectory, in: group,
    "html: show the images that bb-export images stored in DIR")
  package static let formatOption = Option.value(
    "option", "KEY=VALUE", values: .dynamic("option"), repeatable: true, setting: .formatOptions, in: group,
    "set an option of a format or place: [FORMAT.]KEY=VALUE; may be repeated; help FORMAT lists them")
  /// Whether to write a JSON object for scripts.
  static let json = Option.flag("json", in: group, "output one JSON object: {\"bb\":1,\"kind\":…,\"items\":[…]}")
    .excluding("plain")
  /// Whether to write lines for scripts.
  static let plain = Option.flag(
    "plain", in: group, "output one record per line, with tab-separated values and no header")
  private static let delimiter = Option.value(
    "delimiter", "CHAR", default: "comma", in: group,
    "csv: field delimiter: a character, or comma, tab, semicolon, pipe, space")
  private static let null = Option.value(
    "null", "TEXT", default: "empty field", in: group, "csv, tsv: text to write for null")
  private static let lineEnding = Option.value(
    "line-ending", "STYLE", values: .words(["lf", "crlf"]), default: "lf", in: group, "csv, tsv: line ending")
  package static let noHeaders = Option.flag("no-headers", in: group, "csv, tsv: do not write a header row")
    .excluding("headers")
  static let headers = Option.value(
    "headers", "WHEN", values: .words(["auto", "always", "never"]), default: "auto", in: group,
    "csv, tsv: when to write a header row; auto writes that of the input, if it has one")
  /// Where records of the input go that were changed or dropped.
  static let rejects = Option.value(
    "rejects", "FILE", values: .file, default: "with --repair and -o FILE: FILE.rejects.csv", setting: .rejects,
    in: group, "write the records that --repair or --ragged changed or dropped to FILE; none discards them")
  private static let nested = Option.value(
    "nested", "STYLE", values: .words(["json", "join", "flatten"]), default: "json", setting: .formatOption("nested"),
    in: group,
    "csv, tsv: how to write lists and JSON values")
  private static let formulas = Option.value(
    "csv-formulas", "POLICY", values: .words(["keep", "escape", "reject"]), default: "keep",
    setting: .formatOption("formulas"), in: group,
    "csv, tsv: how to write text that a spreadsheet would treat as a formula")
  private static let excel = Option.flag(
    "excel", in: group, "csv: write for Excel: byte order mark, CRLF, escaped formulas")
  private static let nonfinite = Option.value(
    "nonfinite", "POLICY", values: .words(["null", "string", "error"]), default: "error",
    setting: .formatOption("nonfinite"), in: group,
    "how to write NaN and infinities")
  /// Whether to write metadata files for CSV files.
  static let csvw = Option.flag(
    "csvw", in: group, "csv, tsv: also write column metadata to FILE-metadata.json (W3C CSV on the Web)")
  /// Whether to write a metadata file for all outputs.
  static let dataPackage = Option.flag(
    "datapackage", in: group,
    "also write a datapackage.json that describes the output files (Frictionless Data Package)")
  /// The action for a table on a server, or for partitions, that exist.
  static let existing = Option.value(
    "existing", "ACTION",
    values: .words(["refuse", "append", "replace", "replace-partitions", "truncate", "upsert"]), default: "refuse",
    setting: .existingOutput, in: group,
    "what to do with an existing table (sqlite, postgres, delta), text file (append), or files of partitions")
  /// Whether an existing file is an error.
  package static let noClobber = Option.flag("no-clobber", in: group, "fail instead of overwriting an existing file")
  static let summary = Option.value(
    "summary", "FORMAT", values: .words(["json"]), in: group,
    "print a summary (source, rows, bytes, SHA-256, seconds) to standard error")
  /// Whether outputs are read again.
  static let verify = Option.flag(
    "verify", in: group, "read the output files again and compare a digest of all rows with what was written")
  package static let threads = Option.value(
    "threads", "N", default: "number of CPU cores", in: "General", "number of threads")
  package static let memory = Option.value(
    "memory", "SIZE", default: "a quarter of the free memory, at most 1G", setting: .memory, in: "General",
    "memory for sorting and groups; what needs more goes to temporary files")
  package static let progress = Option.value(
    "progress", "WHEN", values: .words(["auto", "always", "never"]), default: "auto", in: "General",
    "when to show progress; auto means on a terminal")

  /// The options of formats that have an option of their own on the command line, and their keys.
  private static let shortcuts: [(option: Option, key: String)] = [
    (delimiter, "delimiter"), (null, "null"), (lineEnding, "line-ending"), (noHeaders, "headers"), (nested, "nested"),
    (formulas, "formulas"), (excel, "excel"), (nonfinite, "nonfinite"),
    (width, "width"), (wrap, "wrap"),
  ]
  /// The options of commands that write files, and have no others for servers.
  package static let exportingAnywhere = exporting + APIOptions.connecting
  /// The options of a record that is written in a format.
  package static let formats = [output, format, json, plain]
  /// The options of commands that write files.
  package static let exporting =
    [output, format, formatOption] + shortcuts.map(\.option) + [
      headers, rejects,
      csvw, dataPackage, imageDirectory, noClobber, existing, verify, summary, noPager, threads, memory, progress,
    ]
  /// The options of commands that show lists to users.
  package static let listing = [output, format, formatOption, width, wrap, json, plain, noPager]

  /// The format options that are set by the configuration, not by the command line; they apply to the formats that have
  /// them.
  static func configured(_ invocation: Invocation) -> [(key: String, value: String)] {
    shortcuts.compactMap { option, key in
      guard !invocation.has(option), let value = invocation.setting(option) else { return nil }
      return (key, option == noHeaders ? (value == "yes" ? "no" : "yes") : value)
    }
  }

  /// The format options that are given with options of their own, as `KEY=VALUE`.
  static func shortcuts(_ invocation: Invocation) -> [String] {
    shortcuts.filter { invocation.has($0.option) }.map { option, key in
      let flag = option == noHeaders ? "no" : "yes"
      return "\(key)=\(option.placeholder == nil ? flag : invocation[option] ?? "")"
    }
  }
}

extension Invocation {
  /// Whether messages are coloured.
  func hasColoredErrors(_ terminal: any TerminalPort) -> Bool { terminal.style(color, ofErrors: true).isColored }
  package var color: ColorChoice { setting(SharedOptions.color).flatMap(ColorChoice.init) ?? .auto }

  /// Whether to show progress: as `--progress` or the setting says, else on a terminal.
  var showsProgress: Bool {
    switch setting(OutputOptions.progress) ?? "auto" {
    case "always": true
    case "never": false
    default: Terminal.isTerminal(2) && !isOn(SharedOptions.quiet)
    }
  }
}
