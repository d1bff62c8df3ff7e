import Codecs
package import Rows
import Synchronization

/// The types of values within JSON, which no schema tells: of members, of elements, and of what is calculated from
/// them. As in a JSON file, the first values show them, and a later one that does not fit makes the rows begin again.
final class LooseTypes: Sendable {
  private struct State {
    var kinds: [Assigned: ValueKinds] = [:]
    var pending: Pending?
    var isContradicted = false
  }
  private let state = Mutex(State())

  /// Rows, and the calculation whose results show a type.
  private struct Pending: Sendable {
    let column: Assigned
    let rows: any RowStream
    let values: @Sendable (CellReader, Int, ExpressionContext) throws(Problem) -> [ExpressionValue]
  }

  /// Whether a type was needed that is not known yet.
  var isPending: Bool { state.withLock { $0.pending != nil } }

  /// Whether a value did not fit since the last call.
  func takeContradiction() -> Bool {
    state.withLock { state in
      defer { state.isContradicted = false }
      return state.isContradicted
    }
  }

  /// The type of a column; that of any value as long as it is not known.
  /// - Parameter values: the values of a row of `rows`.
  func type(
    of column: Assigned, in rows: any RowStream,
    _ values: @escaping @Sendable (CellReader, Int, ExpressionContext) throws(Problem) -> [ExpressionValue]
  ) -> LooseType {
    state.withLock { state in
      if let kinds = state.kinds[column] { return LooseType(column, kinds, self) }
      if state.pending == nil { state.pending = Pending(column: column, rows: rows, values: values) }
      return LooseType(column, .nested, self)
    }
  }

  private func forgetPending() { state.withLock { $0.pending = nil } }

  /// Finds the type that is pending.
  private func find() async {
    guard let pending = state.withLock({ $0.pending }) else { return }
    var kinds: ValueKinds = []
    let context = ExpressionContext(today: "", now: "")
    // What cannot be calculated is reported when the rows are made.
    do throws(Problem) {
      while kinds.isEmpty, let batch = try await pending.rows.next()?.batch() {
        let reader = CellReader(batch)
        for row in 0..<batch.count {
          for value in try pending.values(reader, row, context) { kinds.formUnion(ValueKinds(value)) }
        }
      }
    } catch {}
    add(kinds, to: pending.column)
  }

  /// The rows that `make` returns for a stream, with the types that its first values show.
  func settling(
    _ stream: any RowStream, _ make: (any RowStream) throws(Problem) -> any RowStream
  ) async throws(Problem) -> any RowStream {
    do throws(Problem) {
      let rows = try make(stream)
      if !isPending { return rows }
    } catch {
      if !isPending { throw error }
    }
    let peeked = try await PeekedRows(stream)
    var searchesAll = false
    while true {
      // A type may be that of a column without values in the first rows: the others show it.
      let all = searchesAll ? try await stream.reopened() : nil
      forgetPending()
      do throws(Problem) {
        _ = try make(all ?? peeked.beginning)
        if !isPending { return try make(peeked) }
      } catch {
        if !isPending {
          guard !searchesAll, forgetEmpty() else { throw error }
          searchesAll = true
        }
      }
      await find()
    }
  }

  /// Forgets the columns without a value so far; tells whether there are some.
  private func forgetEmpty() -> Bool {
    state.withLock { state in
      let count = state.kinds.count
      state.kinds = state.kinds.filter { !$0.value.isEmpty }
      return state.kinds.count < count
    }
  }

  private func add(_ kinds: ValueKinds, to column: Assigned) {
    state.withLock { $0.kinds[column, default: []].formUnion(kinds) }
  }

  fileprivate func contradict(_ column: Assigned, _ kinds: ValueKinds) {
    add(kinds, to: column)
    state.withLock { $0.isContradicted = true }
  }
}

/// The type of a column that its values show.
struct LooseType: Sendable {
  let type: ColumnType
  private let column: Assigned
  private let kinds: ValueKinds
  private let types: LooseTypes

  fileprivate init(_ column: Assigned, _ kinds: ValueKinds, _ types: LooseTypes) {
    (self.column, self.kinds, self.types) = (column, kinds, types)
    type = kinds.type(else: .json)
  }

  /// Whether a value has the type.
  @inline(__always) func includes(_ value: ExpressionValue) -> Bool {
    switch (type, value) {
    case (_, .null), (.json, _), (.decimal, .number), (.boolean, .boolean): return true
    case (.integer, .number(let number)) where number.scale == 0 && number.integer != nil: return true
    case (.text, .text) where kinds.isText: return true
    default: return kinds.union(ValueKinds(value)).type(else: .json) == type
    }
  }

