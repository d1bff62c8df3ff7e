import Domain
import Glibc
package import Rows

/// The user's editor: `BB_EDITOR`, `VISUAL`, `EDITOR`, otherwise `vi` on a terminal.
package struct TerminalEditor: TextEditor {
  private let variables: [String: String]
  private let preferred: String?

  /// The editor that an environment names.
  /// - Parameter preferred: an editor from the configuration, after `BB_EDITOR` and before the others.
  package init(_ variables: [String: String], preferred: String? = nil) {
    self.variables = variables
    self.preferred = preferred
  }

  /// The command, with its arguments; nil when none is named.
  var command: String? {
    [variables["BB_EDITOR"], preferred, variables["VISUAL"], variables["EDITOR"]].compactMap { $0 }.first {
      !$0.isEmpty
    }
  }

  /// Starts the editor on the file, and waits for its end. Ctrl-C is the editor's while it runs.
  package func edit(fileAt path: String) async throws(Problem) -> Int32 {
    guard let text = command ?? (Terminal.isInteractive ? "vi" : nil) else {
      throw Problem(
        .usage, "cannot open an editor: standard input is not a terminal",
        hint: "set BB_EDITOR, or pass the text as an argument")
    }
    guard let words = ShellWords.split(text), !words.isEmpty else {
      throw Problem(.configuration, "unterminated quote in the editor command “\(text)”", hint: "check BB_EDITOR")
    }
    Signals.letsInterruptsPass(true)
    defer { Signals.letsInterruptsPass(false) }
    return try ChildProcess.run(words + [path], as: "editor")
  }
}
