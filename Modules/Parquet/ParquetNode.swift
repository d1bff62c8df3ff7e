import Rows

/// An element of a Parquet file's schema, with those below it.
struct ParquetNode: Sendable {
  enum Repetition: Int, Sendable { case required = 0, optional = 1, repeated = 2 }

  let name: String
  /// The number that some writers give an element.
  let fieldID: Int?
  /// The name in the table; nil for an element that it does not have.
  var title: String?
  let repetition: Repetition
  /// Nil for a group.
  var kind: ParquetValueKind?
  /// The physical type of a leaf, as in the format's enumeration `Type`, and the size of values of fixed length.
  let physicalType: Int, typeLength: Int
  /// The bytes of a stored value; 0 for bits, nil if each has its own length.
  var width: Int? {
    switch physicalType {
    case 0: 0
    case 1, 4: 4
    case 2, 5: 8
    case 3: 12
    case 7: typeLength
    default: nil
    }
  }
  /// The size of integers, and the most digits of decimals.
  private let bits: Int, precision: Int
  let isList: Bool, isMap: Bool
  /// Whether the element is a group of the logical type `VARIANT`.
  let isVariant: Bool
  var children: [ParquetNode]
  /// The levels at which a value of the element is there, or begins to repeat.
  let definition: Int, repetitionLevel: Int
  /// The leaves of the element among those of the file.
  let leaves: Range<Int>

  /// The tree that the list of elements describes.
  static func root(_ elements: [ThriftStructure]) throws(ParquetFailure) -> ParquetNode {
    var place = 0, leaf = 0
    let root = try ParquetNode(elements, &place, &leaf, (0, 0), depth: 0)
    guard place == elements.count else { throw .damage("the schema has elements outside its tree") }
    return root
  }

  private init(
    _ elements: [ThriftStructure], _ place: inout Int, _ leaf: inout Int, _ levels: (definition: Int, repetition: Int),
    depth: Int
  ) throws(ParquetFailure) {
    guard place < elements.count, depth <= 100 else { throw .damage("the schema is not a tree") }
    let element = elements[place]
    place += 1
    name = element.text(4) ?? ""
    (fieldID, title) = (element.integer(9), name)
    repetition = depth == 0 ? .required : Repetition(rawValue: element.integer(3) ?? 0) ?? .required
    definition = levels.definition + (repetition == .required ? 0 : 1)
    repetitionLevel = levels.repetition + (repetition == .repeated ? 1 : 0)
    let logical = element.structure(10)?.member, converted = element.integer(6)
    isList = logical == 3 || converted == 3
    isMap = logical == 2 || converted == 1 || converted == 2
    isVariant = logical == 16
    physicalType = element.integer(1) ?? -1
    typeLength = element.integer(2) ?? 0
    let size = element.structure(10)?.structure(10)?.integer(1) ?? [15: 8, 16: 16][converted ?? -1]
    bits = physicalType == 1 ? size ?? 32 : 64
    precision = element.structure(10)?.structure(5)?.integer(2) ?? element.integer(8) ?? 0
    let first = leaf
    let count = element.integer(5) ?? 0
    if depth == 0 || element.integer(1) == nil {
      guard count >= 0, count <= elements.count - place else { throw .damage("the schema is not a tree") }
      kind = nil
      var children: [ParquetNode] = []
      for _ in 0..<count {
        children.append(try ParquetNode(elements, &place, &leaf, (definition, repetitionLevel), depth: depth + 1))
      }
      self.children = children
    } else {
      kind = try ParquetValueKind(element, name: name)
      children = []
      leaf += 1
    }
    leaves = first..<leaf
  }

  /// The element type of a list; nil if the element is not one.
  var listElement: ParquetNode? {
    if let keyOnly { return keyOnly }
    guard isList, children.count == 1, children[0].repetition == .repeated else { return nil }
    return repeatsElement ? children[0] : children[0].children[0]
  }

  /// Whether the only child of a list is the element itself, as older writers have it.
  var repeatsElement: Bool {
    let middle = children[0]
    return middle.children.count != 1 || middle.name == "array" || middle.name == name + "_tuple"
  }

  /// Whether a value of the element, or of one below it, is a variant.
  var hasVariant: Bool { isVariant || children.contains(where: \.hasVariant) }

  /// The keys of a map without values, which is a list of them; nil if the element is not one.
  private var keyOnly: ParquetNode? {
    guard isMap, children.count == 1, children[0].repetition == .repeated, children[0].children.count == 1 else {
      return nil
    }
    return children[0].children[0]
  }

  /// Whether the element and those below it have a value of 0 or 1 cell.
  var isFlat: Bool { kind != nil && repetition != .repeated }

