public import Documents
public import Domain
public import Rows

/// The images of a site: copies of those at hand, and addresses of the web if the user wants them.
public struct SiteImages {
  /// Where images come from.
  public enum Policy: String, Sendable, CaseIterable {
    /// Files at hand; the site makes no request of its own.
    case local
    /// Files at hand, and the others from the web.
    case remote
    /// No images.
    case none
  }

  let policy: Policy
  private let known: [[UInt8]: ImageFile]
  private let stored: @Sendable (String) -> String?
  private let directory: any OutputDirectory
  private var addresses: [[UInt8]: Address?] = [:]
  private var paths: Set<String> = []
  /// The number of copies.
  private(set) var count = 0
  /// The number of different addresses whose images are not at hand.
  private(set) var missing = 0

  /// The address of an image.
  enum Address {
    /// A file of the site.
    case file(SiteLink)
    case web(PageAddress)
  }

  /// The most bytes of all images together.
  private static let most = 8 << 30

  /// Creates the images.
  ///
  /// - Parameters:
  ///   - known: files by the URL in the data.
  ///   - stored: the path of an image by its name in the store; nil for other texts.
  ///   - directory: receives the copies.
  public init(
    _ policy: Policy, known: [[UInt8]: ImageFile], stored: @escaping @Sendable (String) -> String?,
    in directory: any OutputDirectory
  ) {
    self.policy = policy
    self.known = known
    self.stored = stored
    self.directory = directory
  }

  /// The address of an image that a record refers to; nil if it cannot be shown.
  mutating func address(of text: String, dataset: String) throws(Problem) -> Address? {
    guard policy != .none else { return nil }
    let key = Array(text.utf8)
    if let found = addresses[key] { return found }
    var address: Address?
    if let link = try copy(text, key, dataset) {
      address = .file(link)
    } else {
      if policy == .remote, !key.starts(with: "mailto:".utf8) { address = PageAddress(web: key).map { .web($0) } }
      if address == nil { missing += 1 }
    }
    addresses[key] = .some(address)
    return address
  }

  private mutating func copy(_ text: String, _ key: [UInt8], _ dataset: String) throws(Problem) -> SiteLink? {
    let file = known[key] ?? stored(text).map { ImageFile(path: $0, dataset: dataset) }
    guard let file else { return nil }
    let name = file.path.split(separator: "/").last.map(String.init) ?? "",
      dot = name.lastIndex(of: ".") ?? name.endIndex
    let stem = String(name[..<dot]), subdirectory = SiteName.slug(file.dataset)
    let isPlain = stem.utf8.count <= 80 && stem.utf8.allSatisfy { $0 &- 48 < 10 || $0 &- 97 < 26 || $0 == 45 }
    var path = "images/\(subdirectory.isEmpty ? "other" : subdirectory)/"
    path += isPlain && !stem.isEmpty ? stem : SiteName.name(stem, Array(stem.utf8) + [0])
    if !paths.insert(path).inserted {
      path += "-" + SiteName.digest(key)
      guard paths.insert(path).inserted else { return nil }
    }
    guard let copy = try directory.copy(image: file.path, to: path) else { return nil }
    if directory.bytes > Self.most {
      throw Problem(
        .badData, "the site is larger than 8 GiB", hint: ["choose datasets", .set(.siteImages, to: "none")])
    }
    count += 1
    return SiteLink(copy)
  }

  /// Copies all images at hand of a dataset.
  /// - Returns: their addresses from a page in a directory of the site, by the address in the data.
  public mutating func all(of dataset: String) throws(Problem) -> PageImages {
    var images = PageImages()
    let own = known.filter { $0.value.dataset == dataset }.keys.sorted { $0.lexicographicallyPrecedes($1) }
    for url in own {
      if case .file(let link)? = try address(of: String(decoding: url, as: UTF8.self), dataset: dataset) {
        images[url] = link.address(fromRoot: false)
      }
    }
    return images
  }
}
