import Codecs
import Rows

/// A grouping made ready for a schema.
struct GroupPlan: Sendable {
  /// The columns of the results: those of the groups, then the aggregates.
  let schema: Schema
  /// Positions of the columns that rows of a group have in common.
  let columns: [Int]
  /// Whether each of them has timestamps, which are compared as times.
  let areTimes: [Bool]
  let aggregates: [Computed]
  /// Set if the elements of a column, a list, are groups: its place in `columns`.
  let splits: (place: Int, element: ColumnType.Element)?
  /// The order of the groups.
  let order: SortOrder

  struct Computed: Sendable {
    let function: Aggregate.Function
    let column: Int?
    let name: String
    let type: ColumnType
    var part = 0.5

    func state() -> any AggregateState {
      guard let column else { return CountState(column: nil) }
      switch function {
      // Distinct values are groups, which are counted later; so are those of quantiles.
      case .count, .distinct, .median, .quantile: return CountState(column: column)
      case .stddev: return NumbersState(column: column)
      case .first, .last:
        return ExtremeState(column: column, isGreatest: function == .last, areTimes: false, byOrder: true)
      case .min, .max:
        return ExtremeState(column: column, isGreatest: function == .max, areTimes: type.isTime)
      case .sum, .avg: return SumState(column: column, named: name, result: type, isMean: function == .avg)
      }
    }
  }

  /// - Parameter position: finds a column.
  /// - Throws: `usage` for an unknown column, a function that does not apply, or two results of one name.
  init(
    _ grouping: Grouping, of input: Schema, position: (String) throws(Problem) -> Int
  ) throws(Problem) {
    var results: [ColumnDescription] = [], columns: [Int] = [], aggregates: [Computed] = []
    var splits: (place: Int, element: ColumnType.Element)?
    for name in grouping.columns {
      let column = try position(name), description = input.columns[column]
      columns.append(column)
      var type = description.type
      if grouping.splitsLists, case .list(let element) = type {
        if splits != nil {
          throw Problem(.usage, "only one of the columns to count by can be a list", hint: "name one list at a time")
        }
        splits = (columns.count - 1, element)
        type = element == .integer ? .integer : element == .url ? .url : .text
      }
      results.append(
        ColumnDescription(description.name, type, description.summary, unit: description.unit)
          .spelled(description.spelling))
    }
    for aggregate in grouping.aggregates {
      var column: Int?
      if let name = aggregate.column { column = try position(name) }
      results.append(try aggregate.result(of: column.map { input.columns[$0] }))
      aggregates.append(
        Computed(
          function: aggregate.function, column: column, name: aggregate.name,
          type: column.map { input.columns[$0].type } ?? .integer, part: aggregate.part))
    }
    for (place, column) in results.enumerated() where results[..<place].has(column.name) {
      throw Problem(
        .usage, "duplicate column \(column.name) in the result of grouping",
        hint: .set(.aggregates, to: "\(column.name) as n", for: "rename it"))
    }
    schema = Schema(input.name, input.summary, columns: results)
    self.columns = columns
    areTimes = columns.map { input.columns[$0].type.isTime }
    self.aggregates = aggregates
    self.splits = splits
    order = SortOrder(columns.indices.map { SortOrder.Key(column: $0, isDescending: false) }, schema)
  }

  private init(_ plan: GroupPlan, _ schema: Schema, _ columns: [Int], _ areTimes: [Bool], _ aggregates: [Computed]) {
    (self.schema, self.columns, self.areTimes, self.aggregates) = (schema, columns, areTimes, aggregates)
    splits = plan.splits
    order = SortOrder(columns.indices.map { SortOrder.Key(column: $0, isDescending: false) }, schema)
  }

  /// The same groups with some of the aggregates, and the numbers of values of columns; if there are neither columns
  /// nor aggregates, with a count.
  func keeping(_ kept: [Int], counting counted: [Int] = []) -> GroupPlan {
    var more: [Int?] = counted
    if columns.isEmpty, kept.isEmpty, counted.isEmpty { more = [nil] }
    let counts = more.enumerated().map { (number, column) in
      Computed(function: .count, column: column, name: "\u{1F}count \(number)", type: .integer)
    }
    let results = Array(columns.indices) + kept.map { columns.count + $0 }
    let all = results.map { schema.columns[$0] } + counts.map { ColumnDescription($0.name, .integer) }
    return GroupPlan(
      self, Schema(schema.name, columns: all), columns, areTimes, kept.map { aggregates[$0] } + counts)
  }

  /// The values of a column in each group as groups of their own, with their numbers if they count.
  func adding(_ column: Int, _ description: ColumnDescription, counts: Bool) -> GroupPlan {
    let value = ColumnDescription("\u{1F}\(description.name)", description.type)
    let count = counts ? [Computed(function: .count, column: nil, name: "\u{1F}count", type: .integer)] : []
    let all = Array(schema.columns.prefix(columns.count)) + [value] + count.map { ColumnDescription($0.name, .integer) }
    return GroupPlan(
      self, Schema(schema.name, columns: all), columns + [column], areTimes + [description.type.isTime], count)
  }

  /// Whether each row is in one group, that of the value of one column as it is written.
  var isOneValue: Bool { columns.count == 1 && splits == nil && !areTimes[0] }

  /// Whether only rows are counted, all of them.
  var isRowCount: Bool { columns.isEmpty && aggregates.allSatisfy { $0.function == .count && $0.column == nil } }

  /// The number of cells of a group before it is merged: its values, the place of its first row in the input, and the
  /// states of the aggregates.
  var partialWidth: Int { aggregates.reduce(columns.count + 1) { $0 + $1.function.partialWidth } }

