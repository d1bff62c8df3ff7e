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
    /// Addresses as links.
    case links
    /// Addresses as text.
    case none
  }

  /// The addresses to show instead, by the address in the data.
  private(set) var addresses: [[UInt8]: PageAddress] = [:]

  /// No images.
  public init() {}

  /// Whether there is no image.
  public var isEmpty: Bool { addresses.isEmpty }

  /// The images of addresses in the data that are not on the web, such as paths within a store.
  public var local: PageImages {
    var local = PageImages()
    local.addresses = addresses.filter { PageAddress(web: $0.key) == nil }
    return local
  }

  /// Adds images; those of equal addresses are replaced.
  public mutating func add(_ others: PageImages) { addresses.merge(others.addresses) { _, new in new } }

  /// The image at hand for an address in the data.
  public subscript(_ address: [UInt8]) -> PageAddress? {
    get { addresses[address] }
    set { addresses[address] = newValue }
  }
}
