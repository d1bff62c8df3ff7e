public import Rows

/// Where a person edits a text.
public protocol TextEditor: Sendable {
  /// Lets a person edit the file at `path`, and returns when that is done.
  /// - Returns: 0 when the text is meant; else the editor's exit code, and the text is not.
  /// - Throws: `usage` when nobody is there to edit, `configuration` when the editor cannot be started.
  func edit(fileAt path: String) async throws(Problem) -> Int32
}

/// Texts that are being written, each in a private file, so that none is lost.
public protocol DraftFolder: Sendable {
  /// Makes a draft.
  ///
  /// - Parameters:
  ///   - text: the text, in UTF-8.
  ///   - name: what it is about, for people who look into the folder.
  /// - Returns: its path.
  func make(_ text: [UInt8], about name: String) throws(Problem) -> String
  /// The text of a draft.
  /// - Throws: `badData` when it is not UTF-8.
  func text(at path: String) throws(Problem) -> [UInt8]
  /// Removes a draft that nobody needs any more.
  func remove(_ path: String)
}
