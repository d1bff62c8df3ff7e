internal import Codecs
internal import Domain
import Glibc

/// One cached answer.
struct CacheEntry: Sendable {
  /// When it was fetched or last found unchanged, in seconds since 1970.
  var seconds: Int64
  var status: Int
  var headers: [HTTPHeader]
  var body: [UInt8]

  /// Seconds since it was known to be right; never below zero, whatever the clock does.
  func age(at now: Int64) -> Int64 { max(0, now - seconds) }
  func header(_ name: String) -> String? { headers.first { $0.isCalled(name) }?.value }
  func response(_ url: String) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, url: url, body: OneChunk(body))
  }
}

/// Cached answers, a private file each: written whole or not at all, and believed only when its digest is right.
///
/// A file is `bb-cache 1`, the digest of what follows, the time, the status, the headers that matter, an empty line, the body. When it was last found
/// unchanged is the file's own time: to say so again costs no writing.
struct CacheStore: Sendable {
  private let folder: String
  private let written: CacheWritten
  private static let kept = ["etag", "last-modified", "content-type"]

  init(folder: String) {
    self.folder = folder
    written = CacheWritten(folder: folder + "/http")
  }

  /// The entry for a URL; nil when there is none, or it is damaged.
  func entry(for url: String) -> CacheEntry? {
    let path = path(url)
    guard written.mayHold(path), let (bytes, checked) = read(path), let (first, rest) = Self.line(bytes[...]),
      first == "bb-cache 1",
      let (digest, content) = Self.line(rest), SHA256.hex(Array(content)) == digest,
      let (time, afterTime) = Self.line(content),
      let seconds = Int64(time), let (text, afterStatus) = Self.line(afterTime), let status = Int(text)
    else { return nil }
    var headers: [HTTPHeader] = [], body = afterStatus
    while let (header, after) = Self.line(body) {
      body = after
      if header.isEmpty {
        return CacheEntry(seconds: max(seconds, checked), status: status, headers: headers, body: Array(body))
      }
      guard let colon = header.firstIndex(of: ":") else { return nil }
      headers.append(HTTPHeader(String(header[..<colon]), String(header[header.index(after: colon)...])))
    }
    return nil
  }

  /// Keeps an entry; false when it could not be written.
  func keep(_ entry: CacheEntry, for url: String) -> Bool { prepared(entry, for: url).publish() }

  /// Notes that the entry for a URL was found unchanged. Where that cannot be written, it is only asked about sooner.
  func noteUnchanged(_ url: String, at seconds: Int64) {
    let times = [timespec(tv_sec: Int(seconds), tv_nsec: 0), timespec(tv_sec: Int(seconds), tv_nsec: 0)]
    unsafe utimensat(AT_FDCWD, path(url), times, AT_SYMLINK_NOFOLLOW)
  }

  /// An entry that is not yet in its place.
  func prepared(_ entry: CacheEntry, for url: String) -> PendingEntry {
    let headers = entry.headers.filter { header in
      Self.kept.contains { header.isCalled($0) } && !header.value.utf8.contains(10)
    }
    let head = "\(entry.seconds)\n\(entry.status)\n" + headers.map { "\($0.name):\($0.value)\n" }.joined() + "\n"
    var hash = SHA256()
    let first = Array(head.utf8)
    hash.update(first)
    hash.update(entry.body)
    let name = path(url)
    return PendingEntry(
      first: Array("bb-cache 1\n\(hash.hexDigest())\n".utf8) + first, body: entry.body, path: name,
      seconds: entry.seconds, written: written)
  }

  private func path(_ url: String) -> String { "\(folder)/http/\(SHA256.hex(Array(url.utf8)))" }

  private static func line(_ bytes: ArraySlice<UInt8>) -> (String, ArraySlice<UInt8>)? {
    guard let end = bytes.firstIndex(of: 10), let text = String(validating: bytes[..<end], as: UTF8.self) else {
      return nil
    }
    return (text, bytes[(end + 1)...])
  }

  /// The bytes of a file, and its time.
  private func read(_ path: String) -> ([UInt8], Int64)? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    var bytes: [UInt8] = [], block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? (bytes, Int64(status.st_mtim.tv_sec)) : nil }
      bytes += block[..<count]
    }
  }
}
