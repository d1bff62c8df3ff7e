import Codecs
import Rows
import Synchronization

/// Rows with columns of text that are compared with numbers or dates, or sorted, which the notes remark on.
final class TextComparisonRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  /// The columns, each with the value that it is compared with, nil for sorting.
  private let compared: [(column: Int, value: String?)]
  private let found: Mutex<[NearType]>

  init(_ inner: any RowStream, _ compared: [(column: Int, value: String?)]) {
    (schema, self.inner, self.compared) = (inner.schema, inner, compared)
    found = Mutex(compared.map { _ in NearType() })
  }

  func next() async throws(Problem) -> BatchTask? {
    try await inner.next()?.followed { [self] (batch) throws(Problem) in
      for (place, (column, _)) in compared.enumerated() {
        var near = NearType()
        for row in 0..<batch.count { near.add(batch[row, column], batch.arena) }
        found.withLock { $0[place].merge(near) }
      }
      return batch
    }
  }

  /// A warning for each column that is compared with a number or a date, and for each by which rows are sorted although
  /// nine of ten values are numbers.
  var notes: [Warning] {
    let found = found.withLock { $0 }
    return inner.notes
      + zip(compared, found).compactMap { comparison, near in
        let name = schema.columns[comparison.column].name, value = comparison.value
        guard near.count > 0, value != nil || near.numbers < near.count && near.numbers * 10 >= near.count * 9 else {
          return nil
        }
        let isDate = value.map { DecimalNumber(Array($0.utf8)) == nil } ?? false
        let example = near.example.map { ", such as “\($0)”" } ?? ""
        let hint = Remedy.set(
          .columnTypes, to: "\(NameListParser.written(name))=\(isDate ? "date" : "decimal")",
          for: isDate ? "compare dates" : "compare numbers")
        return Warning(
          "\(name) is text\(example), and \(value.map { "compared with \($0)" } ?? "sorted") byte by byte",
          hint: value.map { hint.or(.advice("quote the value as '\($0)'")) } ?? hint)
      }
  }
}
