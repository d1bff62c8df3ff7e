import Codecs
public import Rows
import Synchronization

/// The number of rows and a 128-bit digest of their values, which depend neither on the order of the rows nor on that
/// of the columns, nor on the spelling of numbers, nor on zeros at the end of a timestamp.
///
/// The digest is the sum, modulo 2^128, of the first 128 bits of the SHA-256 digest of each row: for each column that
/// is not null, in byte order of the names, the name and the value. So a column of nulls does not count, and repeated
/// rows do.
public struct RowDigest: Sendable, Hashable {
  /// The number of rows.
  public private(set) var rows = 0
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  /// The digest of no rows.
  public init() {}

  /// The digest as 32 lower-case hexadecimal digits.
  public var text: String {
    func digits(_ word: UInt64) -> String {
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 16 - text.utf8.count) + text
    }
    return digits(high) + digits(low)
  }

  /// Adds the rows of another digest.
  public mutating func add(_ other: RowDigest) {
    rows += other.rows
    add(other.high, other.low)
  }

  private mutating func add(_ otherHigh: UInt64, _ otherLow: UInt64) {
    let (sum, carries) = low.addingReportingOverflow(otherLow)
    low = sum
    high = high &+ otherHigh &+ (carries ? 1 : 0)
  }

  /// Adds the rows of a batch.
  public mutating func add(_ batch: RowBatch, of schema: Schema) {
    var names = ByteBuffer(capacity: 1 << 10), bytes = ByteBuffer(capacity: 1 << 12)
    let columns = schema.columns.enumerated().sorted {
      $0.element.name.utf8.lexicographicallyPrecedes($1.element.name.utf8)
    }.map { position, column in
      let start = names.count
      names.append(digestOf: Array(column.name.utf8), kind: .name)
      return (position: position, name: start..<names.count, isInstant: column.type.isTime)
    }
    let reader = CellReader(batch)
    for row in 0..<batch.count {
      bytes.removeAll()
      for (position, name, isInstant) in columns {
        let cell = reader.cell(row, position)
        if cell.isNull { continue }
        names.read { bytes.append($0.extracting(name)) }
        if isInstant, case .text(let start, let length) = cell {
          bytes.append(digestOfInstant: batch.bytes(start, length))
        } else {
          bytes.append(digestOf: cell, of: batch, reader)
        }
      }
      let words = SHA256.words(of: &bytes)
      add(words.high, words.low)
    }
    rows += batch.count
  }

  /// The digest of all rows of a stream.
  /// - `threads`: tasks at once, at least 1; the result does not depend on it.
  public static func of(_ stream: any RowStream, threads: Int) async throws(Problem) -> RowDigest {
    let schema = stream.schema, total = Mutex(RowDigest())
    try await BatchDispenser.forEach(of: stream, threads: threads) { (_, _, batch) throws(Problem) in
      var digest = RowDigest()
      digest.add(batch, of: schema)
      total.withLock { $0.add(digest) }
    }
    return total.withLock { $0 }
  }
}

extension ByteBuffer {
  /// The first byte of a value in a digest.
  fileprivate enum DigestKind: UInt8 { case name, text, json, bytes, boolean, number }

  /// Appends a value: its kind, its length in four bytes, its bytes.
  fileprivate mutating func append(digestOf value: [UInt8], kind: DigestKind) {
    append(digestHead: value.count, kind: kind)
    append(bytes: value)
  }

  private mutating func append(digestHead count: Int, kind: DigestKind) {
    append(byte: kind.rawValue)
    for shift in [0, 8, 16, 24] { append(byte: UInt8(truncatingIfNeeded: count >> shift)) }
  }

  /// Appends a timestamp, whose fraction may have zeros at its end or not.
  fileprivate mutating func append(digestOfInstant text: [UInt8]) {
    let ordered = TimeText.ordered(text)
    append(digestOf: text.last == UInt8(ascii: "Z") ? ordered + [UInt8(ascii: "Z")] : ordered, kind: .text)
  }

  /// Appends a value that is not null; numbers by their value.
  fileprivate mutating func append(digestOf cell: Cell, of batch: RowBatch, _ reader: CellReader) {
    if let short = ShortDecimal(cell, reader), isCertain(short, cell, reader) { return append(digestOf: short) }
    let number: DecimalNumber?
    switch cell {
    case .null: return
    case .text(let start, let length): return append(digestOf: start, length, of: batch, kind: .text)
    case .json(let start, let length): return append(digestOf: start, length, of: batch, kind: .json)
    case .bytes(let start, let length): return append(digestOf: start, length, of: batch, kind: .bytes)
    case .boolean(let value): return append(digestOf: [value ? 1 : 0], kind: .boolean)
    case .integer(let value): number = DecimalNumber(value)
    case .real(let value): number = DecimalNumber(value)
    case .number(let start, let length):
      let literal = DecimalNumber(batch.bytes(start, length))
      // A Double that prints these digits is the number, as it is in formats that store it.
      if length > 16, let literal, let value = Double(String(decoding: batch.bytes(start, length), as: UTF8.self)),
        value.isFinite, literal.isPrinted(by: value)
      {
        number = DecimalNumber(value)
      } else {
        number = literal
      }
    }
    var word: [UInt8] {
      if case .real(let value) = cell { Array("\(NonfinitePolicy.word(for: value))".utf8) } else { [] }
    }
    append(digestOf: number?.keyBytes ?? word, kind: .number)
  }

  /// Whether no Double prints the digits of a number that is another one.
  private func isCertain(_ number: ShortDecimal, _ cell: Cell, _ reader: CellReader) -> Bool {
    guard case .number(_, let length) = cell, length > 16 else { return true }
    guard let nearest = reader.nearestDouble(of: cell), let printed = ShortDecimal(.real(nearest.value), reader) else {
      return false
    }
    return printed.mantissa == number.mantissa && printed.scale == number.scale
  }

  /// Appends the bytes that `DecimalNumber.keyBytes` gives for a number.
  private mutating func append(digestOf number: ShortDecimal) {
    var rest = number.mantissa.magnitude, exponent = -number.scale, count = 0
    var digits = InlineArray<20, UInt8>(repeating: 0)
    while rest > 0, rest % 10 == 0 {
      rest /= 10
      exponent += 1
    }
    while rest > 0 {
      count += 1
      digits[20 - count] = UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    exponent = count == 0 ? 0 : exponent + count
    append(digestHead: 2 + count + (exponent < 0 ? 1 : 0) + (exponent.magnitude < 10 ? 1 : 2), kind: .number)
    append(byte: number.mantissa < 0 ? 1 : 0)
    for place in (20 - count)..<20 { append(byte: digits[place]) }
    append(byte: UInt8(ascii: " "))
    append(integer: Int64(exponent))
  }

  private mutating func append(
    digestOf start: UInt32, _ length: UInt32, of batch: RowBatch, kind: DigestKind
  ) {
    append(digestHead: Int(length), kind: kind)
    batch.arena.read { append($0.extracting(Int(start)..<Int(start) + Int(length))) }
  }
}
