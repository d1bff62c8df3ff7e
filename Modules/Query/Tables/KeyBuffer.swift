import Codecs
import Rows

/// Keys of many rows, one after the other, with their hashes: equal values have equal bytes, whatever their spelling.
///
/// A value begins with its kind, so null differs from an empty text. Numbers are compared by value: 1, 1.0 and 1e0 are
/// one key. The values of several columns cannot run into each other.
@safe struct KeyBuffer: ~Copyable {
  private(set) var count = 0
  private var bytes: UnsafeMutablePointer<UInt8>
  private var capacity = 1 << 12
  private var used = 0
  private var starts: [Int32] = [0]
  private var hashes: [UInt64] = []

  /// Hashing and comparing read up to 16 bytes past a key.
  private static let slack = 16

  init() { unsafe bytes = .allocate(capacity: capacity + Self.slack) }
  deinit { unsafe bytes.deallocate() }

  enum Kind {
    static let null: UInt8 = 0, text: UInt8 = 1, json: UInt8 = 2, bytes: UInt8 = 3, boolean: UInt8 = 4
    /// A number of at most 15 digits: its nearest Double, 8 bytes.
    static let number: UInt8 = 5
    static let longNumber: UInt8 = 6
  }

  mutating func removeAll() {
    count = 0
    used = 0
    starts.removeAll(keepingCapacity: true)
    starts.append(0)
    hashes.removeAll(keepingCapacity: true)
  }

  /// The start of a key and its length.
  @inline(__always) func key(_ number: Int) -> (UnsafePointer<UInt8>, Int) {
    let start = Int(starts[number])
    return unsafe (UnsafePointer(bytes + start), Int(starts[number + 1]) &- start)
  }
  @inline(__always) func hash(_ number: Int) -> UInt64 { hashes[number] }

  /// Ends a key: what was put since the one before.
  mutating func finishKey() {
    let start = Int(starts[count])
    starts.append(Int32(used))
    hashes.append(unsafe KeyTable.hash(bytes + start, used - start))
    count += 1
  }

  /// Begins the key that is being made again.
  mutating func discardKey() { used = Int(starts[count]) }

  @inline(__always) private mutating func room(_ length: Int) -> UnsafeMutablePointer<UInt8> {
    if used &+ length > capacity { grow(length) }
    return unsafe bytes + used
  }
  private mutating func grow(_ length: Int) {
    while used + length > capacity { capacity *= 2 }
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.slack)
    unsafe larger.update(from: bytes, count: used)
    unsafe bytes.deallocate()
    unsafe bytes = larger
  }

  mutating func put(kind: UInt8) {
    unsafe room(1).pointee = kind
    used += 1
  }
  @inline(__always) mutating func put(_ kind: UInt8, _ text: UnsafeRawBufferPointer) {
    let room = unsafe UnsafeMutableRawPointer(room(text.count &+ 5))
    unsafe room.storeBytes(of: kind, as: UInt8.self)
    unsafe room.storeBytes(of: UInt32(truncatingIfNeeded: text.count), toByteOffset: 1, as: UInt32.self)
    if let source = text.baseAddress { unsafe (room + 5).copyMemory(from: source, byteCount: text.count) }
    used &+= text.count &+ 5
  }
  mutating func put(number value: Double) {
    let room = unsafe UnsafeMutableRawPointer(room(9))
    unsafe room.storeBytes(of: Kind.number, as: UInt8.self)
    unsafe room.storeBytes(of: (value == 0 ? 0 : value).bitPattern, toByteOffset: 1, as: UInt64.self)
    used &+= 9
  }
  /// Puts bytes as they are.
  mutating func put(raw source: UnsafePointer<UInt8>, _ length: Int) {
    unsafe room(length).update(from: source, count: length)
    used &+= length
  }
  /// Puts the four bytes of a number that is part of a key.
  mutating func put(index: UInt32) {
    unsafe UnsafeMutableRawPointer(room(4)).storeBytes(of: index, as: UInt32.self)
    used &+= 4
  }

  @inline(__always) mutating func put(_ cell: Cell, _ reader: CellReader) {
    switch cell {
    case .null: put(kind: Kind.null)
    case .text(let start, let length): unsafe put(Kind.text, reader.bytes(start, length))
    case .json(let start, let length): unsafe put(Kind.json, reader.bytes(start, length))
    case .bytes(let start, let length): unsafe put(Kind.bytes, reader.bytes(start, length))
    case .boolean(let value):
      put(kind: Kind.boolean)
      put(kind: value ? 1 : 0)
    case .integer(let value) where value.magnitude < 1_000_000_000_000_000: put(number: Double(value))
    case .number(let start, let length):
      let literal = unsafe reader.bytes(start, length)
      // At most 15 digits, a point and a sign: no other such literal has the same nearest Double.
      if length <= 17, let number = unsafe NearestDouble(literal), number.isWhole {
        put(number: number.value)
      } else {
        unsafe putExactly(DecimalNumber(literal), literal)
      }
    case .integer(let value): unsafe putExactly(DecimalNumber(value), UnsafeRawBufferPointer(start: nil, count: 0))
    case .real(let value) where !value.isFinite: put(number: value.ordered)
    case .real(let value): unsafe putExactly(DecimalNumber(value), UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }

  /// Puts a number by its digits, unless they are few: then it is the same as a short literal.
  private mutating func putExactly(_ number: DecimalNumber?, _ literal: UnsafeRawBufferPointer) {
    guard let number else {
      unsafe put(Kind.longNumber, literal)
      return
    }
    if let short = number.shortDouble { return put(number: short) }
    unsafe number.keyBytes.withUnsafeBytes { unsafe put(Kind.longNumber, $0) }
  }
}
