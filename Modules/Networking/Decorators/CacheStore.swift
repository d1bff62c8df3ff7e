import Codecs
import Glibc
import Synchronization

/// Cached responses: one private file each, written atomically; or an entry of a shelf, where many belong together.
///
/// The time at which a response was last found unchanged is the modification time of its file, so recording it needs no
/// write.
struct CacheStore: Sendable {
  private let directory: String
  private let written: CacheWritten
  private let shelves = CacheShelves()

  /// Where an entry is.
  enum Place: Sendable {
    case file(String)
    case shelf(CacheBundle, CacheBundle.Key)
  }

  init(directory: String) {
    self.directory = directory + "/http"
    written = CacheWritten(directory: self.directory)
  }

  /// The location of the response to a request.
  /// - Parameter shelf: the collection of the response, if there is one.
  func place(of question: String, on shelf: String? = nil) -> Place {
    let question = Array(question.utf8)
    guard let shelf else { return .file("\(directory)/\(SHA256.hex(question))") }
    return .shelf(shelves.shelf(shelf, in: directory), CacheBundle.Key(question))
  }

  /// The entry at a place; nil when there is none, or it is damaged.
  func entry(at place: Place) -> CacheEntry? {
    switch place {
    case .shelf(let shelf, let key): return shelf.entry(key)
    case .file(let path):
      guard written.mayHold(path), let (bytes, checked) = Self.read(path) else { return nil }
      return CacheEntry(bytes, checked: checked)
    }
  }

  /// Keeps an entry; false when it could not be written.
  @discardableResult func keep(_ entry: CacheEntry, at place: Place) -> Bool {
    switch place {
    case .shelf(let shelf, let key): return shelf.keep(entry, key)
    case .file(let path):
      written.note(path)
      return CacheFile(path: path, entry: entry).publish()
    }
  }

  /// Notes that the entry at a place was found unchanged. Where that cannot be written, it is only asked about sooner.
  func noteUnchanged(_ place: Place, at seconds: Int64) {
    switch place {
    case .shelf(let shelf, let key): shelf.noteUnchanged(key, at: seconds)
    case .file(let path):
      let times = [timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
      unsafe utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW)
    }
  }

  /// The bytes of a file, and its time.
  static func read(_ path: String) -> ([UInt8], Int64)? {
    // Opening a FIFO would otherwise wait for a process that writes to it.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= CacheEntry.largest
    else { return nil }
    var bytes: [UInt8] = [], block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? (bytes, Int64(status.st_mtim.tv_sec)) : nil }
      bytes += block[..<count]
      guard bytes.count <= CacheEntry.largest else { return nil }
    }
  }
}

/// Avoids lookups in an empty cache: if its directory did not exist at first, it contains only entries of this process.
final class CacheWritten: Sendable {
  private let directory: String
  private struct State {
    var wasAbsent: Bool?
    var paths: Set<String> = []
  }
  private let state = Mutex(State())

  init(directory: String) { self.directory = directory }

  /// Whether there may be a file at `path`.
  func mayHold(_ path: String) -> Bool {
    state.withLock { state in
      if state.wasAbsent == nil { state.wasAbsent = unsafe access(directory, F_OK) != 0 && errno == ENOENT }
      return state.wasAbsent == false || state.paths.contains(path)
    }
  }

  /// Notes that a file was put at `path`.
  func note(_ path: String) {
    state.withLock { state in
      if state.wasAbsent == true { state.paths.insert(path) }
    }
  }
}
