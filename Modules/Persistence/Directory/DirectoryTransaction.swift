import Codecs
import Domain
import Files
import Glibc
import Rows

/// New files of a directory store that are published in one step.
///
/// They are written under temporary names and synced. Then `.bb/begun` lists them: from then on the change is made, and
/// any process that finds the file completes it. The file also contains the history entry, and finally becomes the file
/// of the entry.
final class DirectoryTransaction {
  private let path: String
  private var staged: [(sink: FileSink, replaced: FileStamp?)] = []
  private var links: [(kept: String, target: String, replaced: FileStamp?)] = []
  private var removed: [(name: String, replaced: FileStamp?)] = []
  /// Whether a file came to its place.
  private(set) var isPublished = false
  /// The written files by name, as they are in their places.
  private(set) var stamps: [String: FileStamp] = [:]

  /// A change of the directory at `path`, whose lock the caller holds.
  init(_ path: String) { self.path = path }

  var isEmpty: Bool { staged.isEmpty && links.isEmpty && removed.isEmpty }

  /// Adds a file that is written whole; `replaced` is the file that it replaces, as it was when it was read.
  func add(_ sink: FileSink, replacing replaced: FileStamp?) { staged.append((sink, replaced)) }

  /// Adds a small file, unless it is so already.
  func add(_ name: String, _ bytes: [UInt8]) throws(Problem) {
    let place = "\(path)/\(name)", old = try FileStamp.now(at: place)
    if old != nil, try FileByteSource(path: place).bytes(limit: 1 << 30) == bytes { return }
    let sink = try FileSink(path: place, mode: 0o600)
    try sink.append(bytes)
    add(sink, replacing: old)
  }

  /// Adds a file that is kept elsewhere in the directory, and stays there.
  func addLink(to kept: String, as name: String, replacing replaced: FileStamp?) {
    links.append((kept, "\(path)/\(name)", replaced))
  }

  /// Schedules the deletion of a file; ignored if it does not exist.
  func remove(_ name: String) throws(Problem) {
    if let stamp = try FileStamp.now(at: "\(path)/\(name)") { removed.append((name, stamp)) }
  }

  /// Makes the change.
  /// - Parameter entry: the history's entry; nil when the history does not show the change.
  /// - Throws: `busy` when a file was changed since it was read; then, and after every error before a file came to its
  ///   place, nothing has changed.
  func commit(_ entry: (id: String, line: [UInt8])?) throws(Problem) {
    var temporaries: [(path: String, name: String)] = []
    for file in staged {
      let name = Temporaries.split(file.sink.name).name
      stamps[name] = try file.sink.flush()
      temporaries.append((file.sink.temporary, name))
    }
    do throws(Problem) {
      for link in links {
        temporaries.append((try Self.link(link.kept, beside: link.target), Temporaries.split(link.target).name))
      }
      try checkForOthers()
      for directory in Set(temporaries.map { Temporaries.split($0.path).directory }) {
        try DirectoryListing.flush(directory)
      }
      // From here on an interrupted process leaves the temporaries: the journal names them.
      for file in staged { file.sink.detach() }
      let stamps = staged.map(\.replaced) + links.map(\.replaced)
      let steps = zip(temporaries, stamps).map {
        DirectoryJournal.Step($0.name, from: Temporaries.split($0.path).name, $1)
      }
      let journal = DirectoryJournal(
        entry, steps + removed.map { DirectoryJournal.Step($0.name, from: nil, $0.replaced) })
      try journal.write(in: path)
      try checkForOthers()
      for step in journal.steps {
        try step.make(in: path)
        isPublished = true
      }
      try journal.finish(in: path)
    } catch {
      if !isPublished {
        DirectoryJournal.withdraw(from: path)
        for temporary in temporaries { unsafe unlink(temporary.path) }
      }
      throw error
    }
  }

