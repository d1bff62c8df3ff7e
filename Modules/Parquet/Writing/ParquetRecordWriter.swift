public import Codecs
public import Rows

/// Writes nested records, such as the actions of a log, as a Parquet file in memory.
public struct ParquetRecordWriter: ~Copyable {
  private static let rowsPerGroup = 20_000
  private static let magic: StaticString = "PAR1"

  private let fields: [ParquetElement.Field]
  private let compressor: PageCompressor
  private var leaves: [LeafValues]
  private var out = ByteBuffer(capacity: 1 << 16)
  private var rows = 0, total = 0
  private var groups: [Group] = []

  private struct Group {
    let offset: Int, rows: Int
    var chunks: [(offset: Int, count: Int, plain: Int, packed: Int)] = []
  }

  /// The values of a leaf in the current row group.
  private struct LeafValues {
    let leaf: ParquetElement.Leaf
    var repetition: [UInt8] = [], definition: [UInt8] = []
    var values: [UInt8] = []
    var booleans: [Bool] = []
  }

  /// A writer of records with these members.
  public init(_ fields: [ParquetElement.Field]) throws(Problem) {
    self.fields = fields
    compressor = try PageCompressor(.snappy)
    leaves = fields.flatMap { $0.element.leaves($0.name, [], depth: 0) }.map { LeafValues(leaf: $0) }
    out.append(Self.magic)
  }

  /// Appends a record. Members that are not in the schema are ignored, and values of other types are null.
  public mutating func append(_ record: JSON) throws(Problem) {
    var leaf = 0
    for field in fields { put(field.element, record[field.name], repetition: 0, definition: 0, &leaf) }
    rows += 1
    if rows == Self.rowsPerGroup { try endGroup() }
  }

  /// Puts a value, or null, into the leaves of an element from `leaf` on, and moves on to the next element.
  private mutating func put(
    _ element: ParquetElement, _ value: JSON?, repetition: Int, definition: Int, _ leaf: inout Int
  ) {
    switch element {
    case .text, .integer, .shortInteger, .boolean:
      add(element, value, repetition: repetition, definition: definition, to: leaf)
      leaf += 1
    case .texts:
      let items = value?.arrayValue
      if let items, !items.isEmpty {
        for (place, item) in items.enumerated() {
          add(.text, item, repetition: place == 0 ? repetition : 1, definition: definition + 2, to: leaf)
        }
      } else {
        addLevels(repetition, definition + (items == nil ? 0 : 1), to: leaf)
      }
      leaf += 1
    case .map:
      let members = value?.objectMembers
      if let members, !members.isEmpty {
        for (place, member) in members.enumerated() {
          let repetition = place == 0 ? repetition : 1
          addLevels(repetition, definition + 2, to: leaf)
          addText(member.key, to: leaf)
          add(.text, member.value, repetition: repetition, definition: definition + 2, to: leaf + 1)
        }
      } else {
        for place in 0..<2 { addLevels(repetition, definition + (members == nil ? 0 : 1), to: leaf + place) }
      }
      leaf += 2
    case .structure(let fields):
      let isThere = value?.objectMembers != nil
      for field in fields {
        put(
          field.element, isThere ? value?[field.name] : nil, repetition: repetition,
          definition: definition + (isThere ? 1 : 0), &leaf)
      }
    }
  }

  private mutating func add(
    _ element: ParquetElement, _ value: JSON?, repetition: Int, definition: Int, to leaf: Int
  ) {
    var isThere = false
    switch element {
    case .boolean:
      if let value = value?.booleanValue {
        leaves[leaf].booleans.append(value)
        isThere = true
      }
    case .integer, .shortInteger:
      if let value = value?.integerValue, element == .integer || Int32(exactly: value) != nil {
        let count = element == .integer ? 8 : 4
        leaves[leaf].values += UInt64(bitPattern: value).littleEndianBytes[..<count]
        isThere = true
      }
    default:
      if let text = value?.stringBytes {
        addText(text, to: leaf)
        isThere = true
      }
    }
    addLevels(repetition, definition + (isThere ? 1 : 0), to: leaf)
  }

  private mutating func addText(_ text: [UInt8], to leaf: Int) {
    leaves[leaf].values += UInt64(text.count).littleEndianBytes[..<4]
    leaves[leaf].values += text
  }

