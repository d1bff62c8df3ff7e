import Domain
import Objects
import Rows

/// A version of a file on a server that sends ranges of it.
struct RemoteObject: Sendable {
  /// Smaller files are fetched whole.
  static let leastSize = 1 << 20
  /// The bytes at the end that the first request is for.
  static let tailSize = 64 << 10

  let url: String
  /// The name in messages.
  let place: String
  /// Whether it is an object of a bucket.
  let isObject: Bool
  let transport: any HTTPTransport
  /// The number of bytes.
  let length: Int
  /// The last bytes.
  let tail: [UInt8]
  /// The ETag, or the date of last change of a file without one.
  let validator: FileValidator

  /// The request for the end of a file.
  /// - Parameter known: the ETag of the copy in the cache, which is sufficient.
  static func tailRequest(_ url: String, unless known: String?) -> HTTPRequest {
    var request = request(url, "bytes=-\(tailSize)")
    if let known { request.headers.append(HTTPHeader("If-None-Match", known)) }
    return request
  }

  private static func request(_ url: String, _ range: String) -> HTTPRequest {
    HTTPRequest(
      .get, url, headers: [HTTPHeader("Range", range), HTTPHeader("Accept-Encoding", "identity")],
      timeout: .seconds(600), maximumBytes: 1 << 50)
  }

  /// - Parameters:
  ///   - url: the address, and `place`, its name in messages.
  ///   - response: the response to a request for the end.
  /// - Returns: nil if its ranges cannot be requested.
  init?(
    _ url: String, _ place: String, isObject: Bool, _ transport: any HTTPTransport, end response: HTTPResponse
  ) async throws(Problem) {
    guard let range = ContentRange(response), let length = range.size, let validator = FileValidator(response),
      range.start == max(0, length - Self.tailSize)
    else { return nil }
    (self.url, self.place, self.isObject, self.transport) = (url, place, isObject, transport)
    (self.length, self.validator) = (length, validator)
    tail = try await response.bytes()
    guard tail.count == length - range.start else { return nil }
  }

  private init(_ other: RemoteObject, tail: [UInt8]) {
    (url, place, isObject, transport) = (other.url, other.place, other.isObject, other.transport)
    (length, validator, self.tail) = (other.length, other.validator, tail)
  }

  /// The same with no more of its end than the metadata of a Parquet file.
  var trimmed: RemoteObject {
    guard tail.count > 8 else { return self }
    let size = tail.suffix(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) } + 8
    return size < tail.count ? RemoteObject(self, tail: Array(tail.suffix(size))) : self
  }

  /// The bytes of a range.
  /// - Throws: `busy` if the file has changed; `badData` for another range; the problems of the server.
  func bytes(in range: Range<Int>) async throws(Problem) -> [UInt8] {
    var request = Self.request(url, "bytes=\(range.lowerBound)-\(range.upperBound - 1)")
    request.headers.append(HTTPHeader(validator.isTag ? "If-Match" : "If-Unmodified-Since", validator.text))
    let response: HTTPResponse
    do throws(Problem) { response = try await transport.send(request) } catch { throw error.located(at: place) }
    switch response.status {
    case 206:
      guard response.header("ETag").map({ !validator.isTag || $0 == validator.text }) ?? true,
        let received = ContentRange(response), received.size == length
      else { throw changed }
      let bytes = try await response.bytes()
      guard received.start == range.lowerBound, bytes.count == range.count else {
        throw Problem(.badData, "the server sent another range than the one requested", at: place)
      }
      return bytes
    // A server that sends the whole file would have done so before.
    case 200, 404, 410, 412, 416: throw changed
    default: throw isObject ? await S3Failure.problem(response, at: place) : RemoteFile.refusal(response.status, place)
    }
  }

  var changed: Problem {
    Problem(
      .busy, "the \(isObject ? "object" : "file") changed while it was read", at: place, hint: "run the command again")
  }
}