  /// Refuses when a file was changed since it was read.
  func checkForOthers() throws(Problem) {
    let files = staged.map { ($0.sink.name, $0.replaced) } + links.map { ($0.target, $0.replaced) }
    for (name, replaced) in files + removed.map({ ("\(path)/\($0.name)", $0.replaced) })
    where try FileStamp.now(at: name) != replaced {
      throw Problem.changedMeanwhile(name)
    }
  }

  /// A temporary file next to `target` with the content of `kept`: a hard link, or a copy where the file system has no
  /// hard links.
  private static func link(_ kept: String, beside target: String) throws(Problem) -> String {
    let temporary = Temporaries.name(beside: target)
    if unsafe Glibc.link(kept, temporary) == 0 { return temporary }
    try copy(kept, to: temporary)
    return temporary
  }

  /// Makes `target` the file `kept`: by a hard link, or, where the file system has none, by a copy.
  static func keep(_ file: String, as target: String) throws(Problem) {
    if unsafe Glibc.link(file, target) != 0 { try copy(file, to: target) }
  }

  private static func copy(_ file: String, to target: String) throws(Problem) {
    let source = try FileByteSource(path: file), sink = try FileSink(path: target, mode: 0o600)
    try source.forEachPiece { (piece) throws(Problem) in try sink.append(piece) }
    _ = try sink.flush()
    try sink.publish()
  }
}

/// An interrupted change: `.bb/begun`. Its first line is the history entry, or `null`; its second lists the files to
/// publish.
struct DirectoryJournal {
  /// One file that takes its place, or goes.
  struct Step: Equatable {
    let name: String
    /// The name of the temporary file; nil if the file is to be deleted.
    let from: String?
    /// The file that it replaces; nil for none.
    let replaced: FileStamp?

    init(_ name: String, from: String?, _ replaced: FileStamp?) {
      self.name = name
      self.from = from
      self.replaced = replaced
    }
  }

  /// The history's entry; nil when the history does not show the change.
  let entry: (id: String, line: [UInt8])?
  let steps: [Step]
  /// Bytes of the file at most: an entry, and some hundred for each table.
  private static let limit = DirectoryHistory.limit + 16 << 20

  init(_ entry: (id: String, line: [UInt8])?, _ steps: [Step]) {
    self.entry = entry
    self.steps = steps
  }

  private static func file(in path: String) -> String { path + "/.bb/begun" }

  /// The interrupted change in the directory at `path`; nil if there is none.
  /// - Throws: `badData` for contents that bb does not write: names must refer to files in the directory, and to
  ///   temporary files.
  init?(in path: String) throws(Problem) {
    let place = Self.file(in: path)
    try DirectoryListing.check(path + "/.bb")
    guard let bytes = try Self.bytes(at: place) else { return nil }
    let lines = bytes.split(separator: 0x0A, maxSplits: 1)
    let damage = Problem(.badData, "the store is damaged: not a change that bb began", at: place)
    guard let line = lines.first, let first = try? JSON.parse(Array(line), name: place) else { throw damage }
    entry = first["id"]?.stringValue.map { ($0, Array(line)) }
    if let entry, !RecordIdentifier.isValid(entry.id) { throw damage }
    var steps: [Step] = []
    // A change that was being forgotten has no second line any more.
    if lines.count > 1 {
      guard let list = try? JSON.parse(Array(lines[1]), name: place).arrayValue else { throw damage }
      for item in list {
        let from = item["from"]?.stringValue, stamp = item["replaced"]?.arrayValue?.compactMap(\.integerValue)
        guard let name = item["file"]?.stringValue, Self.isPlain(name), !name.hasPrefix("."),
          from.map({ Self.isPlain($0) && $0.hasPrefix(".") && $0.contains(".tmp.") }) ?? true
        else { throw damage }
        steps.append(Step(name, from: from, stamp.flatMap(FileStamp.init)))
      }
    }
    self.steps = steps
  }

  /// The contents of the file; nil if there is none. Readers hold no lock: a file that the writing
  /// process shortens concurrently is read again.
  private static func bytes(at place: String) throws(Problem) -> [UInt8]? {
    while let file = try FileByteSource.ifPresent(place) {
      let bytes = try file.bytes(limit: limit)
      if file.status().map({ Int($0.st_size) }) == bytes.count { return bytes }
    }
    return nil
  }

