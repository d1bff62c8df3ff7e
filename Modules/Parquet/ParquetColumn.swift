import Codecs

/// One column of a Parquet file: the type of its values, and how the file describes it.
struct ParquetColumn: Sendable {
  /// The types of values that are written.
  enum Kind: Sendable, Hashable {
    case boolean, integer, real, text, json, bytes, date
    case milliseconds, microseconds, nanoseconds
    /// Times of day, by the number of units per second.
    case time(perSecond: Int64, isUTC: Bool)
    /// Integers without a sign, as the bits of those with one.
    case unsigned
    /// Integers of 8, 16 or 32 bits, reals of 32 bits, and decimals, in tables that have such columns.
    case narrow(bits: Int), float, decimal(precision: Int, scale: Int)

    /// Whether values have 16 bytes each, the highest first.
    var isWide: Bool { if case .decimal(let precision, _) = self { precision > 18 } else { false } }
    /// The unit of the integers of dates and timestamps; nil for other values.
    @inline(__always) var unit: EpochTime.Unit? {
      switch self {
      case .date: .days
      case .milliseconds: .milliseconds
      case .microseconds: .microseconds
      case .nanoseconds: .nanoseconds
      default: nil
      }
    }
  }

  /// The position of the column in the schema of the rows.
  let position: Int
  let name: String
  let kind: Kind
  /// Whether each value is a list of values of `kind`.
  let isList: Bool
  /// Whether text that a reader would write differently is refused.
  var isExact = true
  /// Whether the values are decimals, whose type was chosen for them.
  var areDecimals = false
  /// Whether times are without a zone.
  var areLocal = false

  /// The highest definition level: that of a value. For lists, 0 is null, 1 an empty list, and 2 a null element.
  var definitionLevel: UInt8 { isList ? 3 : 1 }
  var definitionBits: Int { isList ? 2 : 1 }
  var path: [String] { isList ? [name, "list", "element"] : [name] }

  /// The physical type, as in the format's enumeration `Type`.
  var physicalType: Int {
    switch kind {
    case .boolean: 0
    case .date, .narrow, .time(perSecond: 1000, _): 1
    case .float: 4
    case .decimal: kind.isWide ? 7 : 2
    case .integer, .milliseconds, .microseconds, .nanoseconds, .time, .unsigned: 2
    case .real: 5
    case .text, .json, .bytes: 6
    }
  }

  /// The form in which the values of a row group are kept until they are encoded.
  enum Storage { case integers, reals, runs }
  var storage: Storage {
    switch kind {
    case .real, .float: .reals
    case .text, .json, .bytes: .runs
    default: kind.isWide ? .runs : .integers
    }
  }
  /// Whether values that repeat can be kept once.
  var mayHaveDictionary: Bool { kind != .boolean && !kind.isWide }
  /// Whether values in ascending order are stored as differences.
  var mayHaveDifferences: Bool { kind == .integer || kind == .microseconds || kind == .milliseconds }

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
      if kind.isWide { $0.integer32(2, 16) }
      $0.integer32(3, 1)
      $0.string(4, name)
      switch kind {
      case .boolean, .real, .float, .bytes: break
      case .narrow(let bits):
        $0.integer32(6, bits == 8 ? 15 : bits == 16 ? 16 : 17)
        $0.structure(10) {
          $0.structure(10) {
            $0.byte(1, UInt8(bits))
            $0.boolean(2, true)
          }
        }
      case .decimal(let precision, let scale):
        $0.integer32(6, 5)
        $0.integer32(7, scale)
        $0.integer32(8, precision)
        $0.structure(10) {
          $0.structure(5) {
            $0.integer32(1, scale)
            $0.integer32(2, precision)
          }
        }
      case .time(let unit, let isUTC):
        if isUTC, unit <= 1_000_000 { $0.integer32(6, unit == 1000 ? 7 : 8) }
        $0.structure(10) {
          $0.structure(7) {
            $0.boolean(1, isUTC)
            $0.structure(2) { $0.structure(unit == 1000 ? 1 : unit == 1_000_000 ? 2 : 3) { _ in } }
          }
        }
      case .integer, .unsigned:
        let isSigned = kind == .integer
        $0.integer32(6, isSigned ? 18 : 14)
        $0.structure(10) {
          $0.structure(10) {
            $0.byte(1, 64)
            $0.boolean(2, isSigned)
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
      case .milliseconds, .microseconds, .nanoseconds:
        let isMilliseconds = kind == .milliseconds, isNanoseconds = kind == .nanoseconds
        if !areLocal, !isNanoseconds { $0.integer32(6, isMilliseconds ? 9 : 10) }
        $0.structure(10) {
          $0.structure(8) {
            $0.boolean(1, !areLocal)
            $0.structure(2) { $0.structure(isMilliseconds ? 1 : isNanoseconds ? 3 : 2) { _ in } }
          }
        }
      }
    }
  }
}
