import Files
import Glibc
import Rows
import TestSupport

extension TemporaryDirectory {
  /// Temporary files of the code under test.
  static let scratch = TemporaryScratch(directory: TemporaryDirectory().path)

  func read(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
  func bytes(_ name: String) throws -> [UInt8] {
    let source = try FileByteSource(path: "\(path)/\(name)")
    var bytes = ArenaBuilder()
    while try source.read(into: &bytes, limit: 4096) > 0 {}
    return bytes.bytes
  }
  func write(_ name: String, _ text: String) async throws {
    let sink = try FileSink(path: "\(path)/\(name)")
    try await sink.write(Self.buffer(text))
    try await sink.commit()
  }
  static func buffer(_ text: String) -> ByteBuffer {
    var bytes = ByteBuffer()
    bytes.append(bytes: Array(text.utf8))
    return bytes
  }
  func mode(_ name: String) -> UInt32 {
    var status = stat()
    _ = unsafe stat("\(path)/\(name)", &status)
    return status.st_mode & 0o7777
  }
}
