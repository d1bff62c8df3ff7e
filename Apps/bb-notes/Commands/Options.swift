import CommandLineKit

/// Options that several commands take, described once.
enum Options {
  private static let general = "General"
  static let storage = Option.value(
    "storage", "STORE", values: .file, in: general,
    "store to use: sqlite:FILE, csv:DIR, json:DIR, or a path")
  static let errors = Option.value(
    "errors", "FORMAT", values: .words(["text", "json"]), default: "text", in: general, "error format")
  static let quiet = Option.flag("quiet", short: "q", in: general, "suppress all messages except errors")
  /// Taken by every command.
  static let everywhere = [storage, quiet, errors]

  private static let selection = "Selection"
  static let production = Option.value(
    "production", "NAME", values: .dynamic("production"), in: selection, "filter by show: full name, or bb, bcs, ec")
  static let season = Option.value("season", "N", in: selection, "filter by season")
  static let episode = Option.value("episode", "N", in: selection, "filter by episode number within the season")
  static let filter = Option.value(
    "where", "CONDITION", repeatable: true, in: selection,
    "keep only rows that match 'COLUMN OP VALUE'; may be repeated (all must match)")
  static let sort = Option.value(
    "sort", "A,B:desc", values: .list("column"), in: selection, "sort by these columns; nulls sort last")
  static let columns = Option.value(
    "columns", "A,B", values: .list("column"), in: selection, "columns to show, in this order")
  static let limit = Option.value("limit", "N", in: selection, "show at most N rows")
  static let offset = Option.value("offset", "N", in: selection, "skip the first N rows")
  /// Which records a list shows.
  static let selecting = [filter, sort, columns, limit, offset]

  private static let output = "Output"
  static let format = Option.value(
    "format", short: "f", "FORMAT", values: .dynamic("format"), default: "table on a terminal, otherwise markdown",
    in: output,
    "output format")
  static let formatOption = Option.value(
    "option", "KEY=VALUE", repeatable: true, in: output, "set a format option: [FORMAT.]KEY=VALUE; may be repeated")
  static let json = Option.flag("json", in: output, "output one JSON object: {\"bb\":1,\"kind\":…,\"items\":[…]}")
  static let plain = Option.flag(
    "plain", in: output, "output one record per line, with tab-separated values and no header")
  /// The display options of a list.
  static let showing = [format, formatOption, json, plain]

  private static let action = "Action"
  static let yes = Option.flag("yes", short: "y", in: action, "do not ask for confirmation")
}
