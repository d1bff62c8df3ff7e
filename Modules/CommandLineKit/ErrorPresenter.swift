import Codecs
package import Rows

/// Words the remedies of libraries for the running command: a setting is named by the option of this command, and is
/// omitted if the command has none.
package struct ErrorPresenter: Sendable {
  private let options: [Setting: Option]
  private let actions: @Sendable (Action) -> String?

  /// Creates the presenter of a command.
  /// - Parameter actions: the command line of an action; nil if no program has it.
  package init(_ program: Program, _ command: Command, actions: @escaping @Sendable (Action) -> String?) {
    let bound = program.options(of: command).compactMap { option in option.setting.map { ($0, option) } }
    options = Dictionary(bound) { first, _ in first }
    self.actions = actions
  }

  /// The text of a remedy; empty if this command can do nothing about the problem.
  package func hint(_ remedy: Remedy) -> String { remedy.text(option: spelling, action: actions) }

  /// The problem with its message and hint worded for the command.
  package func worded(_ problem: Problem) -> Problem {
    var copy = problem
    copy.hint = .advice(hint(problem.hint))
    if let setting = problem.setting, let option = spelling(setting) {
      copy.message = "\(option.name) \(problem.message)"
      copy.setting = nil
    }
    return copy
  }

  /// A warning and its hint in one line.
  func text(of warning: Warning) -> String {
    let hint = hint(warning.hint)
    return hint.isEmpty ? warning.message : "\(warning.message); \(hint)"
  }

  private func spelling(_ setting: Setting) -> Remedy.Spelling? {
    if let option = options[setting] {
      let placeholder = option.placeholder ?? ""
      return Remedy.Spelling(
        name: "--\(option.name)", prefix: "--\(option.name) ", placeholder: placeholder,
        takesValue: !placeholder.isEmpty)
    }
    guard setting.name.hasPrefix(Setting.formatOptionPrefix), let option = options[.formatOptions] else { return nil }
    let key = setting.name.dropFirst(Setting.formatOptionPrefix.count)
    return Remedy.Spelling(
      name: "--\(option.name) \(key)", prefix: "--\(option.name) \(key)=", placeholder: "VALUE", takesValue: true)
  }
}
