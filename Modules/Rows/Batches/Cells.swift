/// The cells of a batch, row by row: immutable, shared by batches and cores.
@safe public final class Cells: @unchecked Sendable {
  @usableFromInline package let base: UnsafePointer<Cell>
  /// The number of cells.
  public let count: Int
  let capacity: Int

  fileprivate init(_ memory: UnsafeMutablePointer<Cell>, count: Int, capacity: Int) {
    unsafe base = UnsafePointer(memory)
    self.count = count
    self.capacity = capacity
  }

  deinit { unsafe base.deallocate() }

  /// The cell at `position`, which must be below `count`.
  @inlinable @inline(__always) public subscript(position: Int) -> Cell {
    precondition(UInt(bitPattern: position) < UInt(bitPattern: count), "internal error: cell index out of range")
    return unsafe base[position]
  }
}

/// The cells of a batch while they are collected: one owner, which then makes `Cells` of them.
@safe public struct CellsBuilder: ~Copyable, @unchecked Sendable {
  @usableFromInline var base: UnsafeMutablePointer<Cell>
  @usableFromInline var used = 0
  @usableFromInline var capacity: Int

  /// Creates an empty builder with room for `capacity` cells; it grows as needed.
  public init(capacity: Int) {
    self.capacity = max(capacity, 1)
    unsafe base = .allocate(capacity: self.capacity)
  }

  deinit { unsafe base.deallocate() }

  @inlinable var count: Int { used }

  /// Appends a cell.
  @inlinable @inline(__always) public mutating func append(_ cell: Cell) {
    if used == capacity { grow(by: 1) }
    unsafe base[used] = cell
    used &+= 1
  }

  /// Appends the cells of a row whose values come in any order.
  /// - Returns: the first of the cells. All of them must be set before the next call, and before `freeze`.
  @unsafe @inline(__always) package mutating func appendRow(_ width: Int) -> UnsafeMutablePointer<Cell> {
    if width > capacity &- used { grow(by: width) }
    defer { used &+= width }
    return unsafe base + used
  }

  /// The cell at `position`, which must be below `count`.
  public subscript(position: Int) -> Cell {
    get {
      precondition(UInt(bitPattern: position) < UInt(bitPattern: used), "internal error: cell index out of range")
      return unsafe base[position]
    }
    set {
      precondition(UInt(bitPattern: position) < UInt(bitPattern: used), "internal error: cell index out of range")
      unsafe base[position] = newValue
    }
  }

  /// Removes the cells from `count` on.
  public mutating func truncate(to count: Int) {
    precondition(count >= 0 && count <= used, "internal error: cannot truncate to more than there is")
    used = count
  }

  /// The cells, which nothing can change any more.
  public consuming func freeze() -> Cells {
    let cells = unsafe Cells(base, count: used, capacity: capacity)
    discard self
    return cells
  }

  @usableFromInline @inline(never) mutating func grow(by added: Int) {
    let larger = max(capacity * 2, used + added)
    let memory = UnsafeMutablePointer<Cell>.allocate(capacity: larger)
    unsafe memory.update(from: base, count: used)
    unsafe base.deallocate()
    unsafe base = memory
    capacity = larger
  }
}

// MARK: - Temporary files

extension Cells {
  /// The cells as bytes, for a file of this process.
  package func readBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try unsafe body(RawSpan(_unsafeStart: UnsafeRawPointer(base), byteCount: count * MemoryLayout<Cell>.stride))
  }

  /// Creates cells of what `readBytes` gave, which must not have been changed.
  @unsafe package convenience init(bytes: RawSpan) {
    let count = bytes.byteCount / MemoryLayout<Cell>.stride
    let memory = UnsafeMutablePointer<Cell>.allocate(capacity: max(count, 1))
    unsafe bytes.withUnsafeBytes { bytes in
      guard let source = bytes.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(memory).copyMemory(from: source, byteCount: count * MemoryLayout<Cell>.stride)
    }
    unsafe self.init(memory, count: count, capacity: count)
  }
}
