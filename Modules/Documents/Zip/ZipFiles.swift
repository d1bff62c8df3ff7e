public import Rows

/// The files of a ZIP archive, each read on its own.
public struct ZipFiles: Sendable {
  private let archive: ZipArchive

  /// Reads the list of files.
  /// - Throws: `badData` for an archive that cannot be read, `io`.
  public init(_ source: any RandomAccessSource) throws(Problem) { archive = try ZipArchive(source) }

  /// The names, without directories.
  public var names: [String] { archive.entries.map(\.name).filter { !$0.hasSuffix("/") } }

  /// The contents of a file.
  /// - Throws: `badData` for a damaged or encrypted file, a duplicate name, and for more bytes than `limit`.
  public func bytes(of name: String, limit: Int) throws(Problem) -> [UInt8] {
    guard let entry = try archive.entry(named: name) else {
      throw Problem(.badData, "the archive has no \(name)", at: archive.source.name)
    }
    let place = "\(archive.source.name):\(name)",
      tooLarge = Problem(.badData, "is larger than \(limit >> 20) MiB", at: place)
    guard entry.size <= limit else { throw tooLarge }
    var bytes = ByteBuffer(capacity: min(entry.size, 1 << 20))
    try ZipEntryReader(archive, entry).forEachPiece { (piece) throws(Problem) in
      bytes.append(piece)
      if bytes.count > limit { throw tooLarge }
    }
    return bytes.bytes()
  }
}
