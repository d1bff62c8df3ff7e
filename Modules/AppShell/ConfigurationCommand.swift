package import CommandLineKit
import Domain
package import Rows

/// The command `config`, which both programs have.
package enum ConfigurationCommand {
  package static let arguments = [
    Argument("ACTION", values: .words(["get", "set", "unset"]), count: .any, "get KEY, set KEY VALUE, or unset KEY")
  ]
  package static let actions = [
    CommandAction("get", key), CommandAction("set", key, Argument("VALUE", "new value")), CommandAction("unset", key),
  ]
  private static let key = Argument("KEY", values: .words(ConfigurationKey.all.map(\.name)), "setting")
  package static let discussion = """
    Without ACTION, lists the settings with their values and origins. A setting is an option of the command line, a variable BB_KEY of the \
    environment, or a line KEY = VALUE of the configuration file, in this order. Keys: \
    \(ConfigurationKey.all.map(\.name).joined(separator: ", ")).
    """
  package static let examples = [
    "config", "config get storage", "config set storage csv:notes", "config unset storage",
  ]

  /// The change that the arguments describe: a key and its new value, nil to remove it. Nil if the settings are to be
  /// listed.
  /// - Parameter arguments: an action and its arguments, or none.
  /// - Throws: `usage` for an unknown key.
  package static func change(_ arguments: [String]) throws(Problem) -> (key: ConfigurationKey, value: String?)? {
    guard let action = arguments.first else { return nil }
    guard let key = ConfigurationKey(named: arguments[1]) else {
      let names = ConfigurationKey.all.map(\.name)
      throw Problem(
        .usage, "unknown key “\(arguments[1])”", hint: .choose(arguments[1], from: names, "available keys"))
    }
    return action == "get" ? nil : (key, action == "set" ? arguments[2] : nil)
  }

  /// Changes a setting. Paths are stored as absolute ones.
  /// - Throws: `usage` for a value that the commands would refuse; errors of the file.
  package static func make(
    _ change: (key: ConfigurationKey, value: String?), _ services: AppServices
  ) async throws(Problem) {
    guard let text = change.value else { return try await services.configure(change.key, nil) }
    let value: String
    switch change.key {
    case .format:
      _ = try services.exporters.named(text)
      value = text
    case .storage:
      _ = try services.stores.open(text)
      value = try services.stores.absolute(text)
    default: value = try services.sources.checked(text, of: change.key)
    }
    try await services.configure(change.key, value)
    // In another directory a relative path would be another file.
    if value != text { services.report.result("set \(change.key.name) to \(services.shown(value))") }
  }

  /// The rows of the list: setting, value and origin; after `get`, the row of its key.
  package static func rows(_ invocation: Invocation, _ services: AppServices) throws(Problem) -> [[String]] {
    let storage = try services.stores.defaultLocation()
    var rows: [[String]] = []
    for key in ConfigurationKey.all {
      if let value = invocation.value(of: key.name) {
        rows.append([key.name, URLText.redacted(services.shown(value)), "command line"])
      } else if key == .storage {
        rows.append([key.name, services.shown(storage.location), storage.origin])
      } else {
        let setting = invocation.configuration[key]
        rows.append([
          key.name, URLText.redacted(setting?.value ?? key.fallback ?? ""), setting?.origin ?? "default",
        ])
      }
    }
    rows += services.directories.map { [$0.name, $0.path, "directory"] }
    for name in ["BB_NOW", "BB_PLUGIN_PATH", "http_proxy", "https_proxy", "all_proxy", "no_proxy", "TMPDIR"] {
      if let value = services.variables[name] { rows.append([name, URLText.redacted(value), "environment"]) }
    }
    if invocation.arguments.first == "get" {
      let key = invocation.arguments.last.flatMap(ConfigurationKey.init(named:))
      return rows.filter { $0[0] == key?.name }
    }
    return rows
  }
}

extension CommandEntry {
  // In this file, which uses Rows in another package declaration: the compiler does not count typed errors of an alias.
  package typealias Action = @Sendable (_ context: CommandContext) async throws(Problem) -> Void
}
