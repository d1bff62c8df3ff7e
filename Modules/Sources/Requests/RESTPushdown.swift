import Domain
import Query
import Rows

/// Removes records before detail requests, if the reader of the rows omits them anyway.
enum RESTPushdown {
  /// The rows that the conditions keep which look at nothing but columns filled already.
  /// - Parameter columns: those that further requests fill.
  static func rows(
    _ rows: [[Value]], of reader: RESTRecordReader, for selection: Selection?, without columns: Set<String>
  ) async throws(Problem) -> [[Value]] {
    let schema = reader.dataset.schema
    func isKnown(_ condition: Condition) -> Bool {
      ([condition.column] + (condition.otherColumn.map { [$0] } ?? [])).allSatisfy {
        schema.position(of: $0) != nil && !columns.contains($0)
      }
    }
    var known = Selection()
    known.conditions = selection?.conditions.filter(isKnown) ?? []
    known.alternatives = selection?.alternatives.filter { $0.allSatisfy(isKnown) } ?? []
    known.predicates = selection?.predicates.filter { $0.conditions.allSatisfy(isKnown) } ?? []
    guard !rows.isEmpty, known != Selection() else { return rows }
    let kept = try known.apply(
      to: BufferedRows(schema: schema, batches: reader.batches(of: rows)), scratch: NoScratch())
    return try await kept.collect().flatMap { batch in
      (0..<batch.count).map { row in (0..<batch.width).map { batch.value(row, $0) } }
    }
  }

  /// The part of a selection that applies to the parent records: conditions on a column that holds their value.
  static func parents(of dataset: APIDataset, _ parent: SourceParent, in schema: Schema, for selection: Selection?)
    -> Selection
  {
    var narrowed = Selection()
    for pair in parent.parameters {
      guard let position = schema.position(of: pair.value) else { continue }
      let asked = dataset.filters.first { $0.value == pair.name }?.name
      let columns = dataset.schema.columns.filter { column in
        guard column.type == schema.columns[position].type else { return false }
        let source = dataset.columns.first { $0.name == column.name }
        let isParent = source?.from == SourceColumn.parent && parent.parameters.count == 1
        return isParent || source?.from == "\(SourceColumn.parent)/\(pair.value)" || column.name == asked
      }.map(\.name)
      narrowed.conditions += (selection?.conditions ?? []).filter {
        columns.contains($0.column) && $0.otherColumn == nil
      }
      .map { Condition(pair.value, $0.comparison, $0.values) }
    }
    return narrowed
  }
}
