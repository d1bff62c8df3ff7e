public import Codecs

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
    /// As `cursor`, with other places.
    case keyset(SourceCursor)
    /// The response contains, at a JSON Pointer, an object of parameters for the next page.
    case parameters(pointer: String)
  }

  /// When pages end, if nothing else ends them.
  public enum Stop: String, Sendable, Hashable, CaseIterable {
    /// With a page that has no records.
    case empty
    /// With a page that has fewer records than the limit or the first page, or none.
    case short
    /// With a response of status 404, whatever its body, and with a page that has no records.
    case notFound = "not-found"
  }

  /// A number in a response: JSON Pointer, or the name of a header field.
  public enum Count: Sendable, Hashable {
    case pointer(String)
    case header(String)
  }

  /// The way.
  public var style: Style
  /// The end of pages; nil for the first empty page of counted lists. Links and cursors end when there is no next one.
  public var stop: Stop?
  /// The most pages. A server that has more is an error, not a shorter list.
  public var maximumPages: Int
  /// Whether the description says that one response holds everything, whatever the response announces.
  public var isDeclaredWhole: Bool
  /// The page size to request, of all styles but `offset`; nil for the server's own.
  public var limit: Int?
  /// The query parameter for `limit`; nil for none.
  public var limitParameter: String?
  /// A sign of the last page; nil for none.
  public var until: SourceSign?
  /// The number of all records; nil if the server does not say.
  public var total: Count?
  /// The number of all pages; nil if the server does not say.
  public var pages: Count?
  /// The first offset.
  public var firstOffset = 0
  /// The number of records of a page that the next page repeats, for lists that change while they are read.
  public var overlap = 0

  /// Pages.
  public init(_ style: Style, stop: Stop? = nil, maximumPages: Int = 1000, isDeclaredWhole: Bool = false) {
    self.isDeclaredWhole = isDeclaredWhole
    self.style = style
    self.stop = stop
    self.maximumPages = maximumPages
  }

  /// One response holds everything.
  public static let none = SourcePaging(.none)
}

/// The value that identifies the next page.
public struct SourceCursor: Sendable, Hashable {
  /// The place of the value in a request.
  public enum Target: Sendable, Hashable {
    /// A query parameter.
    case parameter(String)
    /// A JSON Pointer in the body.
    case body(String)
  }
  /// The place of the value in a response.
  public enum Origin: Sendable, Hashable {
    /// JSON Pointer in the response.
    case response(String)
    /// JSON Pointer in the last record.
    case last(String)
    /// A header field.
    case header(String)
  }
  /// The value for the first page; nil for none.
  public var start: JSON?
  /// The place of the value in a request.
  public var target: Target
  /// The place of the value in a response.
  public var origin: Origin
  /// A cursor.
  public init(start: JSON? = nil, to target: Target, from origin: Origin) {
    self.start = start
    self.target = target
    self.origin = origin
  }
}
