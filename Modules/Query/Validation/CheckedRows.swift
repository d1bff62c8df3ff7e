import Codecs
public import Rows
import Synchronization

/// The violations of the rules of a table, a row for each, in the order of the input.
public final class CheckedRows: ExactRowStream {
  /// `file`, `line`, `record`, `column`, `rule`, `expected`, `found`.
  public let schema: Schema
  private let inner: any RowStream
  private let rules: TableRules
  private let source: Source
  private let memoryLimit: Int
  private let state = Mutex(State())
  private let keys: [[Int]]
  private let referenced: [(values: Referenced, columns: [Int])]
  /// The rule and the columns of each key.
  private let names: [(rule: String, columns: [String])]
  /// For each column the forms of its texts, and the types and texts that the rules name.
  private let forms: [TextForm?], readings: [(types: Set<String>, texts: Set<[UInt8]>)]

  /// The values that columns may have.
  public struct Referenced: Sendable {
    fileprivate let reference: TableRules.Reference
    fileprivate var values: Set<[UInt8]> = []

    /// Reads the other table.
    /// - Throws: `usage` for an unknown column; `badData` if the values need more than `memoryLimit` bytes.
    public init(_ reference: TableRules.Reference, in rows: any RowStream, memoryLimit: Int) async throws(Problem) {
      self.reference = reference
      let columns = try TableRules.Reference.positions(reference.others, in: rows.schema)
      var memory = 0
      while let batch = try await rows.next()?.batch() {
        for row in 0..<batch.count {
          guard let identity = CheckedRows.identity(row, columns, batch), values.insert(identity).inserted else {
            continue
          }
          memory += identity.count + 48
          guard memory <= max(memoryLimit, 16 << 20) else { throw CheckedRows.tooMany(memoryLimit) }
        }
      }
    }
  }

  /// The values of a row in some columns; nil if one of them is null.
  private static func identity(_ row: Int, _ columns: [Int], _ batch: RowBatch) -> [UInt8]? {
    if columns.contains(where: { batch[row, $0].isNull }) { return nil }
    return JSON.array(columns.map { JSONSchema.normal(JSON(batch.value(row, $0))) }).canonicalBytes
  }
  private static func tooMany(_ memoryLimit: Int) -> Problem {
    Problem(.badData, "the unique values need more than \(memoryLimit >> 20) MiB", hint: .raise(.memory))
  }

  /// The file of the rows.
  public struct Source: Sendable {
    var file: String
    /// The lines before the first record; nil for a file without lines.
    var header: Int?
    /// Whether all values are texts, of which the rules say what they are.
    var isText: Bool

    /// A file.
    public init(file: String, header: Int?, isText: Bool) {
      (self.file, self.header, self.isText) = (file, header, isText)
    }
  }

  private struct State {
    var record = 0, lines = 0, violations = 0
    /// The values of each key, and their memory in bytes, about.
    var seen: [Set<[UInt8]>] = [], memory = 0
  }

  /// The number of violations so far.
  public var count: Int { state.withLock { $0.violations } }

  /// The rows of `inner`; the values of unique keys need at most `memoryLimit` bytes.
  /// - Throws: `usage` for a key of an unknown column.
  public init(
    _ inner: any RowStream, _ rules: TableRules, _ source: Source, _ referenced: [Referenced] = [], memoryLimit: Int
  ) throws(Problem) {
    self.referenced = try referenced.map { (one) throws(Problem) in
      (one, try TableRules.Reference.positions(one.reference.columns, in: inner.schema))
    }
    (self.inner, self.rules, self.source, self.memoryLimit) = (inner, rules, source, memoryLimit)
    schema = Schema(
      "violations",
      columns: [
        ColumnDescription("file", .text), ColumnDescription("line", .integer), ColumnDescription("record", .integer),
        ColumnDescription("column", .text), ColumnDescription("rule", .text), ColumnDescription("expected", .text),
        ColumnDescription("found", .text),
      ])
    var keys = try rules.keys.map { (key) throws(Problem) in
      try key.columns.map { (name) throws(Problem) in try inner.schema.column(named: name) }
    }
    var names = rules.keys.map { ($0.rule, $0.columns) }
    try rules.check(header: inner.schema.columns.map(\.name), inOrder: source.isText)
    forms = inner.schema.columns.map { source.isText ? rules.forms[$0.name] : nil }
    readings = inner.schema.columns.map { rules.schema.reading(of: Array($0.name.utf8)) }
    if let fields = rules.fields {
      try fields.check(header: inner.schema.columns.map(\.name))
      if !fields.key.isEmpty {
        keys.append(fields.key)
        names.append(("primaryKey", fields.key.map { inner.schema.columns[$0].name }))
      }
    }
    (self.keys, self.names) = (keys, names)
    let count = self.keys.count
    state.withLock { $0.seen = Array(repeating: [], count: count) }
  }