  private mutating func addLevels(_ repetition: Int, _ definition: Int, to leaf: Int) {
    leaves[leaf].repetition.append(UInt8(repetition))
    leaves[leaf].definition.append(UInt8(definition))
  }

  // MARK: - Pages

  private mutating func endGroup() throws(Problem) {
    guard rows > 0 else { return }
    var group = Group(offset: out.count, rows: rows)
    for place in leaves.indices {
      let offset = out.count, count = leaves[place].definition.count
      let sizes = try appendPage(place, count)
      group.chunks.append((offset, count, sizes.plain, sizes.packed))
      leaves[place] = LeafValues(leaf: leaves[place].leaf)
    }
    groups.append(group)
    total += rows
    rows = 0
  }

  private mutating func appendPage(_ place: Int, _ count: Int) throws(Problem) -> (plain: Int, packed: Int) {
    let leaf = leaves[place].leaf
    var page = ByteBuffer(capacity: leaves[place].values.count + 1024), packed = ByteBuffer(capacity: 1024)
    if leaf.repetition > 0 { Self.append(leaves[place].repetition, most: leaf.repetition, to: &page) }
    Self.append(leaves[place].definition, most: leaf.definition, to: &page)
    let bits = leaves[place].booleans
    for start in stride(from: 0, to: bits.count, by: 8) {
      let group = bits[start..<min(start + 8, bits.count)].enumerated()
      page.append(byte: group.reduce(0) { $0 | ($1.element ? 1 << UInt8($1.offset) : 0) })
    }
    page.append(bytes: leaves[place].values)
    try page.read { (span) throws(Problem) in try compressor.append(span, to: &packed) }
    let crc = try packed.read { (bytes) throws(Problem) in try Zlib.crc32(bytes) }
    let header = ThriftWriter.structure {
      $0.integer32(1, 0)
      $0.integer32(2, page.count)
      $0.integer32(3, packed.count)
      $0.integer32(4, Int(Int32(bitPattern: crc)))
      $0.structure(5) {
        $0.integer32(1, count)
        $0.integer32(2, 0)
        $0.integer32(3, 3)
        $0.integer32(4, 3)
      }
    }
    out.append(bytes: header)
    packed.read { out.append($0) }
    return (page.count + header.count, packed.count + header.count)
  }

  private static func append(_ levels: [UInt8], most: Int, to page: inout ByteBuffer) {
    ParquetChunkEncoder.appendLevels(levels[...], bits: Int.bitWidth - most.leadingZeroBitCount, to: &page)
  }

  // MARK: - The footer

  /// The file.
  public consuming func finish() throws(Problem) -> [UInt8] {
    try endGroup()
    let footer = ThriftWriter.structure {
      $0.integer32(1, 1)
      $0.list(2, of: .structure, count: 1 + fields.reduce(0) { $0 + $1.element.count })
      $0.element {
        $0.string(4, "schema")
        $0.integer32(5, fields.count)
      }
      for field in fields { field.element.describe(field.name, &$0) }
      $0.integer64(3, total)
      $0.list(4, of: .structure, count: groups.count)
      for group in groups { $0.element { describe(group, &$0) } }
      $0.string(6, ParquetFooter.creator)
    }
    out.append(bytes: footer)
    out.append(littleEndian: UInt64(footer.count), count: 4)
    out.append(Self.magic)
    return out.bytes()
  }

  private borrowing func describe(_ group: Group, _ thrift: inout ThriftWriter) {
    thrift.list(1, of: .structure, count: group.chunks.count)
    for (values, chunk) in zip(leaves, group.chunks) {
      thrift.element {
        $0.integer64(2, 0)
        $0.structure(3) {
          $0.integer32(1, values.leaf.physicalType)
          $0.list(2, of: .integer32, count: 2)
          $0.element(0)
          $0.element(3)
          $0.list(3, of: .binary, count: values.leaf.path.count)
          for name in values.leaf.path { $0.element(Array(name.utf8)) }
          $0.integer32(4, PageCompression.snappy.code)
          $0.integer64(5, chunk.count)
          $0.integer64(6, chunk.plain)
          $0.integer64(7, chunk.packed)
          $0.integer64(9, chunk.offset)
        }
      }
    }
    thrift.integer64(2, group.chunks.reduce(0) { $0 + $1.plain })
    thrift.integer64(3, group.rows)
    thrift.integer64(5, group.offset)
    thrift.integer64(6, group.chunks.reduce(0) { $0 + $1.packed })
  }
}
