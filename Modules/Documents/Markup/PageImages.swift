public import Codecs

/// Images that are at hand for a page, by their address in the data.
public struct PageImages: Sendable, Hashable {
  /// The treatment of image columns.
  public enum Policy: String, Sendable, Hashable, CaseIterable {
    /// Images at hand, and the others from the web.
    case auto
    /// Images at hand; the page requests nothing.
    case local
    /// Images at hand, as part of the page.
    case embed
    case links
    /// Addresses as text.
    case none
  }

  /// An image at hand.
  public struct Image: Sendable, Hashable {
    /// The address to show.
    public let address: PageAddress
    /// The size in pixels; nil if it is not known.
    public let size: ImageSize?

    /// An image of this size.
    public init(_ address: PageAddress, _ size: ImageSize? = nil) { (self.address, self.size) = (address, size) }
  }

  private var images: [[UInt8]: Image] = [:]

  /// No images.
  public init() {}

  /// Whether there is no image.
  public var isEmpty: Bool { images.isEmpty }

  /// Whether they are part of the page.
  public var arePart: Bool { images.values.first?.address.text.starts(with: "data:".utf8) ?? false }

  /// The images of addresses in the data that are not on the web, such as names within a store.
  public var local: PageImages {
    var local = PageImages()
    local.images = images.filter { PageAddress(web: $0.key) == nil }
    return local
  }

  /// The image at hand for an address in the data.
  public subscript(_ address: [UInt8]) -> Image? {
    get { images[address] }
    set { images[address] = newValue }
  }
}
