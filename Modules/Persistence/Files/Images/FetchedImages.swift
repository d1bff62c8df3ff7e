public import Documents
public import Domain
import Files
import Glibc
public import Rows

/// Images that `bb-export images` or `sync --images` stored in a directory, for pages.
public enum FetchedImages {
  /// The most bytes of an image that becomes part of a page, and of all of them.
  private static let largest = 512 << 10, most = 32 << 20

  /// The images whose manifest is in `directory`, or in a directory in it.
  ///
  /// - Parameters:
  ///   - directory: the directory of `images.json`, or of the directories of several datasets.
  ///   - page: the path of the page that shows them.
  ///   - isEmbedded: whether they become part of the page: those of at most 512 KiB, up to 32 MiB of all.
  /// - Returns: the images by URL, with their paths relative to the page, or with their bytes.
  /// - Throws: `noInput` if there is no manifest, `badData` for a damaged one, `io`.
  public static func images(
    in directory: String, for page: String, isEmbedded: Bool
  ) throws(Problem) -> PageImages {
    var images = PageImages(), left = most, isFound = false
    let start = try way(to: page)
    for (subdirectory, manifest) in try manifests(in: directory) {
      isFound = true
      let path = try way(to: manifest)
      let shared = zip(start, path).prefix { $0 == $1 }.count
      let relative = Array(repeating: "..", count: start.count - shared) + path[shared...]
      let text = try FileByteSource(path: manifest).bytes(limit: FileLimit.imageList)
      for record in try ImageManifest.read(text, name: manifest) {
        let url = Array(record.reference.url.utf8), file = "\(subdirectory)/\(record.file)"
        if isEmbedded {
          guard record.bytes <= min(largest, left), let image = try embedded(file) else { continue }
          images[url] = image
          left -= record.bytes
        } else if try FileStamp.now(at: file) != nil {
          images[url] = PageAddress(path: relative + [record.file])
        }
      }
    }
    guard isFound else {
      throw Problem(
        .noInput, "no images.json in the directory", at: directory, hint: .run(.fetchImages, "fetch images"))
    }
    return images
  }

  /// The images of a store, by their names in the records: `images/actors/1-1.jpg`.
  ///
  /// - Parameters:
  ///   - directory: the directory `images` of the store.
  ///   - page: the path of the page that shows them; nil if they become part of it, as in `images(in:for:isEmbedded:)`.
  /// - Throws: `io`.
  public static func stored(in directory: String, for page: String?) throws(Problem) -> PageImages {
    var images = PageImages(), left = most
    for dataset in (try DirectoryListing.names(directory) ?? []).sorted() {
      // Files next to the directories of datasets have no names in records.
      guard let names = try? DirectoryListing.names("\(directory)/\(dataset)") else { continue }
      for file in names.sorted() {
        let name = Array("images/\(dataset)/\(file)".utf8), path = "\(directory)/\(dataset)/\(file)"
        if let page {
          images[name] = PageAddress(path: try relative(path, to: page))
        } else if let size = try FileStamp.now(at: path)?.size, size <= min(largest, left),
          let image = try embedded(path)
        {
          images[name] = image
          left -= Int(size)
        }
      }
    }
    return images
  }

  /// The way from a page to a file.
  private static func relative(_ file: String, to page: String) throws(Problem) -> [String] {
    let start = try way(to: page), path = try way(to: file)
    let shared = zip(start, path).prefix { $0 == $1 }.count
    let name = file.split(at: "/").last.map(String.init) ?? file
    return Array(repeating: "..", count: start.count - shared) + path[shared...] + [name]
  }

  /// The files of the images, by URL; empty if there is no manifest.
  /// - Parameter directory: as in `images(in:for:isEmbedded:)`.
  /// - Throws: `badData` for a damaged manifest, `io`.
  public static func files(in directory: String) throws(Problem) -> [[UInt8]: ImageFile] {
    var files: [[UInt8]: ImageFile] = [:]
    for (subdirectory, manifest) in try manifests(in: directory) {
      let text = try FileByteSource(path: manifest).bytes(limit: FileLimit.imageList)
      for record in try ImageManifest.read(text, name: manifest) {
        let url = Array(record.reference.url.utf8)
        if files[url] == nil {
          files[url] = ImageFile(path: "\(subdirectory)/\(record.file)", dataset: record.reference.dataset)
        }
      }
    }
    return files
  }

  /// The manifests in a directory and in the directories in it, with their directories, in the order of their names.
  private static func manifests(in directory: String) throws(Problem) -> [(subdirectory: String, manifest: String)] {
    let names = try DirectoryListing.names(directory) ?? []
    return ([directory] + names.sorted().map { "\(directory)/\($0)" }).map { ($0, $0 + "/images.json") }
      .filter { (try? FileStamp.now(at: $0.1)) != nil }
  }

  /// The names on the way to the directory of a file, without links.
  private static func way(to file: String) throws(Problem) -> [String] {
    try OutputFile.place(file).split(at: "/").dropLast().map(String.init)
  }

  /// An image with its bytes; nil if it is not one that pages may have.
  private static func embedded(_ file: String) throws(Problem) -> PageAddress? {
    guard let bytes = try FileByteSource.ifPresent(file, follows: true)?.bytes(limit: FileLimit.image),
      bytes.count <= largest,
      let kind = ImageKind(beginning: Array(bytes.prefix(64)))
    else { return nil }
    switch kind {
    case .jpeg: return PageAddress(image: bytes, type: "image/jpeg")
    case .png: return PageAddress(image: bytes, type: "image/png")
    case .gif: return PageAddress(image: bytes, type: "image/gif")
    case .webp: return PageAddress(image: bytes, type: "image/webp")
    case .avif: return PageAddress(image: bytes, type: "image/avif")
    case .heif: return PageAddress(image: bytes, type: "image/heif")
    }
  }
}
