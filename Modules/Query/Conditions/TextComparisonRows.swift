import Codecs
import Rows
import Synchronization

/// Rows with columns of text that are compared with numbers or dates, or sorted, which the notes remark on.
final class TextComparisonRows: DerivedRowStream {
  let schema: Schema
  let inner: any RowStream
  /// The columns, each with the value that it is compared with, nil for sorting.
  private let compared: [(column: Int, value: String?)]
  private let found: Mutex<[Tally]>

  /// The values of a column, as far as a warning depends on them.
  private struct Tally: Sendable {
    /// Of many values, the first decide.
    private static let most = 10_000, fewest = 1_000
    var count = 0, numbers = 0, times = 0
    /// The looks of the first values, and the first one that is not a number.
    var near = NearType()
    var example: String? { near.example }

    /// - Parameter isSorted: whether the share of numbers matters.
    mutating func add(_ column: Int, of batch: RowBatch, isSorted: Bool) {
      guard isSorted ? count < Self.most : example == nil || near.count < Self.fewest else { return }
      for row in 0..<batch.count {
        guard case .text(let start, let length) = batch[row, column] else { continue }
        let text = ByteRun(batch.arena, start, length)
        count += 1
        if example == nil || near.count < Self.fewest { near.add(text) }
        if ValueKinds(field: text).isSubset(of: .numbers) {
          numbers += 1
        } else {
          if isSorted, 20...40 ~= length, Dates.utc(text.bytes) != nil { times += 1 }
        }
      }
    }
  }

  init(_ inner: any RowStream, _ compared: [(column: Int, value: String?)]) {
    (schema, self.inner, self.compared) = (inner.schema, inner, compared)
    found = Mutex(compared.map { _ in Tally() })
  }

  func next() async throws(Problem) -> BatchTask? {
    try await inner.next()?.followed { [self] (batch) throws(Problem) in
      for (place, (column, value)) in compared.enumerated() {
        found.withLock { $0[place].add(column, of: batch, isSorted: value == nil) }
      }
      return batch
    }
  }

  /// The type of columns that can be compared with a value.
  private static func type(_ value: String) -> ColumnType {
    let bytes = Array(value.utf8)
    if DecimalNumber(bytes) != nil { return .decimal }
    if bytes.count > 10, Dates.utc(bytes) != nil { return .timestamp }
    return Dates.timeForm(bytes.span) == nil ? .date : .datetime
  }

  /// A warning for each column that is compared with a number or a date, and for each by which rows are sorted although
  /// nine of ten values are numbers, or times with different offsets.
  var notes: [Warning] {
    let found = found.withLock { $0 }
    return inner.notes
      + zip(compared, found).compactMap { comparison, near in
        let name = schema.columns[comparison.column].name, value = comparison.value
        if let value, value.lowercased() == "null" {
          let quoted = NameListParser.written(name)
          return Warning(
            "\(name) is compared with the text “\(value)”, which no null equals",
            hint: "use '\(quoted) is null' or '\(quoted) is not null', or quote the value as '\(value)'")
        }
        let mostAreTimes = near.times * 10 >= near.count * 9
        guard near.count > 0,
          value != nil || mostAreTimes || near.numbers < near.count && near.numbers * 10 >= near.count * 9
        else { return nil }
        let type = value.map { Self.type($0) } ?? (mostAreTimes ? .timestamp : .decimal)
        let example = near.example.map { ", such as “\($0)”" } ?? ""
        let usual = Remedy.set(
          .columnTypes, to: "\(NameListParser.written(name))=\(type.name)",
          for: "compare \(type == .decimal ? "number" : type == .date ? "date" : "time")s")
        // Numbers and dates in another spelling need other settings.
        let hint = near.example == nil || type == .timestamp ? usual : near.near.remedy(name) ?? usual
        return Warning(
          "\(name) is text\(example), and \(value.map { "compared with \($0)" } ?? "sorted") byte by byte",
          hint: value.map { hint.or(.advice("quote the value as '\($0)'")) } ?? hint)
      }
  }
}
