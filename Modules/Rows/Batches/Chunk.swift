import Synchronization

/// The bytes that cells point into: filled by one owner, then shared and immutable.
///
/// The chunk that was read is the arena of its batch. After `capacity` there are `slack` bytes, so readers can load and
/// store whole registers at the end. Memory of the default size returns to a pool.
@safe public final class Chunk: @unchecked Sendable {
  /// The number of bytes after `capacity` that may be read and written.
  public static let slack = 128
  /// The usual size, in bytes: between 128 KiB and 1 MiB speed is flat and memory small.
  public static let usualCapacity = 256 << 10

  /// The first byte.
  public let base: UnsafeMutablePointer<UInt8>
  /// Bytes that may be filled.
  public let capacity: Int
  /// Bytes that are filled.
  public var count = 0

  /// An empty chunk with room for `capacity` bytes, at most 4 GiB.
  public init(capacity: Int = Chunk.usualCapacity) {
    self.capacity = capacity
    if capacity == Self.usualCapacity, let memory = unsafe Self.pool.take() {
      unsafe base = memory
    } else {
      unsafe base = .allocate(capacity: capacity + Self.slack)
    }
  }

  deinit {
    if capacity == Self.usualCapacity { unsafe Self.pool.give(base) } else { unsafe base.deallocate() }
  }

  /// The filled bytes.
  @inlinable public func read<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count))
  }

  private static let pool = Pool()

  /// At most sixteen blocks of the usual size, waiting for their next use.
  private final class Pool: Sendable {
    private let free = Mutex<[UInt]>([])

    func take() -> UnsafeMutablePointer<UInt8>? {
      guard let address = free.withLock({ $0.popLast() }) else { return nil }
      return unsafe UnsafeMutablePointer(bitPattern: address)
    }

    func give(_ memory: UnsafeMutablePointer<UInt8>) {
      let address = UInt(bitPattern: memory)
      let kept = free.withLock { list in
        guard list.count < 16 else { return false }
        list.append(address)
        return true
      }
      if !kept { unsafe memory.deallocate() }
    }
  }
}

/// The cells of a batch, row-major: filled by one owner, then shared and never changed.
@safe public final class CellBlock: @unchecked Sendable {
  /// The first cell.
  public let base: UnsafeMutablePointer<Cell>
  /// Cells there is room for.
  public let capacity: Int

  /// Room for `capacity` cells.
  public init(capacity: Int) {
    self.capacity = max(capacity, 1)
    unsafe base = .allocate(capacity: self.capacity)
  }

  deinit { unsafe base.deallocate() }

  /// Sets the cell at `position`, which must be below `capacity`.
  @inlinable @inline(__always) public func put(_ position: Int, _ cell: Cell) {
    precondition(UInt(bitPattern: position) < UInt(bitPattern: capacity), "no such cell")
    unsafe base[position] = cell
  }

  /// A block twice as large that begins with the first `used` cells of this one.
  public func grown(keeping used: Int, atLeast: Int = 0) -> CellBlock {
    let larger = CellBlock(capacity: max(capacity * 2, atLeast))
    unsafe larger.base.update(from: base, count: used)
    return larger
  }
}
