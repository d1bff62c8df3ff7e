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
  @discardableResult func keep(_ entry: CacheEntry, for url: String) -> Bool { prepared(entry, for: url).publish() }

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
    return PendingEntry(first: Array("bb-cache 1\n\(hash.hexDigest())\n".utf8) + first, body: entry.body, path: name)
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
}

/// An entry until it is put in its place.
struct PendingEntry: Sendable {
  fileprivate let first: [UInt8]
  fileprivate let body: [UInt8]
  fileprivate let path: String

  /// Puts it in its place, whatever was there; false when that could not be done.
  ///
  /// Where nothing was, a file that is torn by a power cut is as good as none: its digest tells. In the place of another goes only one that is on the disk.
  @discardableResult func publish() -> Bool {
    if let isWhole = write(path, flushes: false) { return isWhole }
    let temporary = "\(path).\(getpid()).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    guard write(temporary, flushes: true) == true else { return false }
    if unsafe rename(temporary, path) == 0 { return true }
    unsafe unlink(temporary)
    return false
  }

  /// Writes the file at `path`, which must not be there: nil when it is. What cannot be written whole is removed.
  private func write(_ path: String, flushes: Bool) -> Bool? {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    var descriptor = unsafe open(path, flags, 0o600)
    if descriptor < 0, errno == ENOENT {
      Self.makeFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
      descriptor = unsafe open(path, flags, 0o600)
    }
    guard descriptor >= 0 else { return errno == EEXIST ? nil : false }
    let isWritten = Self.write(first, to: descriptor) && Self.write(body, to: descriptor)
    let isFlushed = !flushes || fsync(descriptor) == 0
    let isClosed = close(descriptor) == 0
    if isWritten, isFlushed, isClosed { return true }
    unsafe unlink(path)
    return false
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress! + done, $0.count - done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
    }
    return true
  }

  private static func makeFolder(_ path: String) {
    if unsafe mkdir(path, 0o700) == 0 || errno != ENOENT { return }
    guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
    makeFolder(String(path[..<slash]))
    unsafe mkdir(path, 0o700)
  }
}
