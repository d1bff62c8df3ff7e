import CommandLineKit
import Domain

/// The program's description: help, completions, man page and parsing are made from it.
enum BBNotes {
  static let version = "0.1.0"

  static let production = Option.value(
    "production", "NAME", values: .dynamic("production"), in: "Selection", "of this show: a full name, or bb, bcs, ec")
  static let season = Option.value("season", "N", in: "Selection", "of this season")
  static let format = Option.value(
    "format", short: "f", "FORMAT", values: .dynamic("format"), in: "Output", "markdown when not said")
  static let errors = Option.value(
    "errors", "FORM", values: .words(["text", "json"]), in: "General", "how errors are written")

  static let episodes = Command(
    "episodes", "list the episodes one can choose, in order of production, season and number",
    options: [production, season, format],
    examples: ["episodes --production bcs --season 1"])
  static let completions = Command(
    "completions", "print a script that completes command lines",
    arguments: [Argument("SHELL", values: .words(Completions.Shell.allCases.map(\.rawValue)), "bash, zsh or fish")])
  static let help = Command(
    "help", "show help for a command, or the manual page",
    arguments: [Argument("TOPIC", values: .words(["man"]), count: .optional, "a command, or man for the manual page")])

  static let program = Program(
    "bb-notes", version: version, "keep notes on episodes", commands: [episodes, completions, help], options: [errors],
    topics: [], examples: ["episodes --production bb"])
}
