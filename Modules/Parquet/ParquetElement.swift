/// An element of a Parquet schema for nested records. Everything but the keys of maps may be null.
public indirect enum ParquetElement: Sendable, Hashable {
  case text, integer, shortInteger, boolean
  case texts
  /// Texts by text.
  case map
  case structure([Field])

  /// A named element.
  public struct Field: Sendable, Hashable {
    /// The name in the schema, and in records.
    let name: String
    let element: ParquetElement

    /// A field.
    public init(_ name: String, _ element: ParquetElement) { (self.name, self.element) = (name, element) }
  }
}

extension ParquetElement {
  /// A column of values: its path, and the greatest levels of its values.
  struct Leaf {
    let path: [String]
    /// A number of the format's enumeration `Type`.
    let physicalType: Int
    let definition: Int, repetition: Int
  }

  /// The leaves of an optional element called `name`, which is defined from level `depth` + 1 on.
  func leaves(_ name: String, _ path: [String], depth: Int) -> [Leaf] {
    let path = path + [name], depth = depth + 1
    switch self {
    case .text: return [Leaf(path: path, physicalType: 6, definition: depth, repetition: 0)]
    case .integer: return [Leaf(path: path, physicalType: 2, definition: depth, repetition: 0)]
    case .shortInteger: return [Leaf(path: path, physicalType: 1, definition: depth, repetition: 0)]
    case .boolean: return [Leaf(path: path, physicalType: 0, definition: depth, repetition: 0)]
    case .texts: return [Leaf(path: path + ["list", "element"], physicalType: 6, definition: depth + 2, repetition: 1)]
    case .map:
      let entry = path + ["key_value"]
      return [
        Leaf(path: entry + ["key"], physicalType: 6, definition: depth + 1, repetition: 1),
        Leaf(path: entry + ["value"], physicalType: 6, definition: depth + 2, repetition: 1),
      ]
    case .structure(let fields): return fields.flatMap { $0.element.leaves($0.name, path, depth: depth) }
    }
  }

  /// The number of elements of the schema.
  var count: Int {
    switch self {
    case .text, .integer, .shortInteger, .boolean: 1
    case .texts: 3
    case .map: 4
    case .structure(let fields): fields.reduce(1) { $0 + $1.element.count }
    }
  }

  func describe(_ name: String, _ thrift: inout ThriftWriter) {
    switch self {
    case .text: Self.leaf(name, 6, isText: true, &thrift)
    case .integer: Self.leaf(name, 2, &thrift)
    case .shortInteger: Self.leaf(name, 1, &thrift)
    case .boolean: Self.leaf(name, 0, &thrift)
    case .texts:
      Self.group(name, children: 1, converted: 3, logical: 3, &thrift)
      Self.group("list", children: 1, repetition: 2, &thrift)
      Self.leaf("element", 6, isText: true, &thrift)
    case .map:
      Self.group(name, children: 1, converted: 1, logical: 2, &thrift)
      Self.group("key_value", children: 2, repetition: 2, &thrift)
      Self.leaf("key", 6, isText: true, isOptional: false, &thrift)
      Self.leaf("value", 6, isText: true, &thrift)
    case .structure(let fields):
      Self.group(name, children: fields.count, &thrift)
      for field in fields { field.element.describe(field.name, &thrift) }
    }
  }

  private static func leaf(
    _ name: String, _ type: Int, isText: Bool = false, isOptional: Bool = true, _ thrift: inout ThriftWriter
  ) {
    thrift.element {
      $0.integer32(1, type)
      $0.integer32(3, isOptional ? 1 : 0)
      $0.string(4, name)
      if isText {
        $0.integer32(6, 0)
        $0.structure(10) { $0.structure(1) { _ in } }
      }
    }
  }

  private static func group(
    _ name: String, children: Int, repetition: Int = 1, converted: Int? = nil, logical: Int? = nil,
    _ thrift: inout ThriftWriter
  ) {
    thrift.element {
      $0.integer32(3, repetition)
      $0.string(4, name)
      $0.integer32(5, children)
      if let converted { $0.integer32(6, converted) }
      if let logical { $0.structure(10) { $0.structure(logical) { _ in } } }
    }
  }
}
