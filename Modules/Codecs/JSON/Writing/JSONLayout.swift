internal import CMasks
import Rows

/// Which keys the records have, and where each value goes. Shared by all who parse pieces of a document.
struct JSONLayout: Sendable {
  struct Column: Sendable {
    let name: String
    let type: ColumnType
    let isNullable: Bool
    /// The position in the row; nil if the value is not needed (it is checked all the same).
    let slot: Int?
    /// Whether the type was found by looking at values, so that it may not be the last word.
    let isInferred: Bool
    /// Whether the user gave the type, which then holds for texts too.
    let isGiven: Bool
    let spelling: ValueSpelling
    /// Whether numbers are rounded to Doubles.
    let isRounded: Bool
    /// `"key":` begins here in `keyText`.
    let keyStart: Int
    /// Bytes of `"key":`.
    let keyCount: Int
  }

  /// The keys in the order they are expected.
  let columns: [Column]
  let width: Int
  /// Every `"key":` without escapes, and room for a register after the last.
  let keyText: [UInt8]
  /// The most bytes a value may have.
  let maximumField: Int
  /// Whether unknown keys are skipped; otherwise they are errors.
  let ignoresOtherKeys: Bool
  /// Positions in `columns` by key.
  private let positions: [[UInt8]: Int]

  /// A layout for all columns of `schema`, of which only those at `wanted` go into the rows, in that order.
  init(
    _ schema: Schema, wanted: [Int], inferred: Set<Int>, maximumField: Int, ignoresOtherKeys: Bool,
    types: ColumnTypes = [:]
  ) {
    var text: [UInt8] = []
    var positions: [[UInt8]: Int] = [:]
    columns = schema.columns.enumerated().map { position, column in
      let start = text.count
      text += JSON.string(column.name).canonicalBytes
      text.append(UInt8(ascii: ":"))
      positions[Array(column.name.utf8)] = position
      // A column that is not needed accepts any value.
      let slot = wanted.firstIndex(of: position)
      return Column(
        name: column.name, type: slot == nil ? .json : column.type, isNullable: slot == nil || column.isNullable,
        slot: slot, isInferred: inferred.contains(position), isGiven: types[column.name] != nil,
        spelling: column.spelling, isRounded: types.isRounded(column.name),
        keyStart: start, keyCount: text.count - start)
    }
    keyText = text + [UInt8](repeating: 0, count: 64)
    width = wanted.count
    self.positions = positions
    self.maximumField = maximumField
    self.ignoresOtherKeys = ignoresOtherKeys
  }

  /// The column called `key`.
  func position(of key: [UInt8]) -> Int? { positions[key] }
}
