import Glibc
import Synchronization

/// A new, empty, private directory for the files of a test. It exists until the process exits: all directories of a
/// process are in one directory, which is removed then. It is codable so that exit tests can capture it.
package struct TemporaryDirectory: Codable, Sendable {
  package let path: String

  package init() {
    path = "\(Self.root)/\(Self.count.add(1, ordering: .relaxed).newValue)"
    unsafe mkdir(path, 0o700)
  }

  /// The names in the directory, sorted.
  package func names() -> [String] { Self.names(path) }

  /// The names in the directory at `path`, sorted; none if it cannot be read.
  package static func names(_ path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private static let count = Atomic(0)

  /// The directory in which all of them are: `$TMPDIR`, or `/tmp`.
  package static let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"

  private static let root: String = {
    var template = Array("\(parent)/bb-tests-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { fatalError("cannot create a directory in \(parent)") }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // A test may continue as another user.
    unsafe chmod(path, 0o711)
    atexit { TemporaryDirectory.remove(TemporaryDirectory.root) }
    return path
  }()

  private static func remove(_ path: String) {
    if unsafe unlink(path) == 0 { return }
    unsafe chmod(path, 0o700)
    for name in names(path) { remove("\(path)/\(name)") }
    unsafe rmdir(path)
  }
}
