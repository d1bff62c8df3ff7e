import Rows

extension ColumnType {
  /// The canonical form of JSON text for a list or JSON column; nil when it is none or does not fit the type.
  package func canonicalJSON(_ text: [UInt8]) -> [UInt8]? {
    guard let value = try? JSON.parse(text, name: "") else { return nil }
    if case .list(let element) = self {
      guard let elements = value.arrayValue else { return nil }
      guard elements.allSatisfy({ element == .integer ? $0.integerValue != nil : $0.stringBytes != nil }) else {
        return nil
      }
    }
    return value.canonicalBytes
  }
}
