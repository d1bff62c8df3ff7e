import CPages

/// The style sheets, scripts and outlines of pages: files of the target CPages.
public enum PageAsset: Int32 {
  /// Parts of the page of a table.
  case tableStyle, cardStyle, tableScript
  /// Parts of a website.
  case siteStyle, siteScript
  /// The path of an SVG map of the world.
  case land

  /// The content of the file.
  public var text: [UInt8] {
    var count = 0
    let bytes = unsafe bb_page_asset(rawValue, &count)
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
