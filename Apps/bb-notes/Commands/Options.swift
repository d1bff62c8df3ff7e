import Domain
import AppShell
import CommandLineKit

/// Options that several commands take, described once.
enum Options {
  private static let general = "General"
  static let storage = Option.value(
    "storage", "STORE", values: .file, setting: .store, in: general,
    "store to use: sqlite:FILE, csv:DIR, json:DIR, postgres://HOST/DATABASE, or a path")
  /// Taken by every command.
  static let everywhere = [storage] + SharedOptions.everywhere

  private static let selection = "Selection"
  static let season = Option.value("season", "N", setting: .season, in: selection, "filter by season")
  static let episode = Option.value(
    "episode", "N", setting: .episode, in: selection, "filter by episode number within the season")

  private static let action = "Action"
  static let yes = Option.flag("yes", short: "y", in: action, "do not ask for confirmation")
  static let dryRun = Option.flag("dry-run", in: action, "show what would change, without changing anything")
}
