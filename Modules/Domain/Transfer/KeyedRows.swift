import Codecs
import Rows
import Synchronization

/// Rows that have a declared key, of which no value is null.
final class KeyedRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  private let count = Mutex(0)

  /// - Parameter key: names of columns of the rows.
  init(_ inner: any RowStream, _ key: [String]) {
    self.inner = inner
    schema = inner.schema.keyed(by: key)
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let batch = try await inner.next()?.batch() else { return nil }
    let first = count.withLock { count in
      defer { count += batch.count }
      return count
    }
    for row in 0..<batch.count {
      guard let column = schema.key.first(where: { batch[row, $0].isNull }) else { continue }
      throw Problem(
        .badData, "record \(first + row + 1) has no value in the key column \(schema.columns[column].name)",
        at: schema.name)
    }
    return BatchTask(ready: batch)
  }

  /// The problem of two records with the same key; nil if there are none. All keys are kept in memory.
  func duplicate() async throws(Problem) -> Problem? {
    var known: [[Value]: Int] = [:], number = 0
    while let batch = try await next()?.batch() {
      for row in 0..<batch.count {
        number += 1
        let key = schema.key.map { batch.value(row, $0) }
        guard let other = known.updateValue(number, forKey: key) else { continue }
        let text = key.map { String(decoding: $0.plainText.prefix(100), as: UTF8.self) }.joined(separator: "/")
        return Problem(.badData, "records \(other) and \(number) have the same key, \(text)", at: schema.name)
      }
    }
    return nil
  }
}
