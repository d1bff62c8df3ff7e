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
    let columns = schema.columns.enumerated().sorted {
      $0.element.name.utf8.lexicographicallyPrecedes($1.element.name.utf8)
    }.map { (position: $0.offset, name: Array($0.element.name.utf8), isInstant: $0.element.type.isTime) }
    var bytes = ByteBuffer(capacity: 1 << 12)
    for row in 0..<batch.count {
      bytes.removeAll()
      for (position, name, isInstant) in columns where !batch[row, position].isNull {
        bytes.append(digestOf: name, kind: .name)
        if isInstant, case .text(let start, let length) = batch[row, position] {
          bytes.append(digestOfInstant: batch.bytes(start, length))
        } else {
          bytes.append(digestOf: batch[row, position], of: batch)
        }
      }
      var hash = SHA256()
      bytes.read { hash.update($0) }
      let digest = hash.digest()
      func word(_ from: Int) -> UInt64 { digest[from..<from + 8].reduce(0) { $0 << 8 | UInt64($1) } }
      add(word(0), word(8))
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
  fileprivate mutating func append(digestOf cell: Cell, of batch: RowBatch) {
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

  private mutating func append(
    digestOf start: UInt32, _ length: UInt32, of batch: RowBatch, kind: DigestKind
  ) {
    append(digestHead: Int(length), kind: kind)
    batch.arena.read { append($0.extracting(Int(start)..<Int(start) + Int(length))) }
  }
}
