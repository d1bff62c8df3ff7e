package import CommandLineKit
package import Rows

/// Options that are read into one value. Each is declared once: its description together with its effect.
package protocol OptionGroup: Sendable {
  /// The value without options.
  init()
  /// The options, in the order of the help.
  static var bindings: [OptionBinding<Self>] { get }
  /// Notes that the configuration and not the command line has set an option, which may not apply.
  mutating func prefer(_ setting: Setting)
}

/// An option, and its effect on a value.
package struct OptionBinding<Group: Sendable>: Sendable {
  package let option: Option
  /// Applies the option, which was given or is set by the configuration.
  let apply: @Sendable (_ group: inout Group, _ invocation: Invocation) throws(Problem) -> Void

  /// Sets a member to true if the flag is given.
  package static func flag(
    _ option: Option, _ member: any WritableKeyPath<Group, Bool> & Sendable
  ) -> OptionBinding {
    OptionBinding(option: option) { (group, invocation) throws(Problem) in
      group[keyPath: member] = invocation.isOn(option)
    }
  }
  /// Sets a member to the value that `parse` makes of the text.
  package static func value<Value>(
    _ option: Option, _ member: any WritableKeyPath<Group, Value> & Sendable,
    _ parse: @escaping @Sendable (_ text: String) throws(Problem) -> Value
  ) -> OptionBinding {
    OptionBinding(option: option) { (group, invocation) throws(Problem) in
      if let text = invocation.setting(option) { group[keyPath: member] = try parse(text) }
    }
  }
  /// Sets a member to the values that `parse` makes of the texts of an option that may be repeated.
  package static func value<Value>(
    _ option: Option, _ member: any WritableKeyPath<Group, [Value]> & Sendable,
    _ parse: @escaping @Sendable (_ text: String) throws(Problem) -> [Value]
  ) -> OptionBinding {
    OptionBinding(option: option) { (group, invocation) throws(Problem) in
      var texts = invocation.all(option)
      if texts.isEmpty, let text = invocation.setting(option) { texts = [text] }
      var values: [Value] = []
      for text in texts { values += try parse(text) }
      group[keyPath: member] = values
    }
  }
  /// Sets a member to a whole number.
  package static func number(
    _ option: Option, _ member: any WritableKeyPath<Group, Int?> & Sendable, in range: ClosedRange<Int>,
    times unit: Int = 1
  ) -> OptionBinding {
    OptionBinding(option: option) { (group, invocation) throws(Problem) in
      group[keyPath: member] = try invocation.integer(option, in: range).map { $0 * unit }
    }
  }
}

extension OptionGroup {
  package static var options: [Option] { bindings.map(\.option) }

  package mutating func prefer(_ setting: Setting) {}

  /// Reads the options of the group that were given or are set by the configuration.
  /// - Throws: `usage` for an invalid value.
  package init(_ invocation: Invocation) throws(Problem) {
    self.init()
    try add(invocation)
  }

  /// Reads the options that were given or are set, in place of those so far.
  package mutating func add(_ invocation: Invocation) throws(Problem) {
    for binding in Self.bindings where invocation.setting(binding.option) != nil || invocation.has(binding.option) {
      try binding.apply(&self, invocation)
      if !invocation.has(binding.option), let setting = binding.option.setting { prefer(setting) }
    }
  }
}
