import Codecs

/// The way a server splits a long list into pages.
public struct SourcePaging: Sendable, Hashable {
  /// The ways there are.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// One response holds everything.
    case none
    /// A parameter counts pages.
    case page
    /// A parameter counts records.
    case offset
    /// The response contains the URL of the next page.
    case nextURL = "next_url"
    /// The header `Link` has it, with `rel="next"`.
    case linkHeader = "link_header"
    /// The response contains a value for the next page.
    case cursor
    /// The response contains an object of parameters for the next page.
    case parameters = "params"
  }

  /// When pages end, if nothing else ends them.
  public enum Stop: String, Sendable, Hashable, CaseIterable {
    case empty
    /// With a page that has fewer records than the limit or the first page, or none.
    case short
    /// With a response of status 404, whatever its body, and with a page that has no records.
    case notFound = "not-found"
  }

  /// The way.
  public var type: Kind
  /// The query parameter with the number or the cursor; nil for a cursor in the body.
  public var parameter: String?
  /// JSON Pointer to the cursor in the body of a request; nil for `parameter`.
  var body: String?
  var first: Int
  /// The page size to request; nil for the server's own, and for one record by offset.
  public var limit: Int?
  /// The query parameter for `limit`; nil for none.
  var limitParameter: String?
  /// The number of records of a page that the next page repeats, for lists that change while they are read.
  var overlap = 0
  /// JSON Pointer to the URL, the cursor, or the parameters in a response; nil for `from`.
  var pointer: String?
  /// The place of the cursor, if it is not at `pointer`.
  public var from: SourcePlace?
  /// The cursor of the first page; nil for none.
  var start: JSON?
  /// The end of pages; nil for the first empty page of counted lists. Links and cursors end when there is no next one.
  var stop: Stop?
  /// The most pages. A server that has more is an error, not a shorter list.
  var maximumPages: Int
  /// Whether the description says that one response holds everything, whatever the response announces.
  var isDeclaredWhole: Bool
  /// A sign of the last page; nil for none.
  public var until: SourceSign?
  /// The number of all records; nil if the server does not say.
  var total: SourcePlace?
  /// The number of all pages; nil if the server does not say.
  var pages: SourcePlace?

  /// Pages.
  /// `first` is the first page, by default 1, or the first offset, by default 0.
  public init(
    _ type: Kind, _ parameter: String? = nil, first: Int? = nil, limit: Int? = nil, limitParameter: String? = nil,
    pointer: String? = nil, from: SourcePlace? = nil, stop: Stop? = nil, maximumPages: Int = 1000,
    isDeclaredWhole: Bool = false
  ) {
    (self.type, self.parameter, self.first) = (type, parameter, first ?? (type == .page ? 1 : 0))
    (self.limit, self.limitParameter, self.pointer, self.from) = (limit, limitParameter, pointer, from)
    (self.stop, self.maximumPages, self.isDeclaredWhole) = (stop, maximumPages, isDeclaredWhole)
  }

  /// One response holds everything.
  public static let none = SourcePaging(.none)

  var origin: SourcePlace { from ?? SourcePlace(response: pointer ?? "") }
}

/// The place of a value in a response: one of these.
public struct SourcePlace: Sendable, Hashable {
  var response: String?
  /// JSON Pointer in the last record.
  var last: String?
  var header: String?
  /// A place.
  public init(response: String? = nil, last: String? = nil, header: String? = nil) {
    (self.response, self.last, self.header) = (response, last, header)
  }
}
