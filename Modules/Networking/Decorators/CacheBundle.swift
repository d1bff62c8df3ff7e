import Codecs
import Glibc
import Synchronization

/// The responses to similar requests, or to one, concatenated in one private file: one file per small response would
/// cost more than the responses.
///
/// After the line `bb-shelf 1`, each record consists of the digest of the request (32 bytes), the time at which the
/// response was last found unchanged, its length (8 bytes each, little-endian) and its bytes. New responses are
/// appended, so existing data is never at risk; the last one for a request applies. A torn end is ignored. When most of
/// the file is outdated, the other responses are written to a new file.
final class CacheBundle: Sendable {
  struct Key: Hashable, Sendable {
    private let words: SIMD4<Int64>
    init(_ question: [UInt8]) {
      var hash = SHA256()
      hash.update(question)
      self.init(digest: hash.digest())
    }
    /// The key that the first 32 of `bytes` are.
    fileprivate init(digest bytes: [UInt8]) {
      words = SIMD4(
        CacheBundle.number(in: bytes, at: 0), CacheBundle.number(in: bytes, at: 8),
        CacheBundle.number(in: bytes, at: 16),
        CacheBundle.number(in: bytes, at: 24))
    }
    fileprivate func append(to bytes: inout [UInt8]) {
      for place in 0..<4 { CacheBundle.append(words[place], to: &bytes) }
    }
  }

  private struct Record {
    var start: Int
    var length: Int
    var checked: Int64
  }
  private struct State {
    var descriptor: Int32 = -1
    var records: [Key: Record] = [:]
    /// Where the last whole record ends, and bytes of records that count.
    var end = 0, live = 0
    /// Whether the file was read; whether there is data after the last complete record, so that nothing may be
    /// appended; whether writing failed, so that it is not retried.
    var isRead = false, isTorn = false, hasFailed = false

    /// Adds a record, which replaces an earlier one.
    mutating func note(_ key: Key, _ record: Record) {
      let old = records.updateValue(record, forKey: key)
      live += record.length - (old?.length ?? 0)
    }
    /// Sets whether writes are appended or use the file position.
    mutating func append(_ appends: Bool) {
      guard appends != isAppending else { return }
      isAppending = appends
      _ = fcntl(descriptor, F_SETFL, appends ? O_APPEND : 0)
    }
    private var isAppending = false
  }
  private let path: String
  private let state = Mutex(State())

  private static let mark = Array("bb-shelf 1\n".utf8)
  private static let headLength = 48
  /// Below this many bytes, outdated responses are not worth a rewrite.
  private static let worthIt = 1 << 20

  init(path: String) { self.path = path }

  deinit { state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } } }

  /// The cached response of a request; nil if there is none, or it is damaged.
  func entry(_ key: Key) -> CacheEntry? {
    state.withLock { state in
      read(&state)
      guard let record = state.records[key],
        let bytes = PrivateFile.bytes(state.descriptor, at: record.start + Self.headLength, count: record.length)
      else { return nil }
      return CacheEntry(bytes, checked: record.checked)
    }
  }

  /// Stores a response. Returns false if it could not be written.
  func keep(_ entry: CacheEntry, _ key: Key) -> Bool {
    let head = entry.head
    let length = head.count + entry.body.count
    var first: [UInt8] = []
    first.reserveCapacity(Self.headLength + head.count)
    key.append(to: &first)
    Self.append(entry.seconds, to: &first)
    Self.append(Int64(length), to: &first)
    first += head
    return state.withLock { state in
      read(&state)
      guard !state.hasFailed, prepare(&state) else {
        state.hasFailed = true
        return false
      }
      state.append(true)
      guard PrivateFile.write(first, entry.body, to: state.descriptor) else {
        state.hasFailed = true
        return false
      }
      // Other processes may have appended as well: the position is the end of this write.
      let end = Int(lseek(state.descriptor, 0, SEEK_CUR))
      state.note(key, Record(start: end - Self.headLength - length, length: length, checked: entry.seconds))
      state.end = end
      return true
    }
  }

  /// Records that a response was found unchanged.
  func noteUnchanged(_ key: Key, at seconds: Int64) {
    state.withLock { state in
      guard let record = state.records[key] else { return }
      state.records[key]?.checked = seconds
      var time: [UInt8] = []
      Self.append(seconds, to: &time)
      state.append(false)
      unsafe pwrite(state.descriptor, time, time.count, off_t(record.start + 32))
    }
  }

  /// Reads the existing file, once.
  private func read(_ state: inout State) {
    guard !state.isRead else { return }
    state.isRead = true
    var descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    if descriptor < 0, errno == EROFS || errno == EACCES {
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }
    guard descriptor >= 0 else { return }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return
    }
    state.descriptor = descriptor
    let size = Int(status.st_size)
    guard PrivateFile.bytes(descriptor, at: 0, count: Self.mark.count) == Self.mark else {
      state.isTorn = true
      return
    }
    state.end = Self.mark.count
    while let head = PrivateFile.bytes(descriptor, at: state.end, count: Self.headLength) {
      let length = Self.number(in: head, at: 40)
      guard length > 0, length <= Int64(min(size - state.end - Self.headLength, CacheEntry.largest)) else { break }
      state.note(
        Key(digest: head), Record(start: state.end, length: Int(length), checked: Self.number(in: head, at: 32)))
      state.end += Self.headLength + Int(length)
    }
    state.isTorn = state.end != size
  }

  /// Makes the file one that can be appended to; false when that cannot be done.
  private func prepare(_ state: inout State) -> Bool {
    let isWasteful = state.end - state.live > max(state.live, Self.worthIt)
    guard state.descriptor < 0 || state.isTorn || isWasteful else { return true }
    let temporary = "\(path).\(getpid()).\(String(UInt32.random(in: 0 ... .max), radix: 36))"
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    var fresh = unsafe open(temporary, flags, 0o600)
    if fresh < 0, errno == ENOENT {
      PrivateFile.makeDirectory(of: path)
      fresh = unsafe open(temporary, flags, 0o600)
    }
    guard fresh >= 0 else { return false }
    var copy = State()
    copy.descriptor = fresh
    copy.end = Self.mark.count
    copy.isRead = true
    var isWhole = PrivateFile.write(Self.mark, [], to: fresh)
    for (key, record) in state.records where isWhole {
      let length = Self.headLength + record.length
      guard let bytes = PrivateFile.bytes(state.descriptor, at: record.start, count: length) else { continue }
      isWhole = PrivateFile.write(bytes, [], to: fresh)
      copy.note(key, Record(start: copy.end, length: record.length, checked: record.checked))
      copy.end += length
    }
    // An existing file is replaced only by one that was synced to disk.
    guard isWhole, state.descriptor < 0 || fsync(fresh) == 0, unsafe rename(temporary, path) == 0 else {
      close(fresh)
      unsafe unlink(temporary)
      return false
    }
    if state.descriptor >= 0 { close(state.descriptor) }
    state = copy
    return true
  }

  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
  }
  private static func number(in bytes: [UInt8], at start: Int) -> Int64 {
    var number: Int64 = 0
    for place in 0..<8 { number |= Int64(bytes[start + place]) << (8 * place) }
    return number
  }
}
