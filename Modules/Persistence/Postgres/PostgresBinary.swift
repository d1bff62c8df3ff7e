import Codecs
import Glibc
import Rows

/// Rows in the binary form of COPY: no text is parsed on the server, and reals keep every bit.
struct PostgresBinary: Sendable {
  /// The form in which a column keeps its values.
  enum Form: Sendable, Hashable {
    case integer, boolean, text, bytes
    /// A number as its literal, in a column of text.
    case literal
    /// A real in eight bytes, or in four.
    case real, float
    /// A decimal as digits to the base of 10,000.
    case numeric
    /// A decimal of at most so many digits.
    case decimal(DecimalSize)
    case json
    /// A list as an array of one dimension.
    case list(ColumnType.Element)
    /// A date as days, and a timestamp as microseconds, since 2000-01-01T00:00:00Z. If a fraction may lose zeros at its
    /// end, the times are not exact.
    case days, microseconds(isExact: Bool)
    /// A time without a zone as microseconds since 2000-01-01T00:00:00.
    case localMicroseconds
    /// A time of day as microseconds.
    case time
    /// A list of reals as an array of one dimension.
    case reals

    /// The type of a column of this form in a new table.
    var declared: String {
      switch self {
      case .integer: "bigint"
      case .boolean: "boolean"
      case .real: "double precision"
      case .float: "real"
      case .time: "time without time zone"
      case .reals: "double precision[]"
      case .numeric: "numeric"
      case .decimal(let size): "numeric(\(size.precision),\(size.scale))"
      case .bytes: "bytea"
      case .json: "json"
      case .text, .literal: "text"
      case .list(let element): element == .integer ? "bigint[]" : "text[]"
      case .days: "date"
      case .microseconds: "timestamp with time zone"
      case .localMicroseconds: "timestamp without time zone"
      }
    }
  }

  /// The days from 1970-01-01 to 2000-01-01.
  private static let epoch: Int64 = 10_957

  /// Why a value cannot be written.
  enum Fault: Error {
    /// It does not fit the type; it may do so in another form.
    case other
    /// It has U+0000.
    case nul
    /// It is out of the range of the type.
    case range(String)
  }

