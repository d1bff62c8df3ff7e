internal import CSystem
package import Rows

/// The words the process was started with.
package enum ProcessArguments {
  /// The name that the process was started with, without its directory; empty if it has none.
  package static var program: String { unsafe String(cString: bb_program()) }

  /// The arguments after the program's name.
  /// - Throws: `usage` for an argument that is not UTF-8: a repaired one would name another file.
  package static func words() throws(Problem) -> [String] {
    var words: [String] = [], values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    let count = unsafe Int(bb_arguments(&values))
    for index in 1..<max(1, count) {
      guard let bytes = unsafe values?[index] else { break }
      guard let word = unsafe String(validatingCString: bytes) else {
        throw Problem(
          .usage, "argument is not valid UTF-8: “\(unsafe String(cString: bytes))”",
          hint: "rename the file, or pass it on standard input")
      }
      words.append(word)
    }
    return words
  }
}
