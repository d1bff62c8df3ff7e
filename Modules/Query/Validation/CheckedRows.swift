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

  /// The file of the rows.
  public struct Source: Sendable {
    /// Its name.
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

  /// - Parameter memoryLimit: the memory for the values of unique keys, in bytes.
  /// - Throws: `usage` for a key of an unknown column.
  public init(_ inner: any RowStream, _ rules: TableRules, _ source: Source, memoryLimit: Int) throws(Problem) {
    (self.inner, self.rules, self.source, self.memoryLimit) = (inner, rules, source, memoryLimit)
    schema = Schema(
      "violations",
      columns: [
        ColumnDescription("file", .text), ColumnDescription("line", .integer), ColumnDescription("record", .integer),
        ColumnDescription("column", .text), ColumnDescription("rule", .text), ColumnDescription("expected", .text),
        ColumnDescription("found", .text),
      ])
    keys = try rules.keys.map { (key) throws(Problem) in
      try key.columns.map { (name) throws(Problem) in try inner.schema.column(named: name) }
    }
    let count = keys.count
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
    let names = columns.map { Array($0.name.utf8) }, types = names.map { rules.schema.types(of: $0) }
    var builder = RowBatchBuilder(width: schema.width), count = 0
    for row in 0..<batch.count {
      state.record += 1
      let line = source.header.map { $0 + state.lines + 1 }
      var members: [(name: [UInt8], value: JSON)] = []
      for column in 0..<batch.width {
        let value = batch.value(row, column)
        members.append((names[column], json(value, columns[column].type, types[column])))
        if case .text(let text) = value { state.lines += text.count { $0 == UInt8(ascii: "\n") } }
      }
      state.lines += 1
      var violations = try rules.schema.violations(of: members)
      for (at, key) in keys.enumerated() where !key.contains(where: { batch[row, $0].isNull }) {
        let identity = JSON.array(key.map { JSONSchema.normal(members[$0].value) }).canonicalBytes
        if state.seen[at].insert(identity).inserted {
          state.memory += identity.count + 48
          continue
        }
        let (rule, names) = rules.keys[at]
        let value = key.map { Self.text(members[$0].value) }.joined(separator: ", ")
        violations.append(
          JSONSchema.Violation(
            column: names.joined(separator: ","), rule: rule, expected: "a value of its own", found: value))
      }
      if state.memory > max(memoryLimit, 16 << 20) {
        throw Problem(
          .badData, "the unique values need more than \(memoryLimit >> 20) MiB", hint: .raise(.memory))
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

  /// A value as JSON. A text of a text file is what the types of its column say, if it can be that.
  private func json(_ value: Value, _ type: ColumnType, _ types: [String]?) -> JSON {
    switch value {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .number(value)
    case .real(let value): return value.isFinite ? .number(value.canonicalText) : .string("\(value)")
    case .number(let literal): return .number(literal)
    case .bytes(let bytes): return .string(Base64.encoded(bytes))
    case .json(let text): return (try? JSON.parse(text, name: "")) ?? .string(text)
    case .text(let text):
      guard source.isText, let types else { return .string(text) }
      if types.contains("integer") || types.contains("number"), let number = try? JSON.parse(text, name: ""),
        number.numberLiteral != nil
      {
        return number
      }
      if types.contains("boolean"), text == Array("true".utf8) || text == Array("false".utf8) {
        return .boolean(text.count == 4)
      }
      if types.contains("array") || types.contains("object"), text.first == 91 || text.first == 123,
        let nested = try? JSON.parse(text, name: "")
      {
        return nested
      }
      return .string(text)
    }
  }
}
