import Codecs
import Rows

/// Rows read to the end, for tests.
struct ReadRows {
  var schema: Schema
  var rows: [[Value]] = []
  var batches = 0

  /// Everything a stream gives; every piece of work is done twice.
  init(_ stream: any RowStream) async throws(Problem) {
    schema = stream.schema
    while let work = try await stream.next() {
      let batch: RowBatch
      do throws(Problem) {
        batch = try work.batch()
      } catch {
        var problem = error
        if let record = problem.record { problem.record = record + rows.count }
        throw problem
      }
      let again = try work.batch()
      batches += 1
      for row in 0..<batch.count {
        let values = (0..<batch.width).map { batch.value(row, $0) }
        precondition(values == (0..<batch.width).map { again.value(row, $0) }, "a second run gives something else")
        rows.append(values)
      }
    }
  }

  /// As an export reads: begins again with wider types when it may.
  static func widening(_ stream: any RowStream) async throws(Problem) -> ReadRows {
    var stream = stream
    while true {
      do throws(Problem) {
        return try await ReadRows(stream)
      } catch {
        guard error.kind == .badData, let wider = try await stream.widened() else { throw error }
        stream = wider
      }
    }
  }

  /// The rows of a document, with inferred types.
  static func inferring(_ text: String, _ reading: JSONReading = JSONReading()) async throws(Problem) -> ReadRows {
    try await widening(try JSONRowStream.inferring(MemoryByteSource(text, name: "x"), table: "t", reading))
  }

  /// The rows of a document, read with a schema.
  static func known(
    _ text: String, _ columns: [(String, ColumnType)], _ reading: JSONReading = JSONReading()
  ) async throws(Problem) -> ReadRows {
    let schema = Schema("t", columns: columns.map { ColumnDescription($0.0, $0.1) })
    return try await ReadRows(JSONRowStream(MemoryByteSource(text, name: "x"), schema: schema, reading))
  }

  /// Names and types: `a integer, b text`.
  var columns: String { schema.columns.map { "\($0.name) \($0.type.name)" }.joined(separator: ", ") }
}

extension Value {
  /// A number's literal.
  static func number(_ literal: String) -> Value { .number(Array(literal.utf8)) }
  /// Canonical JSON.
  static func json(_ text: String) -> Value { .json(Array(text.utf8)) }
}

/// Numbers that look random and are the same in every run.
struct Dice {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func roll(_ sides: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % sides
  }
}