  private static func isPlain(_ name: String) -> Bool { !name.isEmpty && !name.utf8.contains { $0 == 0x2F || $0 == 0 } }

  /// Writes it and waits until it is on the disk.
  func write(in path: String) throws(Problem) {
    let list = steps.map { step in
      var members = [JSON.Member(Array("file".utf8), .string(step.name))]
      if let from = step.from { members.append(JSON.Member(Array("from".utf8), .string(from))) }
      if let stamp = step.replaced {
        members.append(JSON.Member(Array("replaced".utf8), .array(stamp.numbers.map { .number($0) })))
      }
      return JSON.object(members)
    }
    let sink = try FileSink(path: Self.file(in: path), mode: 0o600)
    try sink.append((entry?.line ?? Array("null".utf8)) + [0x0A] + JSON.array(list).canonicalBytes + [0x0A])
    _ = try sink.flush()
    // The last change's file was renamed to its entry; that name must not be lost when this file takes its old one.
    let history = path + "/.bb/history"
    if unsafe access(history, F_OK) == 0 { try DirectoryListing.flush(history) }
    try sink.publish()
  }

  /// Takes it back, before a file came to its place.
  static func withdraw(from path: String) {
    if unsafe unlink(file(in: path)) == 0 { try? DirectoryListing.flush(path + "/.bb") }
  }

  /// Finishes a change that another process began, in the directory at `path`, whose lock the caller holds.
  static func recover(_ path: String) throws(Problem) {
    guard let journal = try DirectoryJournal(in: path) else { return }
    var open: [Step] = [], changed: [Step] = []
    for step in journal.steps {
      let now = try FileStamp.now(at: "\(path)/\(step.name)")
      if let from = step.from {
        guard try FileStamp.now(at: "\(path)/\(from)") != nil else { continue }
      } else if now == nil {
        continue
      }
      open.append(step)
      if now != step.replaced { changed.append(step) }
    }
    // A file that a user saved since then stays; when no other file came to its place, nothing is changed.
    if !changed.isEmpty, open.count == journal.steps.count {
      withdraw(from: path)
      for step in open { if let from = step.from { unsafe unlink("\(path)/\(from)") } }
      return
    }
    for step in open where !changed.contains(step) { try step.make(in: path) }
    try journal.finish(in: path)
  }

  /// Waits until the files in their places are on the disk, and makes this file the history's entry.
  func finish(in path: String) throws(Problem) {
    if !steps.isEmpty { try DirectoryListing.flush(path) }
    let begun = Self.file(in: path)
    guard let entry else {
      unsafe unlink(begun)
      return
    }
    try DirectoryListing.make(path + "/.bb/history")
    // A lost truncation does no harm: readers of an entry read only its first line.
    _ = unsafe truncate(begun, off_t(entry.line.count + 1))
    let target = DirectoryHistory.file(of: entry.id, in: path)
    guard unsafe rename(begun, target) == 0 else { throw Problem.posix(errno, "rename", target) }
  }

  /// The file `name` of the directory as it is when the change is completed: it may still have its temporary name.
  /// - Returns: nil if it does not exist then.
  func open(_ name: String, in path: String) throws(Problem) -> FileByteSource? {
    if let step = steps.first(where: { $0.name == name }) {
      guard let from = step.from else { return nil }
      if let file = try FileByteSource.ifPresent("\(path)/\(from)") { return file }
    }
    return try FileByteSource.ifPresent("\(path)/\(name)")
  }
}

extension DirectoryJournal.Step {
  /// Puts the file in its place, or removes it.
  func make(in path: String) throws(Problem) {
    let target = "\(path)/\(name)"
    if let from {
      guard unsafe rename("\(path)/\(from)", target) == 0 else {
        throw Problem.posix(errno, "rename", target)
      }
    } else if unsafe unlink(target) != 0, errno != ENOENT {
      throw Problem.posix(errno, "remove", target)
    }
  }
}
