import Query
import Glibc
package import Rows

/// Prompts on a terminal. Standard output is not used: it is reserved for results.
package struct Dialog: Sendable {
  private let tell: @Sendable (_ text: String) throws(Problem) -> Void
  private let line: @Sendable (_ question: String) throws(Problem) -> String?

  /// Creates a dialog.
  /// - Parameters:
  ///   - tell: writes text to the terminal.
  ///   - ask: asks for a line; nil if there is no more.
  package init(
    tell: @escaping @Sendable (_ text: String) throws(Problem) -> Void,
    ask: @escaping @Sendable (_ question: String) throws(Problem) -> String?
  ) {
    self.tell = tell
    line = ask
  }

  /// A dialog on standard input and standard error.
  package static let onTerminal = Dialog(
    tell: { (text) throws(Problem) in try Terminal.write(text, to: 2) }, ask: readLine)

  /// Asks for a line.
  /// - Returns: the line without its end; nil when there is no more (Ctrl-D).
  func ask(_ question: String) throws(Problem) -> String? { try line(question) }

  private static func readLine(_ question: String) throws(Problem) -> String? {
    try Terminal.write(Terminal.safe(question), to: 2)
    var line: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      let count = unsafe read(0, &byte, 1)
      if count == 1 {
        if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
        line.append(byte)
      } else if count == 0 {
        try Terminal.write("\n", to: 2)
        return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
      } else if errno != EINTR {
        throw Problem(
          .io, "cannot read from the terminal: \(unsafe String(cString: strerror(errno)))", at: "the terminal")
      }
    }
  }

  /// Asks a question that only `y` or `yes` answers with yes.
  package func confirms(_ question: String) throws(Problem) -> Bool {
    let answer = try ask("\(question) [y/N] ")?.lowercased()
    return answer == "y" || answer == "yes"
  }

  /// Prompts for one of several choices: by its number, or by a unique part of its name.
  /// - Returns: its position; nil if the user cancels (Ctrl-D, an empty line, `q`).
  package func choose(_ title: String, among choices: [String]) throws(Problem) -> Int? {
    let width = String(choices.count).count
    var list = title + "\n"
    for (position, choice) in choices.enumerated() {
      let number = String(position + 1)
      list += "  \(String(repeating: " ", count: width - number.count))\(number)  \(choice)\n"
    }
    try tell(Terminal.safe(list))
    while let answer = try ask("number or name (empty to cancel): ") {
      if answer.isEmpty || answer == "q" { return nil }
      if let number = Int(answer), choices.indices.contains(number - 1) { return number - 1 }
      let wanted = Fold.folded(answer)
      let found = choices.indices.filter { Fold.folded(choices[$0]).contains(wanted) }
      if found.count == 1, Int(answer) == nil { return found[0] }
      try tell(
        found.isEmpty || Int(answer) != nil ? "no match\n" : "\(found.count) matches; type more of the name\n")
    }
    return nil
  }
}
