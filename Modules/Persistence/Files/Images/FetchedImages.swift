internal import Codecs
public import Documents
public import Domain
import Files
import Glibc
public import Rows

/// The images at hand: those that `bb-export images` or `sync --images` stored in a directory, and those of a store.
public enum FetchedImages {
  /// The most bytes of an image that becomes part of a page, and of all of them.
  private static let largest = 512 << 10, most = 32 << 20

  /// The images at hand, by their URL, and by their name in the store: `images/actors/1-1.jpg`. Of equal addresses the
  /// first counts, in this order: those of the named directory, of the store, of its last sync of images.
  /// - Parameters:
  ///   - directory: the directory that the user named, with `images.json` or with the directories of several datasets;
  ///     nil for none.
  ///   - stored: the directory `images` of the store; nil for none.
  /// - Throws: `noInput` if there is no manifest in `directory`, `badData` for a damaged one, `io`.
  public static func files(in directory: String?, ofStore stored: String?) throws(Problem) -> [[UInt8]: ImageFile] {
    var files: [[UInt8]: ImageFile] = [:]
    if let directory, try !add(directory, to: &files) {
      throw Problem(
        .noInput, "no images.json in the directory", at: directory, hint: .run(.fetchImages, "fetch images"))
    }
    guard let stored else { return files }
    try addNames(stored, to: &files)
    _ = try add(stored, to: &files)
    if let synced = try StoredImages.synced(in: stored) { _ = try add(synced, to: &files) }
    return files
  }

  /// Adds the images of the manifests in a directory and in the directories in it, in the order of their names.
  /// - Returns: whether there is a manifest.
  private static func add(_ directory: String, to files: inout [[UInt8]: ImageFile]) throws(Problem) -> Bool {
    var isFound = false
    for subdirectory in [directory] + (try names(in: directory)).map({ "\(directory)/\($0)" }) {
      let manifest = subdirectory + "/images.json"
      guard let source = try? FileByteSource.ifPresent(manifest, follows: true) else { continue }
      isFound = true
      for record in try ImageManifest.read(try source.bytes(limit: FileLimit.imageList), name: manifest) {
        let url = Array(record.reference.url.utf8)
        if files[url] == nil {
          files[url] = file("\(subdirectory)/\(record.file)", of: record.reference.dataset)
        }
      }
    }
    return isFound
  }

  /// Adds the images of a store by their names.
  private static func addNames(_ directory: String, to files: inout [[UInt8]: ImageFile]) throws(Problem) {
    for dataset in try names(in: directory) {
      // Files next to the directories of datasets have no names in records.
      guard let names = try? names(in: "\(directory)/\(dataset)") else { continue }
      for name in names {
        files[Array("images/\(dataset)/\(name)".utf8)] = file("\(directory)/\(dataset)/\(name)", of: dataset)
      }
    }
  }

  /// The names in a directory besides hidden ones, among which is bb's own lock.
  private static func names(in directory: String) throws(Problem) -> [String] {
    (try DirectoryListing.names(directory) ?? []).filter { !$0.hasPrefix(".") }.sorted()
  }

  /// A file, if it is an image.
  private static func file(_ path: String, of dataset: String) -> ImageFile? {
    guard let source = try? FileByteSource.ifPresent(path, follows: true) else { return nil }
    var beginning = ArenaBuilder(capacity: ImageSize.usualBeginning)
    guard let count = try? source.read(into: &beginning, limit: ImageSize.usualBeginning), count > 0 else { return nil }
    let bytes = beginning.bytes
    guard ImageKind(beginning: Array(bytes.prefix(64))) != nil else { return nil }
    return ImageFile(path: path, dataset: dataset, size: ImageSize(bytes))
  }

  /// Images for a page.
  /// - Parameters:
  ///   - files: the images at hand.
  ///   - page: the path of the page; nil if they become part of it: those of at most 512 KiB, up to 32 MiB of all.
  ///   - dataset: the dataset whose images come first.
  /// - Throws: `io`.
  public static func images(
    _ files: [[UInt8]: ImageFile], for page: String?, first dataset: String?
  ) throws(Problem) -> PageImages {
    var images = PageImages(), left = most
    let start = try page.map(way),
      sorted = files.sorted { first, second in
        let isFirst = first.value.dataset == dataset, isSecond = second.value.dataset == dataset
        return isFirst != isSecond ? isFirst : first.key.lexicographicallyPrecedes(second.key)
      }
    for (address, file) in sorted {
      if let start {
        let path = try way(to: file.path), shared = zip(start, path).prefix { $0 == $1 }.count
        let name = file.path.split(at: "/").last.map(String.init) ?? ""
        let relative = Array(repeating: "..", count: start.count - shared) + path[shared...] + [name]
        images[address] = PageImages.Image(PageAddress(path: relative), file.size)
      } else if let (image, count) = try embedded(file.path, atMost: min(largest, left)) {
        images[address] = PageImages.Image(image, file.size)
        left -= count
      }
    }
    return images
  }

  /// The names on the way to the directory of a file, without links.
  private static func way(to file: String) throws(Problem) -> [String] {
    try OutputFile.place(file).split(at: "/").dropLast().map(String.init)
  }

  /// An image with its bytes; nil if it is not one that pages may have.
  private static func embedded(_ file: String, atMost limit: Int) throws(Problem) -> (PageAddress, Int)? {
    guard let source = try FileByteSource.ifPresent(file, follows: true), source.size.map({ $0 <= limit }) ?? false,
      let bytes = try? source.bytes(limit: limit), let kind = ImageKind(beginning: Array(bytes.prefix(64)))
    else { return nil }
    let type: StaticString =
      switch kind {
      case .jpeg: "image/jpeg"
      case .png: "image/png"
      case .gif: "image/gif"
      case .webp: "image/webp"
      case .avif: "image/avif"
      case .heif: "image/heif"
      }
    return (PageAddress(image: bytes, type: type), bytes.count)
  }
}
