import Codecs
public import Rows

/// Columns in which a record and the character that it names agree, to tell characters of one name apart.
public struct NameAgreement: Sendable {
  private let pairs: [(own: Int, other: Int)]
  /// Whether a single character of the name must agree as well.
  private let isRequired: Bool

  /// The columns that tell characters apart if a description names none: that of the production.
  static let usual = ["production"]

  /// - `columns`: the names of columns, in singular or plural; nil for the usual ones.
  /// - `schema`: of the records.
  /// - `isSame`: whether the records are the characters themselves.
  public init(_ columns: [String]?, of schema: Schema, with names: NameIndex, isSame: Bool) {
    if isSame {
      let key = schema.key.map { schema.columns[$0].name }
      pairs = zip(schema.key, key).compactMap { own, name in names.schema.position(of: name).map { (own, $0) } }
      isRequired = false
      return
    }
    func position(_ name: String, _ schema: Schema) -> Int? {
      schema.position(of: name) ?? schema.position(of: name + "s")
    }
    pairs = (columns ?? Self.usual).compactMap { name in
      guard let own = position(name, schema), let other = position(name, names.schema) else { return nil }
      return (own, other)
    }
    isRequired = columns != nil
  }

  /// Those of the characters at `positions` that agree with a row; all of them if no column tells.
  public func chosen(_ positions: [Int], _ names: NameIndex, for value: (Int) -> Value) -> [Int] {
    guard !pairs.isEmpty, positions.count > 1 || isRequired else { return positions }
    return positions.filter { position in
      pairs.allSatisfy { own, other in
        let own = Self.texts(value(own)), other = Self.texts(names.value(position, other))
        // An unknown value contradicts none.
        return own.isEmpty || other.isEmpty || own.contains(where: other.contains)
      }
    }
  }

  /// A value as text, or those of a list.
  private static func texts(_ value: Value) -> [[UInt8]] {
    guard value != .null else { return [] }
    if case .json(let bytes) = value, let elements = (try? JSON.parse(bytes, name: ""))?.arrayValue {
      return elements.map { $0.stringBytes ?? $0.canonicalBytes }
    }
    return [value.plainText]
  }
}