  /// Puts the key of a row: several if its list is split, none if that is empty.
  @inline(__always) func putKeys(of row: Int, _ reader: CellReader, _ keys: inout KeyBuffer) {
    if let splits, case .json(let start, let length) = reader.cell(row, columns[splits.place]) {
      return unsafe putElements(of: reader.bytes(start, length), row, splits.place, reader, &keys)
    }
    for place in columns.indices { put(place, row, reader, &keys) }
    keys.finishKey()
  }

  private func putElements(
    of list: UnsafeRawBufferPointer, _ row: Int, _ place: Int, _ rows: CellReader, _ keys: inout KeyBuffer
  ) {
    var elements: [[UInt8]] = []
    _ = unsafe ListText.first(in: list) { bytes in
      // As in the order of the groups, zero has no sign.
      let bytes = splits?.element == .integer && bytes == Array("-0".utf8) ? [48] : bytes
      if !elements.contains(bytes) { elements.append(bytes) }
      return false
    }
    for bytes in elements {
      for place in 0..<place { put(place, row, rows, &keys) }
      unsafe bytes.withUnsafeBufferPointer { bytes in
        let reader = unsafe CellReader(bytes: bytes.baseAddress), length = UInt32(bytes.count)
        keys.put(.text(0, length), reader)
      }
      for place in (place + 1)..<columns.count { put(place, row, rows, &keys) }
      keys.finishKey()
    }
  }

  /// Puts the value of one of the columns.
  @inline(__always) private func put(_ place: Int, _ row: Int, _ reader: CellReader, _ keys: inout KeyBuffer) {
    let cell = reader.cell(row, columns[place])
    keys.put(areTimes[place] ? reader.time(cell) : cell, reader)
  }

  /// The numbers and times of a row's key as they are written: the key has only their values.
  @inline(__always) func spell(_ row: Int, _ reader: CellReader, _ spelling: inout [UInt8]) {
    spelling.removeAll(keepingCapacity: true)
    for place in columns.indices {
      switch reader.cell(row, columns[place]) {
      case .text(let start, let length) where areTimes[place], .number(let start, let length):
        spelling.append(Spelling.literal)
        unsafe withUnsafeBytes(of: length) { unsafe spelling.append(contentsOf: $0) }
        unsafe spelling.append(contentsOf: reader.bytes(start, length))
      case .integer(let value):
        spelling.append(Spelling.integer)
        unsafe withUnsafeBytes(of: value) { unsafe spelling.append(contentsOf: $0) }
      case .real(let value):
        spelling.append(Spelling.real)
        unsafe withUnsafeBytes(of: value) { unsafe spelling.append(contentsOf: $0) }
      case .null, .text, .json, .bytes, .boolean: break
      }
    }
  }
  private enum Spelling {
    static let literal: UInt8 = 0, integer: UInt8 = 1, real: UInt8 = 2
  }

  /// Appends the values of a group from its key and the spelling of its numbers and times.
  func append(_ key: UnsafeRawBufferPointer, _ spelling: UnsafeRawBufferPointer, to builder: inout RowBatchBuilder) {
    var at = 0, spelt = 0
    for place in columns.indices {
      let kind = unsafe key[at]
      at += 1
      switch kind {
      case KeyBuffer.Kind.boolean:
        builder.append(boolean: unsafe key[at] != 0)
        at += 1
      case KeyBuffer.Kind.text, KeyBuffer.Kind.json, KeyBuffer.Kind.bytes:
        let value = unsafe RawSpan(_unsafeBytes: Self.range(key, &at))
        if kind == KeyBuffer.Kind.text, areTimes[place] {
          unsafe appendSpelling(spelling, &spelt, isTime: true, to: &builder)
        } else if kind == KeyBuffer.Kind.text {
          // Elements are kept as they are written.
          if let splits, splits.place == place, splits.element == .integer {
            builder.append(number: value)
          } else {
            builder.append(text: value)
          }
        } else if kind == KeyBuffer.Kind.json {
          builder.append(json: value)
        } else {
          builder.append(bytes: value)
        }
      case KeyBuffer.Kind.number, KeyBuffer.Kind.longNumber:
        if kind == KeyBuffer.Kind.number { at += 8 } else { _ = unsafe Self.range(key, &at) }
        unsafe appendSpelling(spelling, &spelt, isTime: false, to: &builder)
      default: builder.appendNull()
      }
    }
  }

  /// Appends a number or a time as it is written.
  private func appendSpelling(
    _ spelling: UnsafeRawBufferPointer, _ at: inout Int, isTime: Bool, to builder: inout RowBatchBuilder
  ) {
    let kind = unsafe spelling[at]
    at += 1
    switch kind {
    case Spelling.integer:
      builder.append(integer: unsafe spelling.loadUnaligned(fromByteOffset: at, as: Int64.self))
      at += 8
    case Spelling.real:
      builder.append(real: unsafe spelling.loadUnaligned(fromByteOffset: at, as: Double.self))
      at += 8
    default:
      let literal = unsafe RawSpan(_unsafeBytes: Self.range(spelling, &at))
      if isTime { builder.append(text: literal) } else { builder.append(number: literal) }
    }
  }

  /// The bytes that follow their length.
  private static func range(_ raw: UnsafeRawBufferPointer, _ at: inout Int) -> UnsafeRawBufferPointer {
    let length = unsafe Int(raw.loadUnaligned(fromByteOffset: at, as: UInt32.self)), start = at + 4
    at = start + length
    return unsafe UnsafeRawBufferPointer(rebasing: raw[start..<at])
  }
}
