/// Private temporary files, for sorts and spools that outgrow memory. They vanish with the process, however it ends.
public protocol ScratchSpace: Sendable {
  /// A new, empty file that only this process can see.
  /// - Throws: `io` when there is no room for it.
  func makeFile() throws(Problem) -> any ScratchFile
}

/// Bytes that are appended, then read back from any position.
public protocol ScratchFile: Sendable {
  /// Bytes written so far.
  var count: Int { get }
  /// Appends bytes.
  func append(_ bytes: borrowing ByteBuffer) throws(Problem)
  /// Reads up to `length` bytes at `offset` and appends them. Returns how many; 0 at the end.
  func read(at offset: Int, length: Int, into text: inout ArenaBuilder) throws(Problem) -> Int
}

/// No temporary files: for selections that fit into memory.
public struct NoScratch: ScratchSpace {
  /// No temporary files.
  public init() {}
  /// Always throws.
  public func makeFile() throws(Problem) -> any ScratchFile {
    throw Problem(.bug, "internal error: temporary files are not available here")
  }
}
