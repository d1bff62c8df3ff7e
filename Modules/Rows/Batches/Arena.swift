import Synchronization

/// The bytes that the cells of a batch refer to: immutable, shared by batches and cores.
///
/// After the bytes there are `slack` readable bytes of any content, so readers can load whole registers at the end.
@safe public final class Arena: @unchecked Sendable {
  /// The number of readable bytes after the last one.
  static let slack = 128
  /// The usual capacity, in bytes: between 128 KiB and 1 MiB speed is flat and memory small.
  public static let usualCapacity = 256 << 10

  @usableFromInline package let base: UnsafePointer<UInt8>
  /// The number of bytes.
  public let count: Int
  /// The memory in use, in bytes.
  public let capacity: Int

  fileprivate init(_ memory: UnsafeMutablePointer<UInt8>, count: Int, capacity: Int) {
    unsafe base = UnsafePointer(memory)
    self.count = count
    self.capacity = capacity
  }

  /// Creates a copy of `bytes`, which a zero byte follows.
  public convenience init(_ bytes: [UInt8]) {
    let capacity = max(bytes.count, 1), memory = unsafe ArenaMemory.take(capacity)
    unsafe memory.update(from: bytes + [0], count: bytes.count + 1)
    unsafe self.init(memory, count: bytes.count, capacity: capacity)
  }

  deinit { unsafe ArenaMemory.give(UnsafeMutablePointer(mutating: base), capacity) }

  /// The bytes, without a copy.
  @inlinable public func read<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count))
  }

  /// A copy of the bytes of a cell's range, which must be inside the arena.
  public func bytes(_ start: UInt32, _ length: UInt32) -> [UInt8] {
    precondition(Int(start) + Int(length) <= count, "internal error: range outside the arena")
    return unsafe Array(UnsafeBufferPointer(start: base + Int(start), count: Int(length)))
  }
}

/// The bytes of a batch while they are collected: one owner, which then makes an `Arena` of them.
///
/// It grows as needed, up to `limit` bytes: 4 GiB, which is as far as the ranges of cells reach.
@safe public struct ArenaBuilder: ~Copyable, @unchecked Sendable {
  /// The first byte. At least `capacity` and `Arena.slack` bytes may be written.
  @usableFromInline package internal(set) var base: UnsafeMutablePointer<UInt8>
  @usableFromInline var used = 0
  /// The number of bytes that fit without growing.
  public internal(set) var capacity: Int
  private let limit: Int

  /// Creates an empty builder with room for `capacity` bytes.
  public init(capacity: Int = Arena.usualCapacity) { self.init(capacity: capacity, limit: Int(UInt32.max)) }

  /// Creates an empty builder that cannot grow beyond `limit` bytes.
  package init(capacity: Int, limit: Int) {
    precondition(capacity <= limit, "a batch has more than 4 GiB")
    self.capacity = max(capacity, 1)
    self.limit = limit
    unsafe base = ArenaMemory.take(self.capacity)
  }

  deinit { unsafe ArenaMemory.give(base, capacity) }

  /// The number of bytes so far.
  @inlinable public var count: Int { used }
  /// The bytes that fit without growing.
  @inlinable public var room: Int { capacity - used }

  /// Grows to at least `capacity` bytes.
  public mutating func reserve(_ capacity: Int) {
    if capacity > self.capacity { grow(to: capacity) }
  }

  /// Removes all bytes; the memory stays.
  public mutating func removeAll() { used = 0 }

  /// Removes the bytes from `count` on.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= self.count, "internal error: cannot truncate to more than there is")
    used = count
  }

  /// Removes the first `count` bytes.
  public mutating func removeFirst(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "internal error: cannot remove more than there is")
    unsafe base.update(from: base + count, count: self.count - count)
    used -= count
  }

  /// Appends a copy of the bytes.
  @inlinable public mutating func append(_ bytes: RawSpan) {
    let added = bytes.byteCount
    if added > room { grow(by: added) }
    unsafe bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(base + used).copyMemory(from: start, byteCount: added)
    }
    used += added
  }

  /// Appends a copy of the bytes.
  public mutating func append(_ bytes: ArraySlice<UInt8>) { unsafe append(bytes.span.bytes) }
  /// Appends a copy of the bytes.
  public mutating func append(_ bytes: [UInt8]) { unsafe append(bytes.span.bytes) }

  /// Appends a copy of a cell's range of another arena.
  mutating func append(_ start: UInt32, _ length: UInt32, of arena: Arena) {
    let added = Int(length)
    precondition(Int(start) + added <= arena.count, "internal error: range outside the arena")
    if added > room { grow(by: added) }
    unsafe (base + count).update(from: arena.base + Int(start), count: added)
    used += added
  }

  /// A copy of the bytes.
  public var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: base, count: count)) }

  /// Appends what a system call writes, at most `limit` bytes.
  /// - `body`: returns how many bytes it wrote to the memory it is given, or a negative number on failure.
  /// - Returns: the result of `body`.
  public mutating func appendBytes(atMost limit: Int, _ body: (UnsafeMutableRawBufferPointer) -> Int) -> Int {
    precondition(limit >= 0, "internal error: fewer than no bytes")
    reserve(count + limit)
    let free = unsafe UnsafeMutableRawBufferPointer(start: base + count, count: limit)
    let written = unsafe body(free)
    precondition(written <= limit, "internal error: more bytes than there was room for")
    used += max(written, 0)
    return written
  }

  /// The bytes, without a copy.
  public borrowing func read<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count))
  }

  /// The bytes as an arena, which nothing can change any more.
  public consuming func freeze() -> Arena {
    let arena = unsafe Arena(base, count: count, capacity: capacity)
    discard self
    return arena
  }

  /// Makes room for `added` more bytes, and for as many again as there are.
  @usableFromInline @inline(never) mutating func grow(by added: Int) {
    let (needed, isTooMuch) = count.addingReportingOverflow(added)
    precondition(!isTooMuch && needed <= limit, "a batch has more than 4 GiB")
    grow(to: max(needed, min(capacity * 2, limit)))
  }

  private mutating func grow(to larger: Int) {
    precondition(larger <= limit, "a batch has more than 4 GiB")
    let memory = unsafe ArenaMemory.take(larger)
    unsafe memory.update(from: base, count: count)
    unsafe ArenaMemory.give(base, capacity)
    unsafe base = memory
    capacity = larger
  }
}

/// The memory of arenas. At most sixteen blocks of the usual size wait for their next use.
private enum ArenaMemory {
  private static let free = Mutex<[UInt]>([])

  static func take(_ capacity: Int) -> UnsafeMutablePointer<UInt8> {
    if capacity == Arena.usualCapacity, let address = free.withLock({ $0.popLast() }),
      let memory = unsafe UnsafeMutablePointer<UInt8>(bitPattern: address)
    {
      return unsafe memory
    }
    return .allocate(capacity: capacity + Arena.slack)
  }

  static func give(_ memory: UnsafeMutablePointer<UInt8>, _ capacity: Int) {
    let address = UInt(bitPattern: memory)
    let isKept =
      capacity == Arena.usualCapacity
      && free.withLock { list in
        guard list.count < 16 else { return false }
        list.append(address)
        return true
      }
    if !isKept { unsafe memory.deallocate() }
  }
}
