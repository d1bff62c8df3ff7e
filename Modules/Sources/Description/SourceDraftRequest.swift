public import Domain
public import Codecs

/// A response from which a source definition is inferred.
public struct SourceDraftRequest: Sendable, Hashable {
  /// The URL of the response, or the path of a file.
  public var url: String
  /// The name of the source and of its dataset; nil for names from the URL.
  public var name: String?, dataset: String?
  /// Headers of the requests.
  public var headers: [SourceParameter] = []
  /// The authorizations.
  public var authorization: [SourceAuthorization] = []
  /// The body of a POST request; nil for GET.
  public var body: JSON?
  /// The place of the records; nil to infer it.
  public var records: String?
  /// The path of an operation, in a description of an API; nil for none.
  public var path: String?
  /// The most pages to read; 1 to try nothing.
  public var pages = 1
  /// A request for the response at a URL.
  public init(_ url: String) { self.url = url }
}
