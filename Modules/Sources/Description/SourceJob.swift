import Codecs
import Domain
import Rows

/// An export job: a request creates it, its state is polled, and then the records are read.
public struct SourceJob: Sendable, Hashable {
  /// The path of the request that creates it.
  var path = ""
  /// Its method, body and headers.
  var request = SourceRequest.post(nil)
  /// JSON Pointer to the identifier in the response, which is `{job}` in paths.
  var id = ""
  /// The path of its state.
  var status = ""
  /// The signs of its end, and of its failure; nil for none.
  var done = SourceSign(at: "", is: .null)
  var failed: SourceSign?
  /// JSON Pointer to the URL of the records in the state; nil for the path of the dataset.
  var link: String?
  /// Seconds between two requests for the state.
  var interval = 5

  /// The name of the identifier in paths.
  static let name = "job"

  static let table = SourceTable(
    SourceJob(), "an export job: created once, polled, and read at its end",
    [
      .key("path", \.path, .matching(.path), "path of the request that creates the job").required(),
      .key("request", \.request, .object(SourceFileDataset.request), "its method, body and headers [default: POST]"),
      .key("id", \.id, .matching(.pointer), "JSON Pointer to the identifier in the response: {job} in paths")
        .required(),
      .key("status", \.status, .matching(.path), "path of the job's state, with {job}").required(),
      .key("done", \.done, .object(SourceSign.table), "the sign of its end").required(),
      .optional("failed", \.failed, .object(SourceSign.table), "the sign of its failure"),
      .optional("url", \.link, .matching(.pointer), "JSON Pointer to the URL of the records, in place of the path"),
      .key("every", \.interval, .integer(least: 1), "seconds between requests, doubled up to 60 [default: 5]"),
    ])
}
