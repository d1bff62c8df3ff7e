/// The way a server splits a long list into pages.
public struct SourcePaging: Sendable, Hashable {
  /// The ways there are.
  public enum Style: Sendable, Hashable {
    /// One response holds everything.
    case none
    /// A parameter counts pages.
    case page(parameter: String, first: Int)
    /// A parameter counts records; each page has `limit` of them, requested with `limitParameter` if there is one.
    case offset(parameter: String, limitParameter: String?, limit: Int)
    /// The response contains the URL of the next page, at a JSON Pointer.
    case nextURL(pointer: String)
    /// The header `Link` has it, with `rel="next"`.
    case linkHeader
    /// The response contains, at a JSON Pointer, the value of a parameter for the next page.
    case cursor(parameter: String, pointer: String)
  }

  /// When pages that are counted have come to their end. Links and cursors end when there is no next one.
  public enum Stop: String, Sendable, Hashable, CaseIterable {
    /// With a page that has no records.
    case empty
    /// With a page that has fewer records than the first, or none.
    case short
  }

  /// The way.
  public var style: Style
  /// The end of counted pages.
  public var stop: Stop
  /// The most pages. A server that has more is an error, not a shorter list.
  public var maximumPages: Int
  /// Whether the description says that one response holds everything, whatever the response announces.
  public var isDeclaredWhole: Bool

  /// Pages.
  public init(_ style: Style, stop: Stop = .empty, maximumPages: Int = 1000, isDeclaredWhole: Bool = false) {
    self.isDeclaredWhole = isDeclaredWhole
    self.style = style
    self.stop = stop
    self.maximumPages = maximumPages
  }

  /// One response holds everything.
  public static let none = SourcePaging(.none)
}
