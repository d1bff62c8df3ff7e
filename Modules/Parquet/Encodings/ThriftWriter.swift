/// Writes structures in Thrift's compact protocol, the encoding of all metadata of a Parquet file.
///
/// Fields of a structure are written in ascending order of their numbers.
struct ThriftWriter {
  /// The types of fields and elements, by their codes.
  enum Kind: UInt8 {
    case integer32 = 5, integer64 = 6, binary = 8, list = 9, structure = 12, boolean = 1
  }

  /// The bytes written.
  private(set) var bytes: [UInt8] = []
  /// The last field number of the current structure.
  private var last = 0

  /// Writes a whole structure that is not a field: its fields and its end.
  static func structure(_ body: (inout ThriftWriter) -> Void) -> [UInt8] {
    var writer = ThriftWriter()
    body(&writer)
    writer.bytes.append(0)
    return writer.bytes
  }

  mutating func integer16(_ field: Int, _ value: Int) {
    header(field, 4)
    zigzag(value)
  }
  mutating func integer32(_ field: Int, _ value: Int) { integer(field, .integer32, value) }
  mutating func integer64(_ field: Int, _ value: Int) { integer(field, .integer64, value) }

  private mutating func integer(_ field: Int, _ kind: Kind, _ value: Int) {
    header(field, kind.rawValue)
    zigzag(value)
  }

  /// An integer of 8 bits.
  mutating func byte(_ field: Int, _ value: UInt8) {
    header(field, 3)
    bytes.append(value)
  }
  mutating func boolean(_ field: Int, _ value: Bool) { header(field, value ? 1 : 2) }
  mutating func binary(_ field: Int, _ value: [UInt8]) {
    header(field, Kind.binary.rawValue)
    element(value)
  }
  mutating func string(_ field: Int, _ value: String) { binary(field, Array(value.utf8)) }

  mutating func structure(_ field: Int, _ body: (inout ThriftWriter) -> Void) {
    header(field, Kind.structure.rawValue)
    element(body)
  }

  /// The header of a list, which is followed by `count` elements.
  mutating func list(_ field: Int, of kind: Kind, count: Int) {
    header(field, Kind.list.rawValue)
    if count < 15 {
      bytes.append(UInt8(count) << 4 | kind.rawValue)
    } else {
      bytes.append(0xF0 | kind.rawValue)
      variable(UInt64(count))
    }
  }
  mutating func element(_ body: (inout ThriftWriter) -> Void) {
    let outer = last
    last = 0
    body(&self)
    bytes.append(0)
    last = outer
  }
  mutating func element(_ value: [UInt8]) {
    variable(UInt64(value.count))
    bytes += value
  }
  mutating func element(_ value: Int) { zigzag(value) }
  mutating func element(_ value: Bool) { bytes.append(value ? 1 : 2) }

  private mutating func header(_ field: Int, _ kind: UInt8) {
    let step = field - last
    if (1...15).contains(step) {
      bytes.append(UInt8(step) << 4 | kind)
    } else {
      bytes.append(kind)
      zigzag(field)
    }
    last = field
  }
  private mutating func zigzag(_ value: Int) {
    variable(UInt64(bitPattern: Int64(value << 1) ^ Int64(value >> 63)))
  }
  private mutating func variable(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
