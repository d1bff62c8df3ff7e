/// How a server hands out a long list in pages.
public struct SourcePaging: Sendable, Hashable {
  /// The ways there are.
  public enum Style: Sendable, Hashable {
    /// One answer holds everything.
    case none
    /// A parameter counts pages.
    case page(parameter: String, first: Int)
    /// A parameter counts records; `limit` of them are asked for, in the parameter `limitParameter` when there is one.
    case offset(parameter: String, limitParameter: String?, limit: Int)
    /// The answer holds the next page's URL at a JSON Pointer.
    case nextURL(pointer: String)
    /// The header `Link` has it, with `rel="next"`.
    case linkHeader
    /// The answer holds, at a JSON Pointer, the value of a parameter for the next page.
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

  /// Pages.
  public init(_ style: Style, stop: Stop = .empty, maximumPages: Int = 1000) {
    self.style = style
    self.stop = stop
    self.maximumPages = maximumPages
  }

  /// One answer holds everything.
  public static let none = SourcePaging(.none)
}
