public import Rows

/// An editor in which the user edits a text.
public protocol TextEditor: Sendable {
  /// Opens the file at `path` in the editor, and returns when the user has finished.
  /// - Returns: 0 if the user saved the text; otherwise the exit code of the editor, and the text is to be discarded.
  /// - Throws: `usage` if there is no terminal, `configuration` if the editor cannot be started.
  func edit(fileAt path: String) async throws(Problem) -> Int32
}

/// Texts that are being written, each in a private file, so that none is lost.
public protocol DraftDirectory: Sendable {
  /// Makes a draft.
  ///
  /// - Parameters:
  ///   - text: the text, in UTF-8.
  ///   - name: the subject, used in the file name.
  /// - Returns: its path.
  func make(_ text: [UInt8], about name: String) throws(Problem) -> String
  /// The text of a draft.
  /// - Throws: `badData` when it is not UTF-8.
  func text(at path: String) throws(Problem) -> [UInt8]
  /// A value that differs after a draft was saved, even if its text is the same.
  func version(of path: String) throws(Problem) -> [Int64]
  /// Deletes a draft that is no longer needed.
  func remove(_ path: String)
}
