import Codecs
public import Rows

/// The metadata of an Apache Parquet file.
public struct ParquetFile: Sendable {
  let source: any RandomAccessSource
  /// The metadata, which bounds refer to.
  private let footer: Arena
  let columns: [Column]
  let groups: [Group]
  /// The description of the columns that bb writes; nil in a file of another program.
  let description: JSON?

  struct Column: Sendable {
    let node: ParquetNode
    let description: ColumnDescription
    /// The digits after the point of each number of a column of Doubles; nil for the shortest text.
    var scale: Int?

    /// The column with another type, if its values can be of that type.
    func typed(_ type: ColumnType) -> Column {
      guard ParquetFile.isPossible(type, node.columnType, node) else { return self }
      var node = node
      // Programs do not agree on the mark of UTC.
      if case .timestamp(let unit, _) = node.kind, type != .text {
        node.kind = .timestamp(unit: unit, isUTC: type == .timestamp)
      }
      let stored = type == description.type || node.kind != self.node.kind ? node.storedType : nil
      return Column(
        node: node,
        description: ColumnDescription(description.name, type).annotated(as: description).stored(as: stored))
    }
  }

  struct Group: Sendable {
    /// The number of the first row in the file, from 0, and the number of rows.
    let firstRow: Int, rowCount: Int
    let size: Int
    fileprivate(set) var chunks: [Chunk]
  }

  /// The values of a leaf in a row group.
  struct Chunk: Sendable {
    fileprivate(set) var place: ParquetChunkPlace
    /// The encoded bounds of all values, in the order that the format defines; nil where there is none.
    let least: Place?, greatest: Place?
    let nullCount: Int?
    /// The encodings of its pages, as the format numbers them.
    let encodings: [Int]
    /// The places of the indexes of pages, and of the bloom filter's beginning; nil where there is none.
    var columnIndex: Range<Int>?, offsetIndex: Range<Int>?, bloomFilter: Int?

    struct Place: Sendable { let start: UInt32, count: UInt32 }
  }

  private static let physicalTypes = [
    "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY",
  ]
  private static let codecs = ["UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"]
  private static let encodingNames = [
    "PLAIN", "GROUP_VAR_INT", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
    "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT",
  ]

  /// The storage of the columns: the facts, and their values by column.
  public var storage: (names: [(name: String, type: ColumnType)], values: [String: [Value]]) {
    func words(_ numbers: some Sequence<Int>, _ names: [String]) -> Value {
      let words = Set(numbers).sorted().map { names.indices.contains($0) ? names[$0] : String($0) }
      return words.isEmpty ? .null : .text(Array(words.joined(separator: ", ").utf8))
    }
    func leaves(_ node: ParquetNode) -> [ParquetNode] {
      node.children.isEmpty ? [node] : node.children.flatMap(leaves)
    }
    var values: [String: [Value]] = [:]
    for column in columns {
      let chunks = groups.flatMap { $0.chunks[column.node.leaves] }
      values[column.description.name] = [
        words(leaves(column.node).map(\.physicalType), Self.physicalTypes),
        words(chunks.map(\.place.codec), Self.codecs), words(chunks.flatMap(\.encodings), Self.encodingNames),
        .integer(Int64(groups.count)), .integer(Int64(chunks.reduce(0) { $0 + $1.place.range.count })),
      ]
    }
    return (
      [
        ("physical", .text), ("compression", .text), ("encodings", .text), ("row_groups", .integer),
        ("bytes", .integer),
      ],
      values
    )
  }

  /// The bytes of a bound.
  func bytes(of bound: Chunk.Place) -> [UInt8] { footer.bytes(bound.start, bound.count) }

  /// The first and the last bytes of a file.
  public static let mark = Array("PAR1".utf8)
  private static let maximumFooter = 256 << 20
  /// The most columns, and the most values of columns in row groups.
  static let maximumColumns = 100_000, maximumChunks = 1_000_000

  /// The number of rows.
  public var rowCount: Int { groups.last.map { $0.firstRow &+ $0.rowCount } ?? 0 }

  /// Reads the metadata of a file.
  /// `names` are those of the columns in a table, without the other columns; nil for those of the file.
  /// - Throws: `badData` for a file that is damaged, encrypted, or has an unknown type; `io`.
  public init(_ source: any RandomAccessSource, names: ParquetNames? = nil) throws(Problem) {
    self.source = source
    do throws(ParquetFailure) {
      footer = try Self.footer(source)
      (columns, groups, description) = try Self.metadata(footer, source.length, names)
    } catch {
      throw error.problem(source.name)
    }
  }

