import CommandLineKit
import Rows

/// A small program that uses everything a description can say.
enum Fixture {
  static let format = Option.value(
    "format", short: "f", "FORMAT", values: .words(["csv", "json"]), in: "Output", "write this format")
  static let output = Option.value(
    "output", short: "o", "FILE", values: .file, repeatable: true, in: "Output", "write here")
  static let columns = Option.value("columns", "A,B", values: .list("column"), in: "Selection", "these columns")
  static let limit = Option.value("limit", "N", in: "Selection", "stop after N rows")
  static let quiet = Option.flag("quiet", short: "q", in: "General", "say nothing")
  static let verbose = Option.flag("verbose", short: "v", in: "General", "say more")
  static let table = Command(
    "table", "write a table", arguments: [Argument("NAME", values: .dynamic("dataset"), "the table")],
    options: [format, output, columns, limit],
    examples: ["people -f csv"])
  static let plugins = Command(
    "plugins", "look after plug-ins",
    subcommands: [
      Command("list", "list them"), Command("info", "describe one", arguments: [Argument("NAME", "its name")]),
    ])
  static let copy = Command(
    "copy", "copy files", arguments: [Argument("FILE", values: .file, count: .any, "what to copy")])
  static let program = Program(
    "demo", version: "1.2.3", released: "2026-01-31", "shows things", commands: [table, plugins, copy],
    defaultCommand: "table",
    options: [quiet, verbose],
    topics: [Program.Topic("where", "the grammar of conditions", "COLUMN OP VALUE")], examples: ["people --limit 3"],
    synonyms: [
      Synonym("--head", "-n", for: "--limit"), Synonym("ls", for: "list"), Synonym("cp", for: "copy"),
    ])

  static func parse(_ words: String...) throws(Problem) -> Invocation { try program.parse(words) }
  /// The message and hint of the problem a command line gives; empty when it gives none.
  static func complaint(_ words: String...) -> String {
    do throws(Problem) {
      _ = try program.parse(words)
      return ""
    } catch {
      return error.kind == .usage ? error.description : "a problem of another type: \(error)"
    }
  }
}
