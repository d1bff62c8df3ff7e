public import Rows

/// The words the process was started with.
public enum ProcessArguments {
  /// The words behind the program's name.
  /// - Throws: `usage` for a word that is not UTF-8: mended it would be another word, and name another file.
  public static func words() throws(Problem) -> [String] {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = unsafe CommandLine.unsafeArgv[index] else { break }
      guard let word = unsafe String(validatingCString: bytes) else {
        throw Problem(
          .usage, "“\(unsafe String(cString: bytes))” is not UTF-8",
          hint: "give the file another name, or hand it over on standard input")
      }
      words.append(word)
    }
    return words
  }
}
