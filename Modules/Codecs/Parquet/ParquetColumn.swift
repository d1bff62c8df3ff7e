import Rows

/// One column of a Parquet file: the type of its values, and how the file describes it.
struct ParquetColumn: Sendable {
  /// The types of values that are written.
  enum Kind: Sendable, Hashable {
    case boolean, integer, real, text, json, bytes, date
    /// Instants as thousandths or millionths of a second.
    case milliseconds, microseconds
  }

  /// The position of the column in the schema of the rows.
  let position: Int
  let name: String
  let kind: Kind
  /// Whether each value is a list of values of `kind`.
  let isList: Bool
  /// Whether text that a reader would write differently is refused.
  var isExact = true

  /// The highest definition level: that of a value. For lists, 0 is null, 1 an empty list; 2, a null element, does not
  /// occur.
  var definitionLevel: UInt8 { isList ? 3 : 1 }
  /// The bits of a definition level.
  var definitionBits: Int { isList ? 2 : 1 }
  /// The names from the column to its values.
  var path: [String] { isList ? [name, "list", "element"] : [name] }

  /// The physical type, as in the format's enumeration `Type`.
  var physicalType: Int {
    switch kind {
    case .boolean: 0
    case .date: 1
    case .integer, .milliseconds, .microseconds: 2
    case .real: 5
    case .text, .json, .bytes: 6
    }
  }

  /// The number of elements that describe the column in the footer's schema.
  var elementCount: Int { isList ? 3 : 1 }

  /// Writes the elements of the footer's schema.
  func describe(_ thrift: inout ThriftWriter) {
    guard isList else { return describeValue(name, &thrift) }
    thrift.element {
      $0.integer32(3, 1)
      $0.string(4, name)
      $0.integer32(5, 1)
      $0.integer32(6, 3)
      $0.structure(10) { $0.structure(3) { _ in } }
    }
    thrift.element {
      $0.integer32(3, 2)
      $0.string(4, "list")
      $0.integer32(5, 1)
    }
    describeValue("element", &thrift)
  }

  private func describeValue(_ name: String, _ thrift: inout ThriftWriter) {
    thrift.element {
      $0.integer32(1, physicalType)
      $0.integer32(3, 1)
      $0.string(4, name)
      switch kind {
      case .boolean, .real, .bytes: break
      case .integer:
        $0.integer32(6, 18)
        $0.structure(10) {
          $0.structure(10) {
            $0.byte(1, 64)
            $0.boolean(2, true)
          }
        }
      case .text:
        $0.integer32(6, 0)
        $0.structure(10) { $0.structure(1) { _ in } }
      case .json:
        $0.integer32(6, 19)
        $0.structure(10) { $0.structure(12) { _ in } }
      case .date:
        $0.integer32(6, 6)
        $0.structure(10) { $0.structure(6) { _ in } }
      case .milliseconds, .microseconds:
        let isMilliseconds = kind == .milliseconds
        $0.integer32(6, isMilliseconds ? 9 : 10)
        $0.structure(10) {
          $0.structure(8) {
            $0.boolean(1, true)
            $0.structure(2) { $0.structure(isMilliseconds ? 1 : 2) { _ in } }
          }
        }
      }
    }
  }
}
