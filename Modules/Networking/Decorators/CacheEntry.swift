import Codecs
import Domain

/// One cached response.
///
/// Its format is `bb-cache 2`, the digest of the rest, the time, the status, the relevant headers, an empty line, the
/// body. It is valid only if the digest matches.
struct CacheEntry: Sendable {
  /// When it was fetched or last found unchanged, in seconds since 1970.
  var seconds: Int64
  var status: Int
  var headers: HTTPFields
  var body: [UInt8]
  /// The largest file that is read as an entry, in bytes: the largest body of a response, 256 MiB, and its headers. A
  /// larger file counts as damaged.
  static let largest = 257 << 20
  /// Header fields that are kept in addition to the usual ones.
  var extra: [String] = []
  private static let kept = ["etag", "last-modified", "content-type", "link"]

  /// Seconds since it was known to be right; never below zero, whatever the clock does.
  func age(at now: Int64) -> Int64 { max(0, now - seconds) }
  func header(_ name: String) -> String? { headers.value(of: name) }
  func response(_ url: String) -> HTTPResponse {
    var response = HTTPResponse(status: status, headers: headers, url: url, body: SingleChunkBody(body))
    response.fetchedAt = seconds
    return response
  }

  /// The entry with the links of a response that found it unchanged: a list may have grown after an unchanged page.
  /// - Returns: nil if the links are the same, or the server did not repeat them.
  func renewed(by answer: HTTPFields, at now: Int64) -> CacheEntry? {
    let links = answer.only(["link"])
    guard links != [], links != headers.only(["link"]) else { return nil }
    var renewed = self
    renewed.seconds = now
    renewed.headers = headers.only((Self.kept + extra).filter { $0 != "link" })
    renewed.headers.append(links)
    return renewed
  }

  /// The bytes before the body.
  var head: [UInt8] {
    var fields = Array("\(seconds)\n\(status)\n".utf8)
    fields += headers.only(Self.kept + extra).lines
    fields.append(10)
    var hash = SHA256()
    hash.update(fields)
    hash.update(body)
    var head = Array("bb-cache 2\n".utf8)
    head.reserveCapacity(head.count + 65 + fields.count)
    head += hash.hexDigest().utf8
    head.append(10)
    return head + fields
  }
}

extension CacheEntry {
  /// Reads an entry; nil when it is damaged. `checked` is when it was last found unchanged.
  init?(_ bytes: [UInt8], checked: Int64) {
    guard let (first, rest) = Self.line(bytes[...]), first == "bb-cache 2",
      let (digest, content) = Self.line(rest), SHA256.hex(Array(content)) == digest,
      let (time, afterTime) = Self.line(content),
      let seconds = Int64(time), (0...JSON.largestCount).contains(seconds),
      let (text, afterStatus) = Self.line(afterTime), let status = Int(text)
    else { return nil }
    var headers = HTTPFields(), body = afterStatus
    while let (header, after) = Self.line(body) {
      body = after
      if header.isEmpty {
        self.init(seconds: max(seconds, checked), status: status, headers: headers, body: Array(body))
        return
      }
      headers.append(line: unsafe Array(header.utf8).span.bytes)
    }
    return nil
  }

  private static func line(_ bytes: ArraySlice<UInt8>) -> (String, ArraySlice<UInt8>)? {
    guard let end = bytes.firstIndex(of: 10), let text = String(validating: bytes[..<end], as: UTF8.self) else {
      return nil
    }
    return (text, bytes[(end + 1)...])
  }
}
