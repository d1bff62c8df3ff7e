/// A record of a file as it is read: exactly, or repaired.
struct ReadRecord {
  var fields: [[UInt8]]
  /// Which fields are in quotes; empty if none is, or it is not known.
  var quoted: [Bool] = []
  /// Where it begins and where the next one does, in the text.
  var start: Int, next: Int
  /// The fault, and whether the fields are certain all the same.
  var reason: Reject.Reason?
  var isSure = true
  /// Whether it cannot be read without repair, and how many bytes precede the fault.
  var isBad = false, fault = 0

  /// Fields that are not blank.
  var filled: Int { fields.reduce(0) { $0 + ($1.allSatisfy(CellKind.isSpace) ? 0 : 1) } }
  /// Whether it is an empty line or only white space.
  var isBlank: Bool {
    fields.count == 1 && quoted != [true] && reason == nil && fields[0].allSatisfy(CellKind.isSpace)
  }
  /// The fields without the differences that do not matter in names.
  var key: [[UInt8]] { ReadRecord.key(fields) }

  static func key(_ fields: [[UInt8]]) -> [[UInt8]] {
    fields.map { trimmed($0).map(lowercase) }
  }

  private static func lowercase(_ byte: UInt8) -> UInt8 { CellKind.isUpper(byte) ? byte | 0x20 : byte }

  /// Whether the fields have these keys.
  func hasKey(_ key: [[UInt8]]) -> Bool {
    fields.count == key.count && zip(fields, key).allSatisfy { ReadRecord.has($0, key: $1) }
  }

  /// Whether a field has this key.
  static func has(_ field: [UInt8], key: [UInt8]) -> Bool {
    let own = field.drop(while: CellKind.isSpace)
    return own.count >= key.count && zip(own, key).allSatisfy { lowercase($0) == $1 }
      && own.dropFirst(key.count).allSatisfy(CellKind.isSpace)
  }

  var isLong: Bool { next - start > TableConverter.longRecord }

  static func trimmed(_ field: [UInt8]) -> [UInt8] {
    let start = field.drop(while: CellKind.isSpace)
    return Array(start.lastIndex { !CellKind.isSpace($0) }.map { start[...$0] } ?? [])
  }
}
