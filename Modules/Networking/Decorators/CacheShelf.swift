import Codecs
import Glibc
import Synchronization

/// The answers to many questions of one kind, one behind the other in a private file: a file for each would cost more than the answers do.
///
/// Behind the line `bb-shelf 1` a record is the digest of the question (32 bytes), the time the answer was last found unchanged, its length (8 bytes each,
/// little-endian) and its bytes. New answers are appended, so that what is there is never in danger; the last to a question counts. What is
/// torn at the end is as good as none. When most of the file is old answers, the others are written anew.
final class CacheShelf: Sendable {
  /// The digest of a question.
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
        CacheShelf.number(in: bytes, at: 0), CacheShelf.number(in: bytes, at: 8), CacheShelf.number(in: bytes, at: 16),
        CacheShelf.number(in: bytes, at: 24))
    }
    fileprivate func append(to bytes: inout [UInt8]) {
      for place in 0..<4 { CacheShelf.append(words[place], to: &bytes) }
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
    /// Whether the file was looked at; whether something is behind the last whole record, so that nothing may be appended; whether writing failed, so that it
    /// is not tried again.
    var isRead = false, isTorn = false, hasFailed = false

    /// Notes a record, which counts instead of an earlier one.
    mutating func note(_ key: Key, _ record: Record) {
      let old = records.updateValue(record, forKey: key)
      live += record.length - (old?.length ?? 0)
    }
    /// Has writes go behind all that is there, or where they say.
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
  /// Old answers below this are not worth the writing.
  private static let worthIt = 1 << 20

  init(path: String) { self.path = path }

  deinit { state.withLock { if $0.descriptor >= 0 { close($0.descriptor) } } }

  /// The answer to a question; nil when there is none, or it is damaged.
  func entry(_ key: Key) -> CacheEntry? {
    state.withLock { state in
      read(&state)
      guard let record = state.records[key],
        let bytes = Self.bytes(state.descriptor, at: record.start + Self.headLength, count: record.length)
      else { return nil }
      return CacheEntry(bytes, checked: record.checked)
    }
  }

  /// Keeps an answer; false when it could not be written.
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
      guard CacheFile.write(first, entry.body, to: state.descriptor) else {
        state.hasFailed = true
        return false
      }
      // Others may have appended as well: the position is behind what was written here.
      let end = Int(lseek(state.descriptor, 0, SEEK_CUR))
      state.note(key, Record(start: end - Self.headLength - length, length: length, checked: entry.seconds))
      state.end = end
      return true
    }
  }

  /// Notes that an answer was found unchanged.
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

  /// Looks, once, at what is there.
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
    guard Self.bytes(descriptor, at: 0, count: Self.mark.count) == Self.mark else {
      state.isTorn = true
      return
    }
    state.end = Self.mark.count
    while let head = Self.bytes(descriptor, at: state.end, count: Self.headLength) {
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
      CacheFile.makeFolder(of: path)
      fresh = unsafe open(temporary, flags, 0o600)
    }
    guard fresh >= 0 else { return false }
    var copy = State()
    copy.descriptor = fresh
    copy.end = Self.mark.count
    copy.isRead = true
    var isWhole = CacheFile.write(Self.mark, [], to: fresh)
    for (key, record) in state.records where isWhole {
      let length = Self.headLength + record.length
      guard let bytes = Self.bytes(state.descriptor, at: record.start, count: length) else { continue }
      isWhole = CacheFile.write(bytes, [], to: fresh)
      copy.note(key, Record(start: copy.end, length: record.length, checked: record.checked))
      copy.end += length
    }
    // Only what is on the disk goes in the place of another.
    guard isWhole, state.descriptor < 0 || fsync(fresh) == 0, unsafe rename(temporary, path) == 0 else {
      close(fresh)
      unsafe unlink(temporary)
      return false
    }
    if state.descriptor >= 0 { close(state.descriptor) }
    state = copy
    return true
  }

  /// Bytes of a file; nil when there are not so many.
  private static func bytes(_ descriptor: Int32, at start: Int, count: Int) -> [UInt8]? {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let more = unsafe pread(descriptor, buffer.baseAddress! + done, count - done, off_t(start + done))
        if more < 0, errno == EINTR { continue }
        guard more > 0 else { return }
        done += more
      }
    }
    return bytes.count == count ? bytes : nil
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

/// The shelves of a cache, each opened once.
final class CacheShelves: Sendable {
  private let shelves = Mutex<[String: CacheShelf]>([:])

  /// The shelf of answers to questions of this kind.
  func shelf(_ kind: String, in folder: String) -> CacheShelf {
    shelves.withLock { shelves in
      if let shelf = shelves[kind] { return shelf }
      let shelf = CacheShelf(path: "\(folder)/\(SHA256.hex(Array(kind.utf8))).shelf")
      shelves[kind] = shelf
      return shelf
    }
  }
}