  private static func footer(_ source: any RandomAccessSource) throws(ParquetFailure) -> Arena {
    func bytes(_ offset: Int, _ count: Int) throws(ParquetFailure) -> [UInt8] {
      do throws(Problem) {
        if let bytes = try source.bytes(at: offset, count: count) { return bytes }
      } catch {
        throw .problem(error)
      }
      throw .damage("is not a complete Parquet file")
    }
    // The first bytes would be one more request.
    guard source.length >= 12, try source is any PlannedSource ? true : bytes(0, 4) == mark else {
      throw .damage("is not a complete Parquet file")
    }
    let end = try bytes(source.length - 8, 8)
    guard Array(end[4...]) == mark else {
      throw .damage(Array(end[4...]) == Array("PARE".utf8) ? "is encrypted" : "is not a complete Parquet file")
    }
    let size = end[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
    guard size <= source.length - 12, size <= maximumFooter else { throw .damage("the metadata has a wrong size") }
    var footer = ArenaBuilder(capacity: max(size, 1))
    do throws(Problem) {
      while footer.count < size {
        let at = source.length - 8 - size + footer.count
        guard try source.read(at: at, count: size - footer.count, into: &footer) > 0 else { break }
      }
    } catch {
      throw .problem(error)
    }
    guard footer.count == size else { throw .damage("is not a complete Parquet file") }
    return footer.freeze()
  }

  private static func metadata(
    _ footer: Arena, _ length: Int, _ names: ParquetNames?
  ) throws(ParquetFailure) -> ([Column], [Group], JSON?) {
    var cursor = ParquetCursor(ByteRun(footer, 0, UInt32(footer.count)))
    defer { withExtendedLifetime(footer) {} }
    var elements: [ThriftStructure] = [], tree: ParquetNode?, groups: [Group] = [], firstRow = 0
    let metadata = try ThriftStructure(&cursor) { (list, count, cursor) throws(ParquetFailure) in
      switch list {
      case 2:
        guard count <= 2 * maximumColumns else { throw tooMany("columns", maximumColumns) }
        for _ in 0..<count { elements.append(try ThriftStructure(&cursor, depth: 2)) }
      case 4:
        let root = try ParquetNode.root(elements), leafCount = root.leaves.count
        (tree, elements) = (root, [])
        guard leafCount <= maximumColumns else { throw tooMany("columns", maximumColumns) }
        guard count <= maximumChunks / max(1, leafCount) else {
          throw tooMany("row groups and columns", maximumChunks)
        }
        groups.reserveCapacity(count)
        for _ in 0..<count {
          let group = try ThriftStructure(&cursor, depth: 2)
          let chunks = group.structures(1), rows = group.integer(3) ?? -1
          guard chunks.count == leafCount, rows >= 0 else { throw .damage("a row group does not have all columns") }
          var read: [Chunk] = []
          read.reserveCapacity(leafCount)
          for chunk in chunks { read.append(try Self.chunk(chunk, length, footer)) }
          groups.append(Group(firstRow: firstRow, rowCount: rows, size: max(0, group.integer(2) ?? 0), chunks: read))
          firstRow = firstRow.addingReportingOverflow(rows).partialValue
        }
      default: return false
      }
      return true
    }
    let root: ParquetNode
    if let tree { root = tree } else { root = try ParquetNode.root(elements) }
    let slack = dictionarySlack(metadata.text(6) ?? "")
    if slack > 0 {
      for group in groups.indices {
        for place in groups[group].chunks.indices { groups[group].chunks[place].place.extend(by: slack, in: length) }
      }
    }
    let pairs = metadata.structures(5)
    let text = pairs.first { $0.text(1) == ParquetFooter.schemaKey }?.binary(2)?.bytes
    let description = text.flatMap { try? JSON.parse($0, name: "") }
    return (columns(names.map(root.renamed) ?? root, description), groups, description)
  }

  /// The bytes by which a column may be longer than its metadata says: parquet-mr before 1.2.9 did not count the header
  /// of the dictionary.
  private static func dictionarySlack(_ creator: String) -> Int {
    guard creator.hasPrefix("parquet-mr") else { return 0 }
    let words = creator.split(separator: " "), version = words.count > 2 ? words[2] : "0"
    let numbers = version.split(separator: ".").prefix(3).map { Int($0.prefix { $0.isASCII && $0.isNumber }) ?? 0 }
    return numbers.lexicographicallyPrecedes([1, 2, 9]) ? 100 : 0
  }

  private static func tooMany(_ what: String, _ most: Int) -> ParquetFailure {
    .damage("has more than \(most) \(what)", hint: "write it with fewer, or in several files")
  }

  private static func chunk(
    _ chunk: ThriftStructure, _ length: Int, _ footer: Arena
  ) throws(ParquetFailure) -> Chunk {
    guard chunk.structure(8) == nil else { throw .damage("has encrypted columns") }
    guard chunk.text(1) == nil else { throw .damage("values in another file are not supported") }
    guard let facts = chunk.structure(3) else { throw .damage("a column has no metadata") }
    let first = facts.integer(9) ?? -1, dictionary = facts.integer(11) ?? 0, size = facts.integer(7) ?? -1
    // A dictionary, which is optional, precedes the pages.
    let start = dictionary > 0 && dictionary < first ? dictionary : first
    let count = facts.integer(5) ?? -1, encodings = facts.integers(2)
    // Writers give a column without values any offset.
    if count == 0 {
      return Chunk(
        place: ParquetChunkPlace(codec: facts.integer(4) ?? 0, levelCount: 0, range: 0..<0), least: nil, greatest: nil,
        nullCount: nil, encodings: [], columnIndex: nil, offsetIndex: nil, bloomFilter: nil)
    }
    guard start >= 4, size >= 0, start <= length, size <= length - start, count >= 0 else {
      throw .damage("a column is outside the file")
    }
    let end = start + size, statistics = facts.structure(12)
    func bound(_ field: Int) -> Chunk.Place? {
      guard let bytes = statistics?.binary(field) else { return nil }
      let at = footer.distance(to: bytes)
      return at.map { Chunk.Place(start: UInt32($0), count: UInt32(bytes.count)) }
    }
    func index(_ field: Int) -> Range<Int>? {
      guard let start = chunk.integer(field), let size = chunk.integer(field + 1), start >= 4, size > 0, size <= length,
        start <= length - size
      else { return nil }
      return start..<start + size
    }
    return Chunk(
      place: ParquetChunkPlace(
        codec: facts.integer(4) ?? 0, levelCount: count, range: start..<end,
        hasDictionary: encodings.contains { $0 == 2 || $0 == 8 }, hasPrefixes: encodings.contains(7)),
      least: bound(6), greatest: bound(5),
      nullCount: statistics?.integer(3), encodings: encodings, columnIndex: index(6), offsetIndex: index(4),
      bloomFilter: facts.integer(14).flatMap { (4..<length).contains($0) ? $0 : nil })
  }

  /// The columns, with the types and descriptions that bb has written.
  private static func columns(_ root: ParquetNode, _ description: JSON?) -> [Column] {
    let nodes = root.children.filter { !$0.leaves.isEmpty && $0.title != nil }
    let names = CSVHeader(nodes.map { $0.title ?? "" }, keepsEmpty: true).names
    let described = description?["tableSchema"]?["columns"]?.arrayValue ?? []
    let isDescribed =
      described.count == nodes.count && zip(described, nodes).allSatisfy { $0["titles"]?.stringValue == $1.name }
    return nodes.indices.map { place in
      let node = nodes[place], found = node.columnType
      let notes = isDescribed ? described[place] : nil
      let said = notes?[CSVWDocument.Annotation.type]?.stringValue.flatMap { ColumnType(name: $0) }
      let scale = notes?[CSVWDocument.Annotation.scale]?.integerValue.flatMap { (0...15).contains($0) ? Int($0) : nil }
      let isScaled = scale != nil && node.kind == .double && said == .decimal
      let type = said.flatMap { isScaled || isPossible($0, found, node) ? $0 : nil } ?? found
      return Column(
        node: node,
        description: ColumnDescription(
          names[place], type, nullable: true, notes?["dc:description"]?.stringValue ?? "",
          unit: notes?[CSVWDocument.Annotation.unit]?.stringValue ?? "",
          role: notes?[CSVWDocument.Annotation.role]?.stringValue.flatMap(ColumnRole.init)
        ).stored(as: type == found ? node.storedType : nil),
        scale: isScaled ? scale : nil)
    }
  }

  /// Whether a column of type `found` in Parquet's terms can be one of `type`.
  fileprivate static func isPossible(_ type: ColumnType, _ found: ColumnType, _ node: ParquetNode) -> Bool {
    switch (found, type) {
    case (.text, .url): true
    case (.text, .decimal), (.text, .date), (.text, .timestamp), (.text, .datetime), (.text, .json): node.kind == .text
    // Columns of earlier versions.
    case (.datetime, .text): true
    case (.datetime, .timestamp), (.timestamp, .datetime): node.kind != .int96
    case (.json, .list(let element)):
      switch node.listElement?.kind?.columnType {
      case .integer: element == .integer
      case .text: element != .integer
      default: false
      }
    default: found == type
    }
  }
}

extension Arena {
  /// Where the bytes of a run that is in the arena begin.
  fileprivate func distance(to run: ByteRun) -> Int? {
    let distance = unsafe run.start - base
    return distance >= 0 && run.count <= count && distance <= count - run.count ? distance : nil
  }
}
