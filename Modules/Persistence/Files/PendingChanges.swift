internal import CSystem
import Codecs
import Domain
import Files
import Glibc
import Rows

/// The list of the files that an export into partitions renames and removes, `.bb-pending.json` in the directory above
/// the first placeholder. The next export to the same place completes the list of a process that was killed.
///
/// The process that wrote it has a lock on it. A list acts only if it is the user's own, and if each of its entries is
/// the file that the export wrote or found: by its device, inode and size, below the directory and without links.
final class PendingChanges {
  static let name = ".bb-pending.json"
  private static let version: Int64 = 2
  /// Bytes of a list at most: some 400,000 files.
  private static let limit = 64 << 20

  /// A file that takes its place, or goes.
  struct Entry {
    /// The temporary name, in the same directory; nil if the file is to be removed.
    let from: String?
    let path: String
    let file: FileStamp

    /// The path of the file before the change.
    var source: String {
      guard let from else { return path }
      let above = Temporaries.split(path).directory
      return above == "." ? from : "\(above)/\(from)"
    }

    /// Makes the change.
    /// - Parameter isRepeated: whether it may have been made before.
    func make(in root: String, isRepeated: Bool = false) throws(Problem) {
      let isDone = Beneath.move(root, source, to: from == nil ? nil : Temporaries.split(path).name)
      guard isDone || errno == ENOENT && (isRepeated || from == nil) else {
        throw PendingChanges.interrupted(errno, "\(root)/\(path)")
      }
    }
  }

  private let root: String
  private let descriptor: Int32

  private init(_ root: String, _ descriptor: Int32) { (self.root, self.descriptor) = (root, descriptor) }

  deinit { close(descriptor) }

  private var path: String { Self.path(in: root) }

  private static func path(in root: String) -> String { "\(root)/\(name)" }

  static func interrupted(_ code: Int32, _ path: String) -> Problem {
    var problem = Problem.posix(code, "rename", path)
    problem.hint = "run the export again: it completes this one first"
    return problem
  }

  // MARK: - Writing

  /// Writes a list, which is on the disk when this returns, and locks it.
  /// - Throws: `busy` if there is another.
  convenience init(_ entries: [Entry], of pattern: PathPattern) throws(Problem) {
    let list = JSON.object([
      "bb": .number(Self.version), "pattern": .string(pattern.text.below(pattern.root)),
      "entries": .array(
        entries.map { entry in
          let from = entry.from.map { JSON.Member(Array("from".utf8), .string($0)) }
          let file = zip(["dev", "ino", "size"], entry.file.numbers).map { JSON.Member(Array($0.utf8), .number($1)) }
          let name = JSON.Member(Array((from == nil ? "remove" : "to").utf8), .string(entry.path))
          return .object((from.map { [$0] } ?? []) + [name] + file)
        }),
    ])
    let bytes = list.canonicalBytes + [10], path = Self.path(in: pattern.root)
    guard bytes.count <= Self.limit else {
      throw Problem(.cannotCreate, "too many files for one export: \(entries.count)", at: pattern.root)
    }
    let temporary = Temporaries.name(beside: path), descriptor = Temporaries.make(temporary, mode: 0o600)
    guard descriptor >= 0 else { throw Problem.posix(errno, "create", path) }
    self.init(pattern.root, descriptor)
    defer {
      _ = Temporaries.remove(temporary)
      Temporaries.forget(temporary)
    }
    try writeAll(bytes, to: descriptor, place: path)
    guard fchmod(descriptor, 0o600) == 0, fsync(descriptor) == 0, bb_lock_exclusive(descriptor) == 0 else {
      throw Problem.posix(errno, "flush", path)
    }
    guard unsafe bb_rename_new(temporary, path) == 0 else {
      if errno == EEXIST { throw Self.busy(pattern.root) }
      throw Problem.posix(errno, "create", path)
    }
    try DirectoryListing.flush(pattern.root)
  }

  static func busy(_ root: String) -> Problem {
    Problem(.busy, "another process is writing there", at: root, hint: "run the command again later")
  }

  /// Removes the list after its changes are made.
  func finish() throws(Problem) {
    if Temporaries.remove(path) { try DirectoryListing.flush(root) }
  }

  // MARK: - Completing