  /// The signature, no flags, and no extension.
  static let header: [UInt8] = Array("PGCOPY\n".utf8) + [0xFF, 13, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  static let trailer: [UInt8] = [0xFF, 0xFF]

  static func bigEndian(_ value: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
  }

  let forms: [Form]

  /// Appends the rows of a batch.
  /// - Parameter fallback: the value in the form that the column keeps, for one that was not; throws the problem.
  func append(
    _ batch: RowBatch, _ out: inout ByteBuffer,
    fallback: (_ row: Int, _ column: Int, _ fault: Fault) throws(Problem) -> Value
  ) throws(Problem) {
    for row in 0..<batch.count {
      Self.put(UInt16(truncatingIfNeeded: forms.count).bigEndian, &out)
      for column in forms.indices {
        let start = out.count
        do throws(Fault) {
          try append(batch[row, column], batch.arena, forms[column], &out)
        } catch {
          out.truncate(to: start)
          let value = try fallback(row, column, error)
          append(value, forms[column], &out)
        }
      }
    }
  }

  private static func put<Number: FixedWidthInteger>(_ number: Number, _ out: inout ByteBuffer) {
    let size = MemoryLayout<Number>.size, end = unsafe out.room(size)
    unsafe UnsafeMutableRawPointer(end).storeBytes(of: number, as: Number.self)
    unsafe out.commit(end + size)
  }

  /// The length and the bytes of a value.
  private static func put<Number: FixedWidthInteger>(value number: Number, _ out: inout ByteBuffer) {
    let size = MemoryLayout<Number>.size, end = unsafe out.room(4 + size)
    unsafe UnsafeMutableRawPointer(end).storeBytes(of: UInt32(size).bigEndian, as: UInt32.self)
    unsafe UnsafeMutableRawPointer(end + 4).storeBytes(of: number.bigEndian, as: Number.self)
    unsafe out.commit(end + 4 + size)
  }

  private static func put(_ arena: Arena, _ start: UInt32, _ length: UInt32, _ out: inout ByteBuffer) {
    let size = Int(length), end = unsafe out.room(4 + size)
    unsafe UnsafeMutableRawPointer(end).storeBytes(of: length.bigEndian, as: UInt32.self)
    unsafe memcpy(end + 4, arena.base + Int(start), size)
    unsafe out.commit(end + 4 + size)
  }

  private static func put(_ bytes: [UInt8], _ out: inout ByteBuffer) {
    put(UInt32(bytes.count).bigEndian, &out)
    out.append(bytes: bytes)
  }

  private static func hasNUL(_ arena: Arena, _ start: UInt32, _ length: UInt32) -> Bool {
    unsafe memchr(arena.base + Int(start), 0, Int(length)) != nil
  }

  private func append(_ cell: Cell, _ arena: Arena, _ form: Form, _ out: inout ByteBuffer) throws(Fault) {
    switch (form, cell) {
    case (_, .null): Self.put(UInt32.max, &out)
    case (.text, .text(let start, let length)):
      if Self.hasNUL(arena, start, length) { throw .nul }
      Self.put(arena, start, length, &out)
    case (.text, .json(let start, let length)), (.json, .json(let start, let length)),
      (.json, .number(let start, let length)):
      Self.put(arena, start, length, &out)
    case (.json, .bytes): throw .other
    case (.json, .real(let value)) where !value.isFinite: throw .other
    case (.json, _):
      let start = out.count
      Self.put(UInt32(0), &out)
      out.append(jsonOf: cell, arena)
      let text = out.count - start - 4, bytes = UInt32(text).bigEndian
      out.replace(at: start, with: bytes)
    case (.integer, .integer(let value)): Self.put(value: value, &out)
    case (.integer, .number(let start, let length)):
      guard case .integer(let value) = unsafe StoredNumber(arena.base + Int(start), Int(length)) else { throw .other }
      Self.put(value: value, &out)
    case (.list(let element), .json(let start, let length)):
      try Self.append(list: arena.bytes(start, length), element == .integer ? .int8 : .text, &out)
    case (.reals, .json(let start, let length)): try Self.append(list: arena.bytes(start, length), .float8, &out)
    case (.time, .text(let start, let length)):
      guard let time = EpochTime.time(of: ByteRun(arena, start, length), perSecond: 1_000_000) else { throw .other }
      Self.put(value: time, &out)
    case (.float, .real(let value)):
      guard Double(Float(value)) == value || value.isNaN else { throw .other }
      Self.put(value: Float(value).bitPattern, &out)
    case (.days, .text(let start, let length)):
      guard let days = EpochTime.value(of: arena, start, length, in: .days, isExact: true) else { throw .other }
      Self.put(value: Int32(truncatingIfNeeded: days - Self.epoch), &out)
    case (.microseconds(let isExact), .text(let start, let length)):
      guard let time = EpochTime.value(of: arena, start, length, in: .microseconds, isExact: isExact) else {
        throw .other
      }
      Self.put(value: time - Self.epoch * 86_400_000_000, &out)
    case (.localMicroseconds, .text(let start, let length)):
      guard let time = EpochTime.value(of: arena, start, length, in: .microseconds, isExact: false) else {
        throw .other
      }
      Self.put(value: time - Self.epoch * 86_400_000_000, &out)
    case (.boolean, .boolean(let value)): Self.put(value: UInt8(value ? 1 : 0), &out)
    case (.bytes, .bytes(let start, let length)): Self.put(arena, start, length, &out)
    case (.real, .real(let value)): Self.put(value: value.bitPattern, &out)
    case (.real, .integer(let value)):
      guard let real = Double(exactly: value) else { throw .other }
      Self.put(value: real.bitPattern, &out)
    case (.real, .number(let start, let length)):
      guard case .real(let value) = unsafe StoredNumber(arena.base + Int(start), Int(length)) else { throw .other }
      Self.put(value: value.bitPattern, &out)
    case (.literal, .number(let start, let length)):
      // Canonical: the others are normalised, or refused.
      if case .literal = unsafe StoredNumber(arena.base + Int(start), Int(length)) { throw .other }
      Self.put(arena, start, length, &out)
    case (.decimal(let size), _):
      let number: DecimalNumber? =
        switch cell {
        case .number(let start, let length): DecimalNumber(arena.bytes(start, length))
        case .integer(let value): DecimalNumber(value)
        case .real(let value): DecimalNumber(value)
        default: nil
        }
      // The server would round it.
      guard number?.unscaled(precision: size.precision, scale: size.scale) != nil else { throw .other }
      try append(cell, arena, .numeric, &out)
    case (.numeric, .number(let start, let length)):
      guard let bytes = PostgresNumeric.encoded(arena.bytes(start, length)) else { throw .range("numeric") }
      Self.put(bytes, &out)
    case (.numeric, .integer(let value)):
      Self.put(PostgresNumeric.encoded(Array(String(value).utf8)) ?? [], &out)
    case (.numeric, .real(let value)):
      Self.put(value.isFinite ? PostgresNumeric.encoded(value.canonicalText) ?? [] : PostgresNumeric.nan, &out)
    default: throw .other
    }
  }

  private static func append(list: [UInt8], _ type: PostgresType, _ out: inout ByteBuffer) throws(Fault) {
    guard let elements = (try? JSON.parse(list, name: ""))?.arrayValue else { throw .other }
    var array = ByteBuffer()
    put(UInt32(elements.isEmpty ? 0 : 1).bigEndian, &array)
    put(UInt32(elements.contains(where: \.isNull) ? 1 : 0).bigEndian, &array)
    put(type.rawValue.bigEndian, &array)
    if !elements.isEmpty {
      put(UInt32(elements.count).bigEndian, &array)
      put(UInt32(1).bigEndian, &array)
    }
    for element in elements {
      if element.isNull, type != .text {
        put(UInt32.max, &array)
      } else if type == .int8 {
        guard let value = element.integerValue else { throw .range("bigint") }
        put(value: value, &array)
      } else if type == .float8 {
        guard let value = Double(String(decoding: element.canonicalBytes, as: UTF8.self)) else { throw .other }
        put(value: value.bitPattern, &array)
      } else {
        guard let text = element.stringBytes else { throw .other }
        if text.contains(0) { throw .nul }
        put(text, &array)
      }
    }
    put(array.bytes(), &out)
  }

  private func append(_ value: Value, _ form: Form, _ out: inout ByteBuffer) {
    switch value {
    case .null: Self.put(UInt32.max, &out)
    case .boolean(let value): Self.put(value: UInt8(value ? 1 : 0), &out)
    case .integer(let value) where form == .integer: Self.put(value: value, &out)
    case .real(let value) where form == .real: Self.put(value: value.bitPattern, &out)
    case .integer(let value): Self.put(Array(String(value).utf8), &out)
    case .real(let value): Self.put(value.canonicalText, &out)
    case .number(let bytes), .text(let bytes), .json(let bytes), .bytes(let bytes): Self.put(bytes, &out)
    }
  }
}

extension ByteBuffer {
  /// Replaces four bytes.
  fileprivate mutating func replace(at position: Int, with number: UInt32) {
    precondition(position + 4 <= count, "internal error: position outside the bytes")
    let end = unsafe room(0)
    unsafe UnsafeMutableRawPointer(end - (count - position)).storeBytes(of: number, as: UInt32.self)
  }
}

/// The binary form of `numeric`: digits to the base of 10,000, the weight of the first, the sign, and how many decimal
/// places are shown.
enum PostgresNumeric {
  static let nan: [UInt8] = [0, 0, 0, 0, 0xC0, 0, 0, 0]
  private static let mostPlaces = 16_383, mostDigits = 131_072

