import Files
import Glibc
public import Rows
public import Sources

/// The directory of a source's recorded responses: `recording.json`, and the expected rows of each dataset in
/// `expected`.
public struct RecordingDirectory: Sendable {
  private let path: String

  /// The most bytes of a file that are read: 256 MiB.
  private static let most = 256 << 20

  /// Creates the access to a directory, which need not exist yet.
  public init(_ path: String) {
    var path = path
    while path.count > 1, path.last == "/" { path.removeLast() }
    self.path = path
  }

  private var file: String { "\(path)/recording.json" }
  private func expected(_ dataset: String) -> String {
    "\(path)/expected/\(TableFileName.stem(of: dataset)).json"
  }

  /// Reads the recording.
  /// - Throws: `noInput` if there is none, `badData` for another file.
  public func recording() throws(Problem) -> SourceRecording {
    do throws(Problem) {
      return try SourceRecording(try FileByteSource(input: file).bytes(limit: Self.most), name: file)
    } catch {
      guard error.kind == .noInput else { throw error }
      throw Problem(.noInput, "recording not found", at: path)
    }
  }

  /// Writes the recording, in place of an earlier one.
  /// - Throws: `cannotCreate` for a file that is not a recording, `permission`, `io`.
  public func write(_ recording: SourceRecording) async throws(Problem) {
    if let old = try FileByteSource.ifPresent(file)?.bytes(limit: Self.most), !SourceRecording.isRecording(old) {
      throw Problem(
        .cannotCreate, "refusing to replace a file that is not a recording", at: file, hint: "name another directory")
    }
    try Self.make(path)
    try await write(recording.bytes, to: file)
  }

  /// The expected rows of a dataset, as JSON; nil if there are none.
  /// - Throws: `permission`, `io`.
  public func rows(of dataset: String) throws(Problem) -> (bytes: [UInt8], name: String)? {
    let file = expected(dataset)
    return try FileByteSource.ifPresent(file).map { (old) throws(Problem) in (try old.bytes(limit: Self.most), file) }
  }

  /// Writes the expected rows of a dataset.
  /// - Throws: `permission`, `io`.
  public func write(_ rows: [UInt8], of dataset: String) async throws(Problem) {
    try Self.make("\(path)/expected")
    try await write(rows, to: expected(dataset))
  }

  private static func make(_ path: String) throws(Problem) {
    guard Temporaries.makeDirectory(path, mode: 0o777) != 0, errno != EEXIST else { return }
    throw Problem.posix(errno, "create the directory", path)
  }

  private func write(_ bytes: [UInt8], to file: String) async throws(Problem) {
    let sink = try FileSink(path: file)
    do throws(Problem) {
      try sink.append(bytes)
      try await sink.commit()
    } catch {
      await sink.abandon()
      throw error
    }
  }
}