  /// The problem of a value that has another type; all rows once more resolve it if they can be read again.
  func problem(_ value: ExpressionValue, _ name: String) -> Problem {
    types.contradict(column, ValueKinds(value))
    return Problem(
      .badData, "column “\(name)”: “\(String(value.string.prefix(100)))” is not \(type.name), as earlier values are",
      hint: "calculate cast(… as text), or read a file instead of a pipe")
  }
}

/// Rows that can be read again when a value within JSON does not have the type of earlier ones.
struct RetypedRows: DerivedRowStream {
  let inner: any RowStream
  let types: LooseTypes
  var schema: Schema { inner.schema }
  var mayWiden: Bool { true }

  func next() async throws(Problem) -> BatchTask? { try await inner.next() }
  func reopened() async throws(Problem) -> (any RowStream)? {
    try await inner.reopened().map { RetypedRows(inner: $0, types: types) }
  }
  func widened() async throws(Problem) -> (any RowStream)? {
    if types.takeContradiction() { return try await reopened() }
    return try await inner.widened().map { RetypedRows(inner: $0, types: types) }
  }
}

/// Rows with columns for members, which begin again if one is not of the type that earlier rows show.
package struct MemberRows: DerivedRowStream {
  package let inner: any RowStream
  private let plain: any RowStream
  private let selection: Selection
  private let scratch: any ScratchSpace
  package var schema: Schema { inner.schema }
  package var mayWiden: Bool { plain.mayWiden }

  /// Adds a column to rows for each of some names that is one of a member.
  package static func adding(
    _ names: [String], to rows: any RowStream, _ scratch: any ScratchSpace, _ types: ColumnTypes = ColumnTypes()
  ) async throws(Problem) -> any RowStream {
    let selection = Selection(makingColumnsOf: names, in: rows.schema, types)
    if selection.steps.assigned.isEmpty { return rows }
    return try await MemberRows(try await selection.retyping(rows), selection, scratch)
  }
  private init(_ plain: any RowStream, _ selection: Selection, _ scratch: any ScratchSpace) async throws(Problem) {
    (self.plain, self.selection, self.scratch) = (plain, selection, scratch)
    inner = try await selection.applied(to: plain, scratch: scratch)
  }

  package func next() async throws(Problem) -> BatchTask? { try await inner.next() }
  package func widened() async throws(Problem) -> (any RowStream)? {
    guard let wider = try await plain.widened() else { return nil }
    return try await MemberRows(wider, selection, scratch)
  }
}

/// Rows of which the first batch was read before.
package struct PeekedRows: DerivedRowStream {
  package let inner: any RowStream
  private let first: RowBatch?
  private let rest: BufferedRows
  package let schema: Schema

  /// Reads the first batch.
  /// - Parameter schema: the columns, if they are described in another way.
  package init(_ inner: any RowStream, _ schema: Schema? = nil) async throws(Problem) {
    (self.inner, self.schema) = (inner, schema ?? inner.schema)
    first = try await inner.next()?.batch()
    rest = BufferedRows(schema: inner.schema, batches: first.map { [$0] } ?? [])
  }

  /// The first batch alone.
  var beginning: BufferedRows { BufferedRows(schema: schema, batches: first.map { [$0] } ?? []) }
  package var mayWiden: Bool { inner.mayWiden }
  package func widened() async throws(Problem) -> (any RowStream)? { try await inner.widened() }
  package func next() async throws(Problem) -> BatchTask? {
    if let task = try await rest.next() { return task }
    return try await inner.next()
  }
}

extension ValueKinds {
  /// The kind of a value within JSON.
  fileprivate init(_ value: ExpressionValue) {
    switch value {
    case .null: self = []
    case .boolean: self = .lowerWord
    case .real: self = .real
    case .bytes: self = .text
    case .number(let number):
      self = number.scale == 0 && number.integer != nil ? .integer : Self(number.literal) == .real ? .real : .decimal
    case .text(let text):
      // A text that looks like a number or a Boolean is text, as its author chose.
      let kind: Self = text.count >= 7 && text[4] == UInt8(ascii: "-") ? Self(text) : .text
      self = kind.isSubset(of: [.day, .month, .instant, .local]) ? kind : .text
    case .json:
      guard let elements = value.elements else {
        self = .nested
        return
      }
      let areTexts = elements.allSatisfy { $0.stringBytes != nil }
      let areIntegers = elements.allSatisfy { $0.integerValue != nil }
      self = elements.isEmpty ? .emptyList : areTexts ? .texts : areIntegers ? .integers : .nested
    }
  }

  private init(_ field: [UInt8]) {
    let arena = Arena(field)
    self = withExtendedLifetime(arena) { ValueKinds(field: ByteRun(arena, 0, UInt32(field.count))) }
  }
}
