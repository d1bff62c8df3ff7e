public import Rows
import Synchronization

/// The numbers of the rows of an input, by batches, so that an error can name a record although batches are made in any
/// order.
final class RecordNumbers: Sendable {
  private struct State {
    /// The number of rows before each batch, as far as it is known, and the rows of later batches.
    var starts = [0], counts: [Int: Int] = [:]
    var tasks: [Int: BatchTask] = [:], next = 0
  }
  private let state = Mutex(State())

  func begin(_ task: BatchTask) -> Int {
    state.withLock {
      let number = $0.next
      $0.tasks[number] = task
      $0.next += 1
      return number
    }
  }

  /// Notes the rows of a batch.
  func finish(_ number: Int, _ count: Int) {
    state.withLock {
      $0.tasks[number] = nil
      if number >= $0.starts.count - 1 { $0.counts[number] = count }
      while let count = $0.counts.removeValue(forKey: $0.starts.count - 1) {
        $0.starts.append($0.starts[$0.starts.count - 1] + count)
      }
    }
  }

  /// The rows of all earlier batches, of which those that are not finished are made again.
  func rows(before number: Int) throws(Problem) -> Int {
    while true {
      let (start, first, task) = state.withLock {
        (number < $0.starts.count ? $0.starts[number] : nil, $0.starts.count - 1, $0.tasks[$0.starts.count - 1])
      }
      if let start { return start }
      guard let task else { return 0 }
      finish(first, try task.batch().count)
    }
  }
}

/// Rows with a column that has the place of each in its batch, for calculations after rows were removed.
struct NumberedRows: DerivedRowStream {
  static let column = Conditions.mark + "row"
  let schema: Schema
  let inner: any RowStream
  private let numbers: RecordNumbers

  init(_ inner: any RowStream, _ numbers: RecordNumbers) {
    schema = inner.schema.adding(ColumnDescription(Self.column, .integer))
    (self.inner, self.numbers) = (inner, numbers)
  }

  func next() async throws(Problem) -> BatchTask? {
    guard let task = try await inner.next() else { return nil }
    let number = numbers.begin(task), numbers = self.numbers, width = schema.width
    return task.followed { (batch) throws(Problem) in
      numbers.finish(number, batch.count)
      var places = RowBatchBuilder(width: 1)
      for row in 0..<batch.count { places.append(integer: Int64(row)) }
      return batch.setting(width - 1, of: width, to: places.finish())
    }
  }
}

/// The rows of a file, with a column that has its name.
public struct FileNamedRows: RewrittenRowStream {
  /// The column.
  public static let column = Conditions.mark + "filename()"
  /// The columns of the file, and its name.
  public let schema: Schema
  /// The rows of the file.
  public let inner: any RowStream
  private let name: String

  /// The rows of `inner`, with the name of their file.
  public init(_ inner: any RowStream, _ name: String) {
    schema = inner.schema.adding(ColumnDescription(Self.column, .text))
    (self.inner, self.name) = (inner, name)
  }

  /// The rows of the file with other types, or once more.
  public func over(_ rows: any RowStream) -> any RowStream { FileNamedRows(rows, name) }

  /// The next rows.
  public func next() async throws(Problem) -> BatchTask? {
    let name = Array(self.name.utf8), width = schema.width
    return try await inner.next()?.followed { (batch) throws(Problem) in
      var names = RowBatchBuilder(width: 1)
      for _ in 0..<batch.count { names.append(text: name) }
      return batch.setting(width - 1, of: width, to: names.finish())
    }
  }
}

extension Schema {
  fileprivate func adding(_ column: ColumnDescription) -> Schema {
    Schema(name, summary, key: key.map { columns[$0].name }, columns: columns + [column])
  }
}
