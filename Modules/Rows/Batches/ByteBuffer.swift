/// An output buffer: one owner, reused, grows to the largest batch.
///
/// `room` is the only bounds check, and `commit` sets the number of bytes written. After the reserved room there are 64
/// bytes of slack for stores of whole registers.
@safe public struct ByteBuffer: ~Copyable, @unchecked Sendable {
  /// The number of bytes that may be written past the reserved room.
  static let slack = 64

  @usableFromInline var base: UnsafeMutablePointer<UInt8>
  @usableFromInline var used = 0
  @usableFromInline var capacity: Int

  /// An empty buffer.
  public init(capacity: Int = 1 << 19) {
    self.capacity = max(capacity, 1)
    unsafe base = .allocate(capacity: self.capacity + Self.slack)
  }

  deinit { unsafe base.deallocate() }

  /// Bytes written.
  @inlinable public var count: Int { used }
  /// Forgets the bytes, keeps the memory.
  @inlinable public mutating func removeAll() { used = 0 }
  /// Removes the bytes from `count` on.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= used, "internal error: cannot truncate to more than there is")
    used = count
  }

  /// The free bytes: at least `n`, and the slack. `commit` what was written.
  @inlinable @inline(__always) public mutating func room(_ n: Int) -> UnsafeMutablePointer<UInt8> {
    if n > capacity &- used { grow(n) }
    return unsafe base + used
  }

  /// Everything up to `end`, a pointer into what `room` gave, is written.
  @inlinable @inline(__always) public mutating func commit(_ end: UnsafeMutablePointer<UInt8>) {
    unsafe used = end - base
  }

  @usableFromInline @inline(never) mutating func grow(_ n: Int) {
    var wanted = capacity
    while used + n > wanted { wanted *= 2 }
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted + Self.slack)
    capacity = wanted
    unsafe larger.update(from: base, count: used)
    unsafe base.deallocate()
    unsafe base = larger
  }

  /// Appends one byte.
  @inlinable public mutating func append(byte: UInt8) {
    let end = unsafe room(1)
    unsafe end.pointee = byte
    unsafe commit(end + 1)
  }
  /// Appends text known at compile time.
  public mutating func append(_ text: StaticString) {
    let count = text.utf8CodeUnitCount
    let end = unsafe room(count)
    unsafe end.update(from: text.utf8Start, count: count)
    unsafe commit(end + count)
  }
  /// Appends text; for headers and the like, not for values.
  @_disfavoredOverload public mutating func append(_ text: String) { append(bytes: Array(text.utf8)) }
  /// Appends bytes.
  public mutating func append(bytes: [UInt8]) { unsafe append(bytes.span.bytes) }
  /// Appends bytes.
  public mutating func append(_ bytes: RawSpan) {
    unsafe bytes.withUnsafeBytes { source in
      guard let start = source.baseAddress else { return }
      let end = unsafe room(source.count)
      unsafe UnsafeMutableRawPointer(end).copyMemory(from: start, byteCount: source.count)
      unsafe commit(end + source.count)
    }
  }

  /// The bytes, without a copy.
  @inlinable public borrowing func read<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: used))
  }
  /// The bytes, copied: for tests and small outputs.
  public borrowing func bytes() -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: base, count: used))
  }
}