  /// The next violations.
  public func next() async throws(Problem) -> BatchTask? {
    while let task = try await inner.next() {
      let batch = try task.batch()
      let found: RowBatch? = try state.withLock { (state) throws(Problem) in try check(batch, &state) }
      if let found { return BatchTask(ready: found) }
    }
    return nil
  }

  private func check(_ batch: RowBatch, _ state: inout State) throws(Problem) -> RowBatch? {
    let columns = inner.schema.columns
    let names = columns.map { Array($0.name.utf8) }
    var builder = RowBatchBuilder(width: schema.width), count = 0
    for row in 0..<batch.count {
      state.record += 1
      let line = source.header.map { $0 + state.lines + 1 }
      var members: [(name: [UInt8], value: JSON)] = []
      for column in 0..<batch.width {
        let value = batch.value(row, column)
        members.append((names[column], json(value, column)))
        if case .text(let text) = value { state.lines += text.count { $0 == UInt8(ascii: "\n") } }
      }
      state.lines += 1
      var violations = try rules.schema.violations(of: members)
      for (column, form) in forms.enumerated() {
        guard let format = form?.format, case .text(let text) = batch.value(row, column),
          case .string(text) = members[column].value, form?.value(text) == nil
        else { continue }
        violations.append(
          JSONSchema.Violation(
            column: columns[column].name, rule: "format", expected: format, found: String(decoding: text, as: UTF8.self)
          ))
      }
      for (column, cell) in (rules.fields?.cells ?? []).enumerated() where column < batch.width {
        let field: [UInt8]? =
          if case .null = batch.value(row, column) { nil } else { Array(Self.text(members[column].value).utf8) }
        for (rule, expected) in cell.faults(field) {
          violations.append(
            JSONSchema.Violation(
              column: columns[column].name, rule: rule, expected: expected,
              found: field.map { String(decoding: $0, as: UTF8.self) } ?? "null"))
        }
      }
      for (at, key) in keys.enumerated() where !key.contains(where: { batch[row, $0].isNull }) {
        let identity = JSON.array(key.map { JSONSchema.normal(members[$0].value) }).canonicalBytes
        if state.seen[at].insert(identity).inserted {
          state.memory += identity.count + 48
          continue
        }
        let (rule, names) = self.names[at]
        let value = key.map { Self.text(members[$0].value) }.joined(separator: ", ")
        violations.append(
          JSONSchema.Violation(
            column: names.joined(separator: ","), rule: rule, expected: "a value of its own", found: value))
      }
      if state.memory > max(memoryLimit, 16 << 20) {
        throw Self.tooMany(memoryLimit)
      }
      for (one, key) in referenced {
        guard let identity = Self.identity(row, key, batch), !one.values.contains(identity) else { continue }
        let reference = one.reference
        violations.append(
          JSONSchema.Violation(
            column: key.map { inner.schema.columns[$0].name }.joined(separator: ","), rule: "foreignKeys",
            expected: (["a value of", reference.resource].filter { !$0.isEmpty } + reference.others.map { $0[0] })
              .joined(separator: " "),
            found: key.map { Self.text(members[$0].value) }.joined(separator: ", ")))
      }
      for violation in violations {
        builder.append(text: source.file)
        if let line { builder.append(integer: Int64(line)) } else { builder.appendNull() }
        builder.append(integer: Int64(state.record))
        for text in [violation.column, violation.rule, violation.expected, violation.found] {
          if text.isEmpty { builder.appendNull() } else { builder.append(text: text) }
        }
        count += 1
      }
    }
    state.violations += count
    return count == 0 ? nil : builder.finish()
  }

  private static func text(_ value: JSON) -> String {
    value.stringValue ?? String(decoding: value.canonicalBytes, as: UTF8.self)
  }

  /// A value as JSON. A text of a text file is what the rules of its column say, if it can be that.
  private func json(_ value: Value, _ column: Int) -> JSON {
    if case .real(let number) = value, !number.isFinite { return .string("\(number)") }
    guard source.isText else { return JSON(value) }
    if let form = forms[column] {
      switch value {
      case .text(let text): return form.nulls.contains(text) ? .null : form.value(text) ?? .string(text)
      case .null: return form.nulls.contains([]) ? .null : .string("")
      default: return JSON(value)
      }
    }
    guard case .text(let text) = value else { return JSON(value) }
    let (types, texts) = readings[column]
    if texts.contains(text) { return .string(text) }
    return TextForm.plain(text, types) ?? .string(text)
  }
}
