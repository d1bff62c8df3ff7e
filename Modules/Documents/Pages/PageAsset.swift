import CAssets

/// A style sheet, a script or an outline of pages: a file of the target CAssets, or several in a row.
///
/// Besides fixed text it is the only markup that is written as it is, so only this file can make one.
public struct PageAsset: Sendable {
  private enum File: Int32 {
    case table, cards, site, shared, profile
    case commonScript, mapScript, tableScript, searchScript
    case land
  }
  private let files: [File]

  private init(_ files: File...) { self.files = files }

  /// The text.
  public var bytes: [UInt8] {
    files.flatMap { file in
      var count = 0
      let number = bb_asset_number(rawValue: UInt32(file.rawValue))
      return unsafe Array(UnsafeBufferPointer(start: bb_asset(number, &count), count: count))
    }
  }

  /// The style of pages with a table.
  public static let tableStyle = PageAsset(.table, .shared)
  /// The style of profiles.
  public static let profileStyle = PageAsset(.profile)
  /// The style of rows as cards.
  public static let cardStyle = PageAsset(.cards)
  /// The script of pages with a table.
  public static let tableScript = PageAsset(.commonScript, .mapScript, .tableScript)
  /// The style of sites.
  public static let siteStyle = PageAsset(.site, .shared)
  /// The script of sites.
  public static let siteScript = PageAsset(.commonScript, .mapScript, .searchScript)
  /// The outlines of the land, as an SVG path in tenths of a degree.
  static let land = PageAsset(.land)
}

extension StyleSheet {
  /// Appends a style sheet of pages.
  public mutating func append(_ asset: PageAsset) { append(bytes: asset.bytes) }
}

extension Markup {
  /// Appends an asset as it is.
  public mutating func raw(_ asset: PageAsset) { raw(bytes: asset.bytes) }
}