  /// The type, if it says more than `columnType`.
  var storedType: StoredType? {
    guard isFlat else {
      switch (listElement?.kind, listElement?.bits) {
      case (.signed?, let bits?): return .integers(bits: bits)
      case (.float?, _): return .reals(bits: 32)
      case (.double?, _): return .reals(bits: 64)
      default: return .nested
      }
    }
    switch kind {
    case .signed where bits < 64: return .integer(bits: bits)
    case .unsigned64: return .unsigned
    case .float: return .float
    case .decimal(let scale): return DecimalSize(precision: precision, scale: scale).map { .decimal($0) } ?? .foreign
    case .uuid, .interval, .half, .unsigned32: return .foreign
    case .bytes where physicalType == 7: return .foreign
    case .time(let unit, let isUTC): return .time(perSecond: unit, isUTC: isUTC)
    case .timestamp(let unit, _): return .timestamp(perSecond: unit)
    default: return nil
    }
  }

  /// The type of the column that holds the values.
  var columnType: ColumnType {
    if isFlat, let kind { return kind.columnType }
    // An element that may be null makes the list a JSON value.
    guard let element = listElement, element.kind != nil, element.repetition == .required else { return .json }
    switch element.kind?.columnType {
    case .text: return .list(.text)
    case .integer: return .list(.integer)
    default: return .json
    }
  }
}

/// The meaning of the values of a leaf.
enum ParquetValueKind: Sendable, Hashable {
  case boolean, signed, unsigned32, unsigned64, float, double, half, decimal(scale: Int)
  /// Days; units of a day or since 1970, each with the number of units per second.
  case date, time(unit: Int64, isUTC: Bool), timestamp(unit: Int64, isUTC: Bool), int96
  case text, json, bytes, uuid, interval

  fileprivate init(_ element: ThriftStructure, name: String) throws(ParquetFailure) {
    let physical = element.integer(1) ?? -1, length = element.integer(2) ?? 0
    guard (0...7).contains(physical) else { throw .damage("column \(name) has an unknown type") }
    if physical == 7 {
      guard length > 0, length <= 1 << 20 else { throw .damage("column \(name) has values of a wrong length") }
    }
    let logical = element.structure(10), converted = element.integer(6)
    func unit(_ time: ThriftStructure?) -> Int64 {
      switch time?.structure(2)?.member {
      case 1: 1000
      case 3: 1_000_000_000
      default: 1_000_000
      }
    }
    let isInteger = physical == 1 || physical == 2, isText = physical == 6 || physical == 7
    switch logical?.member {
    case 1 where isText, 4 where isText: self = .text
    case 5 where physical != 0 && physical != 3 && physical != 4 && physical != 5:
      self = .decimal(scale: logical?.structure(5)?.integer(1) ?? 0)
    case 6 where physical == 1: self = .date
    case 7 where isInteger:
      let time = logical?.structure(7)
      self = .time(unit: unit(time), isUTC: time?.boolean(1) ?? true)
    case 8 where physical == 2:
      let time = logical?.structure(8)
      self = .timestamp(unit: unit(time), isUTC: time?.boolean(1) ?? false)
    case 10 where isInteger:
      let integer = logical?.structure(10)
      self = integer?.boolean(2) ?? true ? .signed : physical == 1 ? .unsigned32 : .unsigned64
    case 12 where isText: self = .json
    case 14 where physical == 7 && length == 16: self = .uuid
    case 15 where physical == 7 && length == 2: self = .half
    default:
      switch converted {
      case 0 where isText, 4 where isText: self = .text
      case 5 where physical != 0 && physical != 3 && physical != 4 && physical != 5:
        self = .decimal(scale: element.integer(7) ?? 0)
      case 6 where physical == 1: self = .date
      case 7 where isInteger: self = .time(unit: 1000, isUTC: true)
      case 8 where isInteger: self = .time(unit: 1_000_000, isUTC: true)
      case 9 where physical == 2: self = .timestamp(unit: 1000, isUTC: true)
      case 10 where physical == 2: self = .timestamp(unit: 1_000_000, isUTC: true)
      case 11, 12, 13: self = isInteger ? .unsigned32 : .bytes
      case 14 where physical == 2: self = .unsigned64
      case 19 where isText: self = .json
      case 21 where physical == 7 && length == 12: self = .interval
      default:
        switch physical {
        case 0: self = .boolean
        case 1, 2: self = .signed
        case 3: self = .int96
        case 4: self = .float
        case 5: self = .double
        default: self = .bytes
        }
      }
    }
    // 256 bits have 76 digits.
    if case .decimal(let scale) = self, !(0...76).contains(scale) {
      throw .damage("column \(name) has a decimal scale out of range")
    }
  }

  /// The type of the column that holds the values.
  var columnType: ColumnType {
    switch self {
    case .boolean: .boolean
    case .signed, .unsigned32: .integer
    case .unsigned64, .decimal: .decimal
    case .float, .double, .half: .real
    case .date: .date
    case .timestamp(_, let isUTC): isUTC ? .timestamp : .datetime
    case .int96: .timestamp
    case .time, .text, .uuid, .interval: .text
    case .json: .json
    case .bytes: .bytes
    }
  }
}
