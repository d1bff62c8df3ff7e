public import Domain
import Files
import Glibc
public import Rows

/// The images of a store: in `images` of a directory store, in `FILE.files/images` next to a database file, and for a
/// database on a server in a directory of the user's data.
public struct StoredImages: ImageDirectory {
  private let base: String

  init(_ location: StoreLocation) {
    base = location.scheme == "sqlite" ? location.path + ".files" : location.path
  }

  /// Creates the images in `directory/images`.
  init(directory: String) { base = directory }

  /// The directory of the images.
  public var directory: String { "\(base)/images" }

  /// Copies an image to a name that bb chooses.
  public func add(_ path: String, to dataset: String, record: String) async throws(Problem) -> String {
    let source = try FileByteSource(path: path)
    return try await add(try source.bytes(limit: FileLimit.image), from: path, to: dataset, record: record)
  }

  /// Writes an image to a name that bb chooses.
  public func add(
    _ bytes: [UInt8], from place: String, to dataset: String, record: String
  ) async throws(Problem) -> String {
    guard let kind = ImageKind(beginning: Array(bytes.prefix(64))) else {
      let known = ImageKind.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badData, "is not an image", at: place, hint: "supported formats: \(known)")
    }
    try DirectoryListing.make(base)
    try Beneath.make(base, "images/\(dataset)", mode: 0o700, isDurable: true)
    // Images that a record once had are kept, because undo may restore them.
    let stem = TableFileName.stem(of: record) + "-"
    let numbers = (try DirectoryListing.names("\(base)/images/\(dataset)") ?? []).filter { $0.hasPrefix(stem) }
      .compactMap { Int($0.dropFirst(stem.count).prefix { $0.isNumber }) }
    let name = "images/\(dataset)/\(stem)\((numbers.max() ?? 0) + 1).\(kind.fileExtension)"
    let sink = try FileSink(path: "\(base)/\(name)", replaces: false, mode: 0o600)
    try sink.append(bytes)
    try await sink.commit()
    return name
  }

  /// The file with the path of the directory of the last sync of images.
  private static let note = "synced.txt"

  /// Notes the absolute path of a directory.
  public func note(synced path: String) async throws(Problem) {
    let path = AbsolutePath.of(path)
    guard path != AbsolutePath.of(directory) else { return }
    try DirectoryListing.make(base)
    try DirectoryListing.make(directory)
    let sink = try FileSink(path: "\(directory)/\(Self.note)", mode: 0o600)
    try sink.append(Array((path + "\n").utf8))
    try await sink.commit()
  }

  /// The directory of the last sync of images of the store whose images are in `directory`; nil if it is the same.
  static func synced(in directory: String) throws(Problem) -> String? {
    guard let file = try FileByteSource.ifPresent("\(directory)/\(note)") else { return nil }
    let path = String(decoding: try file.bytes(limit: 1 << 16), as: UTF8.self).split(at: "\n").first
    return path.flatMap { $0.hasPrefix("/") ? String($0) : nil }
  }

  /// The bytes of an image in the store.
  public func bytes(of name: String) throws(Problem) -> [UInt8]? {
    guard let path = path(of: name) else { return nil }
    do throws(Problem) { return try FileByteSource(path: path).bytes(limit: FileLimit.image) } catch {
      if error.kind == .noInput { return nil }
      throw error
    }
  }

  /// The absolute path of an image in the store.
  public func path(of name: String) -> String? {
    guard name.hasPrefix("images/"), !name.split(at: "/").contains("..") else { return nil }
    return "\(AbsolutePath.of(base))/\(name)"
  }

  /// Writes a page that shows images to a private file in `directory`, replacing the last one.
  /// - Returns: its path.
  public static func keep(page html: [UInt8], in directory: String) async throws(Problem) -> String {
    try DirectoryListing.make(directory)
    let sink = try FileSink(path: directory + "/gallery.html", mode: 0o600)
    try sink.append(html)
    try await sink.commit()
    return directory + "/gallery.html"
  }

  /// Copies all images of another store, which this one replaces.
  func copyAll(from other: StoredImages) throws(Problem) {
    try Self.copy("\(other.base)/images", to: "\(base)/images", parent: base)
  }

  private static func copy(_ old: String, to new: String, parent: String) throws(Problem) {
    guard let names = try DirectoryListing.names(old) else { return }
    try DirectoryListing.make(parent)
    try DirectoryListing.make(new)
    for name in names.sorted() {
      var status = stat()
      guard unsafe lstat("\(old)/\(name)", &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: try copy("\(old)/\(name)", to: "\(new)/\(name)", parent: new)
      case S_IFREG:
        let sink = try FileSink(path: "\(new)/\(name)", mode: 0o600)
        try FileByteSource(path: "\(old)/\(name)").forEachPiece { (piece) throws(Problem) in try sink.append(piece) }
        _ = try sink.flush()
        try sink.publish()
      default: break  // Only users create other kinds of files there.
      }
    }
  }
}
