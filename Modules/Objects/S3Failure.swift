public import Domain
public import Rows

/// The meaning of a response of S3 that is an error.
public enum S3Failure {
  /// The problem that a response describes.
  /// - `place`: the object or the bucket.
  public static func problem(_ response: HTTPResponse, at place: String) async -> Problem {
    let body = (try? await response.bytes()) ?? []
    return problem(response.status, S3Document(body), at: place)
  }

  /// Errors of a body or of a status that pass.
  private static let passing: Set<String> = [
    "InternalError", "SlowDown", "RequestTimeout", "ServiceUnavailable", "OperationAborted", "Throttling",
    "ThrottlingException", "RequestLimitExceeded",
  ]

  static func problem(_ status: Int, _ document: S3Document, at place: String) -> Problem {
    let code = document["Code"] ?? ""
    var problem: Problem
    switch (code, status) {
    case ("NoSuchBucket", _): problem = Problem(.noInput, "no such bucket", at: place)
    case ("NoSuchKey", _): problem = Problem(.noInput, "no such object", at: place, hint: .listObjects(near: place))
    case ("SignatureDoesNotMatch", _):
      problem = Problem(
        .permission, "the secret key does not fit the access key", at: place,
        hint: "check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile")
    case ("InvalidAccessKeyId", _):
      problem = Problem(
        .permission, "unknown access key", at: place, hint: "check AWS_ACCESS_KEY_ID, or the profile")
    case ("ExpiredToken", _), ("TokenRefreshRequired", _), ("InvalidToken", _):
      problem = Problem(.permission, "the credentials have expired", at: place, hint: "renew them")
    case ("RequestTimeTooSkewed", _):
      let times = [document["RequestTime"].map { "here \($0)" }, document["ServerTime"].map { "server \($0)" }]
      problem = Problem(
        .unavailable, "the clocks differ too much: \(times.compactMap(\.self).joined(separator: ", "))", at: place,
        hint: "set the clock of this machine")
    case ("EntityTooSmall", _): problem = Problem(.bug, "internal error: a part was too small", at: place)
    case ("QuotaExceeded", _), ("EntityTooLarge", _), (_, 507):
      problem = Problem(.io, "the server refuses more data", at: place)
    case (_, 401), (_, 403): problem = Problem(.permission, "access denied", at: place)
    case (_, 404): problem = Problem(.noInput, "no such bucket or object", at: place, hint: .listObjects(near: place))
    case (_, 409), (_, 412): problem = Problem(.busy, "changed by another process", at: place)
    case (_, 300..<400):
      problem = Problem(
        .unavailable, "refusing a redirect to another server", at: place, hint: "set the region or the endpoint")
    default:
      problem = Problem(.unavailable, status == 200 ? "the server failed" : "HTTP status \(status)", at: place)
    }
    // Only words: a response may repeat the request with its signature.
    func isWord(_ text: String) -> Bool {
      text.utf8.count <= 64 && text.utf8.allSatisfy { $0 &- 48 < 10 || (97...122).contains($0 | 32) || $0 == 45 }
    }
    let details = [code, document["RequestId"].map { "request \($0)" } ?? ""].filter { text in
      !text.isEmpty && text.split(at: " ").allSatisfy { isWord(String($0)) }
    }
    if !details.isEmpty { problem.message += " (\(details.joined(separator: ", ")))" }
    problem.status = status
    problem.isTransient = passing.contains(code) || status >= 500
    return problem
  }
}
