import Codecs
package import Documents
package import Domain
package import Rows

/// The images of a site: copies of those at hand, and addresses of the web if the user wants them.
package struct SiteImages {
  package enum Policy: String, Sendable, CaseIterable {
    /// Files at hand; the site makes no request of its own.
    case local
    /// Files at hand, and the others from the web.
    case remote
    /// No images.
    case none
  }

  let policy: Policy
  private let known: [[UInt8]: ImageFile]
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
    case file(SiteLink, ImageSize?)
    case web(PageAddress)
  }

  /// The most bytes of all images together.
  private static let most = 8 << 30

  /// Creates the images.
  ///
  /// - Parameters:
  ///   - known: files by the URL, or by the name in the store.
  ///   - directory: receives the copies.
  package init(_ policy: Policy, known: [[UInt8]: ImageFile], in directory: any OutputDirectory) {
    self.policy = policy
    self.known = known
    self.directory = directory
  }

  /// The address of an image that a record refers to; nil if it cannot be shown.
  mutating func address(of text: String) throws(Problem) -> Address? {
    guard policy != .none else { return nil }
    let key = Array(text.utf8)
    if let found = addresses[key] { return found }
    var address: Address?
    if let file = known[key], let link = try copy(file, key) {
      address = .file(link, file.size)
    } else {
      let web = key.starts(with: "mailto:".utf8) ? nil : PageAddress(web: key)
      if policy == .remote { address = web.map { .web($0) } }
      // Any other text is not an image that could be at hand.
      if address == nil, web != nil || text.hasPrefix("images/") { missing += 1 }
    }
    addresses[key] = .some(address)
    return address
  }

  private mutating func copy(_ file: ImageFile, _ key: [UInt8]) throws(Problem) -> SiteLink? {
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
  package mutating func all(of dataset: String) throws(Problem) -> PageImages {
    var images = PageImages()
    let own = known.filter { $0.value.dataset == dataset }.keys.sorted { $0.lexicographicallyPrecedes($1) }
    for url in own {
      if case .file(let link, let size)? = try address(of: String(decoding: url, as: UTF8.self)) {
        images[url] = PageImages.Image(link.address(fromRoot: false), size)
      }
    }
    return images
  }
}
