internal import CMasks
public import Rows

/// Where a writer's next byte goes, and how far it may go before it must ask the buffer for more.
///
/// A value that lives in registers while rows are written. `ensure` is the only check; every `put` trusts that it was
/// asked for, and may store up to 64 bytes beyond what it writes (the buffer's slack).
@safe @usableFromInline package struct WriteCursor {
  @usableFromInline package var next: UnsafeMutablePointer<UInt8>
  /// The margin begins here.
  @usableFromInline var limit: UnsafeMutablePointer<UInt8>
  /// Bytes that are free beyond every `ensure`: for the parts of a row whose size is known (keys, numbers,
  /// punctuation), so that only text asks.
  @usableFromInline let margin: Int

  /// A cursor at the end of `out` with `margin` free bytes.
  @inlinable @inline(__always) package init(_ out: inout ByteBuffer, margin: Int) {
    self.margin = margin
    unsafe next = out.room(margin)
    unsafe limit = next
  }

  /// Reserves `count` more bytes and the margin after them. Called once per row, and before anything of unknown size.
  @inlinable @inline(__always) package mutating func ensure(_ count: Int, _ out: inout ByteBuffer) {
    if unsafe limit - next < count { refill(count, &out) }
  }
  @inline(never) @usableFromInline mutating func refill(_ count: Int, _ out: inout ByteBuffer) {
    let ahead = count + 4096
    unsafe out.commit(next)
    unsafe next = out.room(ahead + margin)
    unsafe limit = next + ahead
  }

  /// Hands what was written over to the buffer.
  @inlinable @inline(__always) package func commit(to out: inout ByteBuffer) { unsafe out.commit(next) }

  @inlinable @inline(__always) package mutating func put(_ byte: UInt8) {
    unsafe next.pointee = byte
    unsafe next += 1
  }

  /// Text known at compile time.
  @inlinable @inline(__always) package mutating func put(_ text: StaticString) {
    let count = text.utf8CodeUnitCount
    unsafe next.update(from: text.utf8Start, count: count)
    unsafe next += count
  }

  @inlinable @inline(__always) package mutating func put(_ run: ByteRun) {
    if run.count <= 16 {
      unsafe next.store16(run.start)
    } else {
      unsafe next.update(from: run.start, count: run.count)
    }
    unsafe next += run.count
  }
}

/// A range of bytes in an arena. At least 32 readable bytes of any content follow it.
@safe @usableFromInline package struct ByteRun {
  @usableFromInline package let start: UnsafePointer<UInt8>
  /// The number of bytes.
  @usableFromInline package let count: Int

  /// Bytes at `start`.
  @inlinable @inline(__always) package init(start: UnsafePointer<UInt8>, count: Int) {
    unsafe self.start = start
    self.count = count
  }
  /// The range of the arena's bytes that a cell names.
  @inlinable @inline(__always) package init(_ arena: Arena, _ start: UInt32, _ length: UInt32) {
    assert(Int(start) + Int(length) <= arena.count, "internal error: range outside the arena")
    unsafe self.start = UnsafePointer(arena.base + Int(start))
    count = Int(length)
  }

  /// The byte at `position`, which must be below `count`.
  @inlinable @inline(__always) package subscript(_ position: Int) -> UInt8 { unsafe start[position] }

  /// The first byte; nil when there is none.
  @inlinable @inline(__always) package var first: UInt8? { count == 0 ? nil : unsafe start.pointee }

  /// From `position` on, at most `length` bytes.
  @inlinable @inline(__always) package func slice(from position: Int, atMost length: Int) -> ByteRun {
    unsafe ByteRun(start: start + position, count: Swift.min(length, count - position))
  }

  /// The bytes, copied.
  package var bytes: [UInt8] { unsafe Array(UnsafeBufferPointer(start: start, count: count)) }

  /// Whether the bytes are those of `other`.
  package func equals(_ other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    for i in other.indices where self[i] != other[i] { return false }
    return true
  }
}

extension UnsafeMutablePointer<UInt8> {
  /// Copies 16 bytes in one go.
  @inlinable @inline(__always) package func store16(_ source: UnsafePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(self).storeBytes(
      of: UnsafeRawPointer(source).loadUnaligned(as: SIMD16<UInt8>.self), as: SIMD16<UInt8>.self)
  }

  /// Copies 32 bytes in one go.
  @inlinable @inline(__always) package func store32(_ source: UnsafePointer<UInt8>) {
    unsafe UnsafeMutableRawPointer(self).storeBytes(
      of: UnsafeRawPointer(source).loadUnaligned(as: SIMD32<UInt8>.self), as: SIMD32<UInt8>.self)
  }
}