  /// A literal in the grammar of JSON; nil if it is out of range. Its value stays, and its places after the point; an
  /// exponent does not.
  static func encoded(_ literal: [UInt8]) -> [UInt8]? {
    var digits: [UInt8] = [], point: Int?, exponent = 0, isNegative = false
    var at = 0
    if literal.first == UInt8(ascii: "-") { (isNegative, at) = (true, 1) }
    while at < literal.count, literal[at] | 0x20 != UInt8(ascii: "e") {
      if literal[at] == UInt8(ascii: ".") { point = digits.count } else { digits.append(literal[at] &- 48) }
      at += 1
    }
    if at < literal.count {
      guard let value = Int(String(decoding: literal[(at + 1)...].drop { $0 == UInt8(ascii: "+") }, as: UTF8.self))
      else { return nil }
      exponent = value
    }
    guard digits.allSatisfy({ $0 < 10 }), !digits.isEmpty, abs(exponent) <= mostDigits else { return nil }
    let places = max(0, digits.count - (point ?? digits.count) - exponent)
    // The digits before the point once the exponent is applied; below zero, zeros follow the point.
    var whole = (point ?? digits.count) + exponent
    let zeros = digits.prefix { $0 == 0 }.count
    digits.removeFirst(zeros)
    whole -= zeros
    guard places <= mostPlaces, digits.isEmpty || whole <= mostDigits else { return nil }
    var groups: [UInt16] = [], weight = 0
    if !digits.isEmpty {
      // The first group is filled up with zeros on the left, the last one on the right.
      let first = (whole % 4 + 4) % 4
      weight = (whole - first) / 4 - (first == 0 ? 1 : 0)
      digits.insert(contentsOf: [UInt8](repeating: 0, count: first == 0 ? 0 : 4 - first), at: 0)
      while digits.count % 4 != 0 { digits.append(0) }
      for start in stride(from: 0, to: digits.count, by: 4) {
        groups.append(digits[start..<start + 4].reduce(0) { $0 * 10 + UInt16($1) })
      }
      while groups.last == 0 { groups.removeLast() }
    }
    let isZero = groups.isEmpty
    let head = [
      UInt16(groups.count), UInt16(bitPattern: Int16(isZero ? 0 : weight)), isNegative && !isZero ? 0x4000 : 0,
      UInt16(places),
    ]
    return (head + groups).flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }
}
