import CommandLineKit

/// Options that several commands take, described once.
enum Options {
  private static let general = "General"
  static let storage = Option.value(
    "storage", "STORAGE", values: .file, in: general,
    "where the records are: sqlite:FILE, csv:FOLDER, json:FOLDER, or a path")
  static let errors = Option.value(
    "errors", "FORM", values: .words(["text", "json"]), in: general, "how errors are written")
  static let quiet = Option.flag("quiet", short: "q", in: general, "say only what went wrong")
  /// Taken by every command.
  static let everywhere = [storage, quiet, errors]

  private static let selection = "Selection"
  static let production = Option.value(
    "production", "NAME", values: .dynamic("production"), in: selection, "of this show: a full name, or bb, bcs, ec")
  static let season = Option.value("season", "N", in: selection, "of this season")
  static let episode = Option.value("episode", "N", in: selection, "of this number within the season")
  static let filter = Option.value(
    "where", "CONDITION", repeatable: true, in: selection, "for which 'COLUMN OP VALUE' holds; all must hold")
  static let sort = Option.value(
    "sort", "A,B:desc", values: .list("column"), in: selection, "sort by these columns; null comes last")
  static let columns = Option.value(
    "columns", "A,B", values: .list("column"), in: selection, "show these columns, in this order")
  static let limit = Option.value("limit", "N", in: selection, "show at most N")
  static let offset = Option.value("offset", "N", in: selection, "leave out the first N")
  /// Which records a list shows.
  static let selecting = [filter, sort, columns, limit, offset]

  private static let output = "Output"
  static let format = Option.value(
    "format", short: "f", "FORMAT", values: .dynamic("format"), in: output,
    "in this format; else a table on a terminal, and markdown elsewhere")
  static let formatOption = Option.value(
    "option", "KEY=VALUE", repeatable: true, in: output, "an option of the format, as [FORMAT.]KEY=VALUE")
  static let json = Option.flag("json", in: output, "one JSON object for scripts: {\"bb\":1,\"kind\":…,\"items\":[…]}")
  static let plain = Option.flag("plain", in: output, "a record a line, values parted by tabs, nothing else")
  /// How a list is shown.
  static let showing = [format, formatOption, json, plain]

  private static let action = "Action"
  static let yes = Option.flag("yes", short: "y", in: action, "do not ask")
}