  /// Makes the changes that a killed process has left.
  /// - Throws: `cannotCreate` for a link or a special file; `badData` if bb did not write the list for these files;
  ///   `busy` if another process is making the changes; `io`.
  static func complete(_ pattern: PathPattern) throws(Problem) {
    let root = pattern.root, end = ContinuousClock.now + .seconds(StoreRules.patience)
    while try Beneath.file(root, name) != nil {
      guard let list = try PendingChanges(in: root) else {
        guard ContinuousClock.now < end else { throw busy(root) }
        usleep(20_000)
        continue
      }
      let entries = try list.entries(of: pattern)
      for entry in entries { try entry.make(in: root, isRepeated: true) }
      var directories: Set<[UInt8]> = []
      for entry in entries { directories.insert(Array(Temporaries.split("\(root)/\(entry.path)").directory.utf8)) }
      if directories.count > 32 {
        try DirectoryListing.flush(root, isWhole: true)
      } else {
        for directory in directories { try DirectoryListing.flush(String(decoding: directory, as: UTF8.self)) }
      }
      try list.finish()
    }
  }

  /// Locks the list of a process that no longer exists; nil if its process has the lock, or has just removed it.
  private convenience init?(in root: String) throws(Problem) {
    let path = Self.path(in: root)
    guard let descriptor = try Beneath.open(root, Self.name, O_RDWR) else { return nil }
    self.init(root, descriptor)
    guard bb_lock_exclusive(descriptor) == 0 else {
      if errno == EAGAIN || errno == EACCES { return nil }
      throw Problem.posix(errno, "lock", path)
    }
    var status = stat(), above = stat()
    guard unsafe fstat(descriptor, &status) == 0, unsafe stat(root, &above) == 0 else {
      throw Problem.posix(errno, "read", path)
    }
    if try Beneath.file(root, Self.name) != FileStamp(status) { return nil }
    let user = geteuid()
    guard status.st_uid == user, status.st_mode & 0o777 == 0o600 else {
      throw Self.foreign("the list of changes was not written by bb for this user", path)
    }
    let isShared = above.st_mode & 0o022 != 0 || above.st_uid != user && above.st_uid != 0
    guard !isShared || above.st_mode & S_ISVTX != 0 else {
      throw Self.foreign("the directory of the list of changes is writable by other users", path)
    }
  }

  private static func foreign(_ message: String, _ path: String) -> Problem {
    Problem(.badData, message, at: path, hint: "remove the list")
  }

  /// The entries, each checked against the files as they are.
  private func entries(of pattern: PathPattern) throws(Problem) -> [Entry] {
    guard let file = try FileByteSource.ifPresent(path) else { return [] }
    let list: JSON
    do throws(Problem) { list = try JSON.parse(try file.bytes(limit: Self.limit), name: path) } catch {
      throw Self.foreign("not a list of changes: \(error.message)", path)
    }
    if list["bb"]?.integerValue == 1 {
      throw Problem(
        .badData, "a list of changes of an earlier version", at: path,
        hint: "run the earlier version of bb once, or remove the list")
    }
    guard list["bb"]?.integerValue == Self.version, let items = list["entries"]?.arrayValue,
      let written = list["pattern"]?.stringValue
    else { throw Self.foreign("not a list of changes of bb", path) }
    guard written == pattern.text.below(root) else {
      throw Problem(
        .badData, "the list of changes is of an interrupted export to “\(written)”", at: path,
        hint: "run that export again to complete it, or remove the list")
    }
    let glob = pattern.glob().below(root)
    var entries: [Entry] = []
    for item in items {
      let from = item["from"]?.stringValue, name = (from == nil ? item["remove"] : item["to"])?.stringValue
      guard let name, let device = item["dev"]?.integerValue, let inode = item["ino"]?.integerValue,
        let size = item["size"]?.integerValue, let file = FileStamp([device, inode, size, 0, 0])
      else { throw Self.foreign("an entry of the list of changes is not complete", path) }
      let entry = Entry(from: from, path: name, file: file)
      let isName = from.map { Temporaries.isName($0, beside: Temporaries.split(name).name) } ?? true
      guard isName, unsafe fnmatch(glob, name, FNM_PATHNAME | FNM_PERIOD) == 0 else {
        throw Self.foreign("the list of changes names a file that is not of the export: “\(name)”", path)
      }
      if let now = try Beneath.file(root, entry.source), !now.isFile(of: file) {
        throw Self.foreign("a file is not the one in the list of changes: “\(entry.source)”", path)
      }
      // A link instead of the file would be replaced, and not followed; but bb does not make one.
      if from != nil { _ = try Beneath.file(root, name) }
      entries.append(entry)
    }
    return entries
  }
}

extension String {
  /// A path below a directory, which the path begins with.
  func below(_ directory: String) -> String {
    let prefix = directory.hasSuffix("/") ? directory : directory + "/"
    let path = utf8.starts(with: prefix.utf8) ? utf8.dropFirst(prefix.utf8.count) : utf8[...]
    return String(Substring(path.drop { $0 == UInt8(ascii: "/") }))
  }
}
