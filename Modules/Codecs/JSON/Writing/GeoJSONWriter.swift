public import Rows

/// Places as GeoJSON (RFC 7946): a collection with one feature per line, each a point, or the shape in the column
/// `geometry`, with the other columns as properties.
public struct GeoJSONWriter: Sendable {
  private let schema: Schema
  /// Nil for a table that has only shapes.
  private let places: PlaceColumns?
  /// The position of the shapes; nil if there are none.
  private let shape: Int?
  /// The columns that are properties, each with its name as the member of an object.
  private let properties: [(column: Int, name: [UInt8])]

  /// A writer of rows of `schema`.
  /// - Throws: `usage` for a table without coordinates.
  public init(_ schema: Schema) throws(Problem) {
    self.schema = schema
    shape = schema.columns.firstIndex { $0.name == "geometry" && $0.type == .json }
    let hasPoints = shape == nil || schema.columns.contains { ["latitude", "lat"].contains($0.name.lowercased()) }
    let places = hasPoints ? try PlaceColumns(schema, format: "geojson") : nil
    self.places = places
    properties = schema.columns.indices.filter { ![places?.latitude, places?.longitude, places?.extra].contains($0) }
      .map { ($0, Self.member(schema.columns[$0].name)) }
  }

  /// Writes the text before the first place.
  public func begin(_ out: inout ByteBuffer) { out.append("{\"type\":\"FeatureCollection\",\"features\":[") }

  /// Writes the text after the last place.
  public func finish(isEmpty: Bool, _ out: inout ByteBuffer) { out.append(isEmpty ? "]}\n" as StaticString : "\n]}\n") }

  /// The comma between features.
  public var separator: StaticString { "," }

  /// Writes the rows of a batch. A row without coordinates has no geometry.
  /// - Throws: `badData` for coordinates that are none, or a number that is not finite.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) {
    for row in 0..<batch.count {
      if row > 0 { out.append(separator) }
      out.append("\n{\"type\":\"Feature\",\"geometry\":")
      let latitude = try places?.coordinate(batch, row, places?.latitude ?? 0, limit: 90, schema)
      let longitude = try places?.coordinate(batch, row, places?.longitude ?? 0, limit: 180, schema)
      var foreign = ForeignMembers(batch, row, places?.extra), omitted = shape
      if let latitude, let longitude {
        out.append("{\"type\":\"Point\",\"coordinates\":[")
        out.append(bytes: longitude)
        out.append(",")
        out.append(bytes: latitude)
        foreign.take(ForeignMembers.elevation) { value in
          guard let literal = value.numberLiteral else { return false }
          out.append(",")
          out.append(bytes: literal)
          return true
        }
        out.append("]}")
        if let shape, !batch[row, shape].isNull { omitted = nil }
      } else if let shape, case .json(let start, let length) = batch[row, shape] {
        out.append(bytes: batch.bytes(start, length))
      } else {
        out.append("null")
      }
      out.append(",\"properties\":{")
      var isFirstProperty = true
      func begin(_ property: [UInt8]) {
        if !isFirstProperty { out.append(",") }
        isFirstProperty = false
        out.append(bytes: property)
      }
      for (column, name) in properties where column != omitted {
        begin(name)
        if case .real(let value) = batch[row, column], !value.isFinite {
          throw NonfinitePolicy.problem(value, column: schema.columns[column].name, record: row, format: "GeoJSON")
        }
        out.append(jsonOf: batch[row, column], batch.arena)
      }
      foreign.take("properties") { value in
        guard let members = value.objectMembers, !members.contains(where: { schema.columns.has($0.name) }) else {
          return false
        }
        for member in members {
          begin(Self.member(member.name))
          out.append(bytes: member.value.canonicalBytes)
        }
        return true
      }
      if let rest = foreign.text {
        begin(Self.member(ForeignMembers.column))
        out.append(bytes: rest)
      }
      out.append("}}")
    }
  }

  /// A name in JSON, with the colon before the value of the member.
  private static func member(_ name: String) -> [UInt8] {
    var out = ByteBuffer(capacity: 64)
    out.append(jsonString: name)
    out.append(":")
    return out.bytes()
  }
}
