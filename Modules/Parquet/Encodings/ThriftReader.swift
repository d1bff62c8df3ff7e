import Codecs

/// A value of Thrift's compact protocol.
enum ThriftValue {
  case boolean(Bool), integer(Int64), binary(ByteRun), list([ThriftValue]), structure(ThriftStructure)
  /// A value of a type that Parquet does not use.
  case other
}

/// A structure: values by the numbers of their fields. Its texts refer to the bytes that it was read from.
struct ThriftStructure {
  fileprivate var fields: [(number: Int, value: ThriftValue)] = []

  private func value(_ number: Int) -> ThriftValue? { fields.first { $0.number == number }?.value }

  /// A number, count or offset; nil also beyond 2^48 either way, so that sums and products do not overflow.
  func integer(_ number: Int) -> Int? {
    guard case .integer(let value)? = value(number), value.magnitude <= 1 << 48 else { return nil }
    return Int(value)
  }
  func boolean(_ number: Int) -> Bool? { if case .boolean(let value)? = value(number) { value } else { nil } }
  func binary(_ number: Int) -> ByteRun? { if case .binary(let value)? = value(number) { value } else { nil } }
  func text(_ number: Int) -> String? { binary(number)?.text }
  func structure(_ number: Int) -> ThriftStructure? {
    if case .structure(let value)? = value(number) { value } else { nil }
  }
  func structures(_ number: Int) -> [ThriftStructure] {
    guard case .list(let values)? = value(number) else { return [] }
    return values.compactMap { if case .structure(let value) = $0 { value } else { nil } }
  }
  private func list(_ number: Int) -> [ThriftValue] {
    if case .list(let values)? = value(number) { values } else { [] }
  }
  func booleans(_ number: Int) -> [Bool] {
    list(number).compactMap { if case .boolean(let value) = $0 { value } else { nil } }
  }
  func integers(_ number: Int) -> [Int] {
    list(number).compactMap { if case .integer(let value) = $0, value.magnitude <= 1 << 48 { Int(value) } else { nil } }
  }
  func binaries(_ number: Int) -> [ByteRun] {
    list(number).compactMap { if case .binary(let value) = $0 { value } else { nil } }
  }
  /// The number of the first field: of a union, the member that is set.
  var member: Int? { fields.first?.number }

  /// The most fields of a structure, and elements of a list.
  private static let mostFields = 200, mostElements = 1_000_000

  /// Reads the structure at the cursor.
  /// - Parameter stream: called with each list of structures of the root, its number and that of its elements; reads
  ///   them, and returns whether it did.
  init(
    _ cursor: inout ParquetCursor, depth: Int = 0,
    stream: ((_ list: Int, _ count: Int, inout ParquetCursor) throws(ParquetFailure) -> Bool)? = nil
  ) throws(ParquetFailure) {
    guard depth < 24 else { throw .damage("metadata is nested too deeply") }
    var number = 0
    while true {
      let header = try cursor.byte()
      if header == 0 { return }
      let step = Int(header >> 4)
      number = step == 0 ? Int(truncatingIfNeeded: try cursor.zigzag()) : number &+ step
      if let stream, header & 0x0F == 9 {
        var list = cursor
        let header = try list.byte(), count = header >> 4 == 15 ? try list.count(list.left) : Int(header >> 4)
        if header & 0x0F == 12, try stream(number, count, &list) {
          cursor = list
          continue
        }
      }
      fields.append((number, try Self.value(&cursor, header & 0x0F, depth)))
      guard fields.count <= Self.mostFields else { throw .damage("the metadata is not valid") }
    }
  }

  private static func value(
    _ cursor: inout ParquetCursor, _ type: UInt8, _ depth: Int
  ) throws(ParquetFailure) -> ThriftValue {
    switch type {
    case 1: return .boolean(true)
    case 2: return .boolean(false)
    case 3: return .integer(Int64(Int8(bitPattern: try cursor.byte())))
    case 4, 5, 6: return .integer(try cursor.zigzag())
    case 7:
      _ = try cursor.take(8)
      return .other
    case 8: return .binary(try cursor.take(try cursor.count()))
    case 9, 10:
      let header = try cursor.byte(), type = header & 0x0F
      // Every element has at least one byte.
      let count = header >> 4 == 15 ? try cursor.count(cursor.left) : Int(header >> 4)
      guard depth < 24 else { throw .damage("metadata is nested too deeply") }
      guard count <= mostElements else { throw .damage("a list of the metadata is too long") }
      var values: [ThriftValue] = []
      for _ in 0..<count {
        if type == 1 || type == 2 {
          values.append(.boolean(try cursor.byte() == 1))
        } else {
          values.append(try value(&cursor, type, depth + 1))
        }
      }
      return .list(values)
    case 11:
      let count = try cursor.count(cursor.left)
      guard count > 0 else { return .other }
      let types = try cursor.byte()
      guard depth < 24 else { throw .damage("metadata is nested too deeply") }
      for _ in 0..<count {
        _ = try value(&cursor, types >> 4, depth + 1)
        _ = try value(&cursor, types & 0x0F, depth + 1)
      }
      return .other
    case 12: return .structure(try ThriftStructure(&cursor, depth: depth + 1))
    default: throw .damage("the metadata is not valid")
    }
  }
}
