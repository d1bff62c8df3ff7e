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
  func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
  func checked(at now: Int64) -> CacheEntry {
    var copy = self
    copy.seconds = now
    return copy
  }
  func response(_ url: String) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, url: url, body: OneChunk(body))
  }
}

/// Cached answers, a private file each: written whole or not at all, and believed only when its digest is right.
///
/// A file is `bb-cache 1`, the digest of what follows, the time, the status, the headers that matter, an empty line, the body.
struct CacheStore: Sendable {
  private let folder: String
  private static let kept = ["etag", "last-modified", "content-type"]

  init(folder: String) { self.folder = folder }

  /// The entry for a URL; nil when there is none, or it is damaged.
  func entry(for url: String) -> CacheEntry? {
    guard let bytes = read(path(url)), let (first, rest) = Self.line(bytes[...]), first == "bb-cache 1",
      let (digest, content) = Self.line(rest), SHA256.hex(Array(content)) == digest,
      let (time, afterTime) = Self.line(content),
      let seconds = Int64(time), let (text, afterStatus) = Self.line(afterTime), let status = Int(text)
    else { return nil }
    var headers: [HTTPHeader] = [], body = afterStatus
    while let (header, after) = Self.line(body) {
      body = after
      if header.isEmpty { return CacheEntry(seconds: seconds, status: status, headers: headers, body: Array(body)) }
      guard let colon = header.firstIndex(of: ":") else { return nil }
      headers.append(HTTPHeader(String(header[..<colon]), String(header[header.index(after: colon)...])))
    }
    return nil
  }

  /// Keeps an entry; false when it could not be written, which for a cache is no reason to fail.
  @discardableResult func keep(_ entry: CacheEntry, for url: String) -> Bool {
    guard let pending = prepared(entry, for: url) else { return false }
    return pending.publish()
  }

  /// An entry on the disk that is not yet in its place; nil when it could not be written.
  func prepared(_ entry: CacheEntry, for url: String) -> PendingEntry? {
    let headers = entry.headers.filter { Self.kept.contains($0.name.lowercased()) && !$0.value.contains("\n") }
    let head = "\(entry.seconds)\n\(entry.status)\n" + headers.map { "\($0.name):\($0.value)\n" }.joined() + "\n"
    let content = Array(head.utf8) + entry.body
    return write(Array("bb-cache 1\n\(SHA256.hex(content))\n".utf8) + content, for: path(url))
  }

  private func path(_ url: String) -> String { "\(folder)/http/\(SHA256.hex(Array(url.utf8)))" }

  private static func line(_ bytes: ArraySlice<UInt8>) -> (String, ArraySlice<UInt8>)? {
    guard let end = bytes.firstIndex(of: 10), let text = String(validating: bytes[..<end], as: UTF8.self) else {
      return nil
    }
    return (text, bytes[(end + 1)...])
  }

  private func read(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = [], block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += block[..<count]
    }
  }

  private func write(_ bytes: [UInt8], for path: String) -> PendingEntry? {
    makeFolder("\(folder)/http")
    let temporary = "\(path).\(getpid()).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    let pending = PendingEntry(temporary, for: path)
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      done += count
    }
    let isWhole = done == bytes.count && fsync(descriptor) == 0
    let isClosed = close(descriptor) == 0
    return isWhole && isClosed ? pending : nil
  }

  private func makeFolder(_ path: String) {
    if unsafe mkdir(path, 0o700) == 0 || errno != ENOENT { return }
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    makeFolder(String(path[..<slash]))
    unsafe mkdir(path, 0o700)
  }
}

/// An entry's file until it is put in its place; one that never is goes away.
final class PendingEntry: Sendable {
  private let temporary: String
  private let path: String

  fileprivate init(_ temporary: String, for path: String) {
    self.temporary = temporary
    self.path = path
  }
  deinit { unsafe unlink(temporary) }

  /// Puts it in its place, whatever was there; false when that could not be done. Once.
  @discardableResult func publish() -> Bool { unsafe rename(temporary, path) == 0 }
}
