internal import CSystem
import Codecs
public import Domain
import Files
import Glibc
public import Rows
import Synchronization

/// A directory of images with its manifest, `images.json`.
///
/// Images are received in `.bb/parts` and renamed into the directory when they are complete; `.bb/images.ndjson` lists
/// those received since the manifest was written. The manifest is replaced after everything it names is on disk.
public final class ImageArchiveDirectory: ImageArchive {
  private let name: String
  private let dataset: String
  private let lock: DirectoryLock

  private var manifest: String { name + "/images.json" }
  private var journal: String { name + "/.bb/images.ndjson" }
  private var parts: String { name + "/.bb/parts" }

  private init(name: String, dataset: String, lock: consuming DirectoryLock) {
    self.name = name
    self.dataset = dataset
    self.lock = lock
  }

  /// Opens the directory at `path` for the images of one dataset, and creates it if it is missing.
  /// If it `isOfStore`, the images are those of a store, in which they may be.
  /// - Throws: `busy` if another process has it open, `cannotCreate` if it holds the images of another dataset,
  ///   `permission`, `io`.
  public static func open(
    _ path: String, dataset: String, isOfStore: Bool = false
  ) async throws(Problem) -> ImageArchiveDirectory {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    if !isOfStore { try ReplacementGuard.checkPlace(inStore: path, isItself: true, name: path) }
    try make(path, mode: 0o777)
    let directory = ImageArchiveDirectory(name: path, dataset: dataset, lock: try await DirectoryLock.acquire(path))
    try Beneath.make(path, ".bb/parts", mode: 0o700)
    return directory
  }

  private static func make(_ path: String, mode: mode_t) throws(Problem) {
    if unsafe mkdir(path, mode) == 0 { return }
    let above = Temporaries.split(path).directory
    if errno == ENOENT, above != path, above != "." {
      try make(above, mode: mode)
      if unsafe mkdir(path, mode) == 0 { return }
    }
    guard errno == EEXIST else { throw Problem.posix(errno, "create the directory", path) }
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw Problem(.cannotCreate, "is not a directory", at: path)
    }
  }

  /// The images of the manifest and those received since it was written, without files that were deleted.
  /// - Throws: `badData` for a manifest that bb did not write, `cannotCreate` for one of another dataset.
  public func records() throws(Problem) -> [ImageRecord] {
    var records: [ImageRecord] = []
    if let file = try FileByteSource.ifPresent(manifest) {
      records = try ImageManifest.read(try file.bytes(limit: FileLimit.imageList), name: manifest)
    }
    if let other = records.first(where: { $0.reference.dataset != dataset }) {
      throw Problem(
        .cannotCreate, "contains the images of \(other.reference.dataset)", at: name, hint: "choose another directory")
    }
    records = records.filter { size(of: $0) == $0.bytes }
    if let file = try FileByteSource.ifPresent(journal) {
      // Not synced to disk: an entry is valid only if the file has its digest.
      for line in try file.bytes(limit: FileLimit.imageList).split(separator: 10) {
        guard let value = try? JSON.parse(Array(line), name: journal), let record = try? ImageManifest.record(value),
          record.reference.dataset == dataset, size(of: record) == record.bytes, try digest(of: record) == record.sha256
        else { continue }
        records.removeAll { $0.file == record.file || $0.reference == record.reference }
        records.append(record)
      }
    }
    return records
  }

  private func size(of record: ImageRecord) -> Int? {
    var status = stat()
    guard unsafe lstat(name + "/" + record.file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  private func digest(of record: ImageRecord) throws(Problem) -> String {
    let source = try FileByteSource(path: name + "/" + record.file)
    var hash = SHA256()
    try source.forEachPiece { hash.update($0) }
    return hash.hexDigest()
  }

  /// The file of an image that is to be received, with the beginning that an earlier run left.
  public func part(of reference: ImageReference) throws(Problem) -> any ImagePart {
    let start = ImagePartFile.prefix(reference)
    return try ImagePartFile(reference, parts: parts, left: left.first { $0.hasPrefix(start) }, in: name)
  }

  /// The files of earlier runs, read once.
  private var left: [String] { leftovers.names { (try? DirectoryListing.names(parts)) ?? [] } }
  private let leftovers = CachedNames()
  /// The descriptor of the journal; below zero until there is something to note.
  private let notes = Mutex<Int32>(-1)

  /// Appends a line to `.bb/images.ndjson`.
  public func note(_ record: ImageRecord) throws(Problem) {
    let path = journal, line = ImageManifest.line(record) + [10]
    try notes.withLock { (descriptor) throws(Problem) in
      if descriptor < 0 {
        descriptor = try RegularFile.open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
      }
      try writeAll(unsafe line.span.bytes, to: descriptor, place: path)
    }
  }

  /// Flushes the file system, then replaces the manifest.
  public func save(_ records: [ImageRecord], superseded: [String]) throws(Problem) {
    let directory = unsafe Glibc.open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard directory >= 0 else { throw Problem.posix(errno, "open", name) }
    defer { close(directory) }
    guard bb_syncfs(directory) == 0 else { throw Problem.posix(errno, "flush", name) }
    let sink = try FileSink(path: manifest)
    try sink.append(ImageManifest.text(records))
    _ = try sink.flush()
    try sink.publish()
    let kept = Set(records.map(\.file))
    for file in superseded where !kept.contains(file) { unsafe unlink(name + "/" + file) }
    unsafe unlink(journal)
    closeNotes()
  }

  private func closeNotes() {
    notes.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  deinit { closeNotes() }
}
