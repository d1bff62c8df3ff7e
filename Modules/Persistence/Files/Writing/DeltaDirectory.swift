import Codecs
public import Domain
import Files
import Glibc
public import Rows
import Synchronization

/// A Delta table in a directory.
public struct DeltaDirectory: TableStorage {
  /// The table in messages.
  public var name: String { "delta:\(path)" }
  /// The directory as a URL.
  public var root: String { "file:\(AbsolutePath.of(path))" }
  private let path: String

  /// The table at `path`, which need not exist.
  public init(_ path: String) { self.path = path }

  /// The names in the log.
  public func logFiles(from first: String) throws(Problem) -> [String]? {
    try DirectoryListing.check(path)
    return try DirectoryListing.names("\(path)/_delta_log")?.filter { !$0.utf8.lexicographicallyPrecedes(first.utf8) }
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Opens a regular file.
  public func open(_ file: String) throws(Problem) -> (any RandomAccessSource)? {
    do throws(Problem) { return try FileByteSource(path: "\(path)/\(file)") } catch {
      if error.kind == .noInput { return nil }
      throw error
    }
  }

  /// Makes the directory of a file of the table; returns those that were missing.
  fileprivate static func make(_ root: String, above file: String) throws(Problem) -> [String] {
    try ReplacementGuard.checkPlace(inStore: root, isItself: true, name: root)
    return try DirectoryListing.makeAll(root)
      + Beneath.make(root, Temporaries.split(file).directory, mode: 0o777, isDurable: true)
  }

  /// Creates a file under a temporary name, and links it to its own unless that exists.
  public func create(_ file: String, _ bytes: [UInt8]) throws(Problem) -> Bool {
    let target = "\(path)/\(file)", directory = Temporaries.split(target).directory
    let temporary = try written(bytes, file)
    defer {
      _ = Temporaries.remove(temporary)
      Temporaries.forget(temporary)
    }
    if unsafe link(temporary, target) != 0 {
      let code = errno
      guard code == EEXIST else { throw Problem.posix(code, "create", target) }
      // A file server may have linked it although its response was lost.
      let found = try FileByteSource(path: target)
      guard found.length == bytes.count, try found.bytes(at: 0, count: bytes.count) == bytes else { return false }
    }
    try DirectoryListing.flush(directory)
    return true
  }

  /// Writes a file under a temporary name, and renames it.
  public func replace(_ file: String, _ bytes: [UInt8]) throws(Problem) {
    let target = "\(path)/\(file)", temporary = try written(bytes, file)
    defer { Temporaries.forget(temporary) }
    guard unsafe rename(temporary, target) == 0 else {
      let code = errno
      _ = Temporaries.remove(temporary)
      throw Problem.posix(code, "create", target)
    }
    try DirectoryListing.flush(Temporaries.split(target).directory)
  }

  /// Writes a durable file with a temporary name, and returns the name.
  private func written(_ bytes: [UInt8], _ file: String) throws(Problem) -> String {
    _ = try Self.make(path, above: file)
    let target = "\(path)/\(file)"
    let temporary = Temporaries.name(beside: target), descriptor = Temporaries.make(temporary, mode: 0o666)
    guard descriptor >= 0 else { throw Problem.posix(errno, "create", target) }
    defer { close(descriptor) }
    do throws(Problem) {
      try writeAll(bytes, to: descriptor, place: target)
      guard fsync(descriptor) == 0 else { throw Problem.posix(errno, "flush", target) }
    } catch {
      _ = Temporaries.remove(temporary)
      Temporaries.forget(temporary)
      throw error
    }
    return temporary
  }

  /// The data files, without those that symbolic links lead to.
  public func dataFiles() throws(Problem) -> [StoredObject] { try files(below: "") }

  private func files(below directory: String) throws(Problem) -> [StoredObject] {
    var found: [StoredObject] = []
    for name in try DirectoryListing.names("\(path)/\(directory)") ?? []
    where !name.hasPrefix(".") && !name.hasPrefix("_") {
      let file = directory + name
      // Another process may have removed it.
      guard let status = RegularFile.status("\(path)/\(file)", follows: false) else { continue }
      if status.st_mode & S_IFMT == S_IFDIR { found += try files(below: file + "/") }
      guard status.st_mode & S_IFMT == S_IFREG else { continue }
      let modified = Instant(seconds: Int64(status.st_mtim.tv_sec))
      found.append(StoredObject(key: file, size: Int(status.st_size), modified: modified))
    }
    return found
  }

  /// Removes a file.
  public func remove(_ file: String) throws(Problem) {
    guard !Temporaries.remove("\(path)/\(file)"), errno != ENOENT else { return }
    throw Problem.posix(errno, "remove", "\(path)/\(file)")
  }

  /// Begins to write data files.
  public func newFiles() -> any TableDataFiles { DeltaDirectoryFiles(path) }
}

private final class DeltaDirectoryFiles: TableDataFiles {
  private let root: String
  private let state = Mutex(State())

  private struct State {
    var files: [(path: String, sink: FileSink)] = []
    var directories: [String] = []
    var isPlaced = false
  }

  init(_ root: String) { self.root = root }

  func sink(_ path: String) throws(Problem) -> any ByteSink {
    let target = "\(root)/\(path)", directory = Temporaries.split(target).directory
    var attempts = 3
    while true {
      let new = try DeltaDirectory.make(root, above: path)
      state.withLock { $0.directories += new }
      if new.isEmpty { DirectoryListing.removeLeftovers(directory) }
      do throws(Problem) {
        let sink = try FileSink(path: target, replaces: false)
        state.withLock { $0.files.append((target, sink)) }
        return StagedFile(sink)
      } catch {
        // Another process, which gave up, may have removed the directory.
        attempts -= 1
        guard attempts > 0, try DirectoryListing.names(directory) == nil else { throw error }
      }
    }
  }

  func flush() throws(Problem) {
    let files = state.withLock { $0.files }, isMany = files.count > 32
    if files.isEmpty { return }
    for (_, sink) in files { _ = try sink.flush(isSynced: !isMany) }
    if isMany { try DirectoryListing.flush(root, isWhole: true) }
    state.withLock { $0.isPlaced = true }
    for (path, sink) in files {
      Temporaries.expect(path)
      try sink.place()
    }
    if isMany { return try DirectoryListing.flush(root, isWhole: true) }
    for directory in Set(files.map { Array(Temporaries.split($0.path).directory.utf8) }) {
      try DirectoryListing.flush(String(decoding: directory, as: UTF8.self))
    }
  }

  func keep() { for (path, _) in state.withLock({ $0.files }) { Temporaries.forget(path) } }

  func abandon() async {
    let (files, directories, isPlaced) = state.withLock { state in
      defer { (state.files, state.directories) = ([], []) }
      return (state.files, state.directories, state.isPlaced)
    }
    for (path, sink) in files {
      await sink.abandon()
      if isPlaced { _ = Temporaries.remove(path) }
      Temporaries.forget(path)
    }
    for directory in directories.reversed() { _ = Temporaries.remove(directory) }
  }
}
