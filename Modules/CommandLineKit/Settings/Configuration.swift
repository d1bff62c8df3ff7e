import Codecs
package import Rows

/// The settings of a process: a variable of the environment, else the configuration file.
package struct Configuration: Sendable {
  package struct Setting: Sendable, Hashable {
    package let value: String
    /// The variable, or `configuration`, or `default`.
    package let origin: String
  }

  private let settings: [ConfigurationKey: Setting]

  /// Creates a configuration without settings.
  package init() { settings = [:] }

  /// Creates the configuration of a process.
  /// - Parameters:
  ///   - variables: the environment; an empty variable is not set.
  ///   - file: the settings in the configuration file, already checked.
  /// - Throws: `configuration` for a variable with an invalid value.
  package init(variables: [String: String], file: [ConfigurationKey: String]) throws(Problem) {
    var settings: [ConfigurationKey: Setting] = [:]
    // Usually there are none, and their names are not needed.
    let hasOwn = variables.keys.contains { $0.hasPrefix("BB_") }
    for key in ConfigurationKey.all {
      if hasOwn, let name = key.variables.first(where: { variables[$0]?.isEmpty == false }),
        let text = variables[name]
      {
        settings[key] = Setting(value: try Self.value(text, for: key, at: name), origin: name)
      } else if let value = file[key] {
        settings[key] = Setting(value: value, origin: "configuration")
      } else if let name = key.commonVariables.first(where: { variables[$0]?.isEmpty == false }),
        let value = variables[name]
      {
        settings[key] = Setting(value: value, origin: name)
      }
    }
    self.settings = settings
  }

  /// The setting of a key; nil if nothing sets it.
  package subscript(key: ConfigurationKey) -> Setting? { settings[key] }

  /// The place of a value in messages; empty for a key that is not set.
  package func place(of key: ConfigurationKey) -> String {
    settings[key].map { $0.origin == "configuration" ? "setting \(key.name)" : $0.origin } ?? ""
  }

  /// Returns a value in its usual form: `yes` for `true`, `on` and `1`, `no` for `false`, `off` and `0`.
  /// - Parameters:
  ///   - text: the value as it was written.
  ///   - key: the key.
  ///   - place: the place of the value, for messages.
  /// - Throws: `configuration` for an invalid value.
  static func value(
    _ text: String, for key: ConfigurationKey, at place: String = ""
  ) throws(Problem) -> String {
    let expected: String
    var value = text
    if key.isSwitch {
      let lower = text.lowercased()
      if ["true", "on", "1", "yes"].contains(lower) { value = "yes" }
      if ["false", "off", "0", "no"].contains(lower) { value = "no" }
    }
    switch key.expected {
    case nil: return value
    case .words(let words):
      if words.contains(value) { return value }
      expected = "one of: \(words.joined(separator: ", "))"
    case .number(let range):
      if value.utf8.allSatisfy({ $0 &- 48 < 10 }), let number = Int(value), range.contains(number) { return value }
      expected = "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .size:
      let digits = value.last.map { "kKMG".contains($0) } == true ? value.dropLast() : value[...]
      if digits.utf8.allSatisfy({ $0 &- 48 < 10 }), let number = Int(digits), (1...1 << 32).contains(number) {
        return value
      }
      expected = "a number of bytes, or as in 500k, 64M, 2G"
    case .delimiter:
      if (try? CSVStyle.delimiter(named: value)) != nil { return value }
      expected = "comma, tab, semicolon, pipe, space, or another ASCII character that is not part of a value"
    }
    throw Problem(
      .configuration, "invalid value “\(value)” for \(key.name)", at: place, hint: "expected \(expected)")
  }
}
