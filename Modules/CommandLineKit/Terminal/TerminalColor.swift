package import Codecs

package enum ColorChoice: String, Sendable, CaseIterable {
  /// On a terminal, unless the environment says otherwise.
  case auto
  /// Always, even in a pipe; never in a file.
  case always
  case never
}

extension TerminalStyle {
  /// The style of a stream.
  ///
  /// - Parameters:
  ///   - choice: the choice of the user, which the environment does not change unless it is `auto`.
  ///   - variables: the environment: `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, `TERM`.
  ///   - isTerminal: whether the stream is a terminal.
  package init(_ choice: ColorChoice, _ variables: [String: String], isTerminal: Bool) {
    let term = variables["TERM"] ?? "", force = variables["CLICOLOR_FORCE"] ?? ""
    let isColored =
      switch choice {
      case .always: true
      case .never: false
      case .auto:
        if !(variables["NO_COLOR"] ?? "").isEmpty {
          false
        } else if !force.isEmpty, force != "0" {
          true
        } else {
          isTerminal && variables["CLICOLOR"] != "0" && term != "dumb"
        }
      }
    self.init(isColored: isColored, hasLinks: isColored && isTerminal && !["dumb", "linux", ""].contains(term))
  }
}
