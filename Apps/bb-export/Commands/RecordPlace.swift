import AppShell
import CommandLineKit
import Dialects
import Domain
import Query
import Rows

extension TableCommand {
  /// A problem with the file and the line of its record, which is counted over all inputs; as it is if these cannot be
  /// read again.
  func placed(_ problem: Problem) async -> Problem {
    guard problem.isOfInput, problem.place.isEmpty, let record = problem.record, !invocation.has(Options.sql) else {
      return problem
    }
    let files = invocation.all(Options.from)
    var before = 0, placed = problem
    for file in files {
      if file == "-" { return problem.located(at: "standard input") }
      guard let reader = try? SourceOptions(invocation).file(),
        let choice = try? SourceOptions(invocation).file(file, reader),
        let source = try? await services.sources.open(choice),
        let table = try? await Self.table(of: source, choice, invocation, services.report),
        let rows = try? await source.rows(of: table, RowRequest())
      else { return problem }
      let first = before
      var line = Self.linesBeforeRecords(of: source, reader)
      while let batch = try? await rows.next()?.batch() {
        let count = min(batch.count, record - before)
        line = line.map { $0 + count + batch.lineEnds(in: count) }
        before += count
        guard batch.count > count else { continue }
        placed.record = record - first
        placed.place = line.map { "\(source.name):\($0 + 1)" } ?? source.name
        return placed
      }
    }
    return problem
  }

  /// The lines before the first record; nil for a file without lines.
  private static func linesBeforeRecords(of source: any RecordSource, _ reader: FileInputOptions) -> Int? {
    guard let file = source as? any SampledFile else { return nil }
    if file.formatName == "ndjson" { return 0 }
    guard let sample = try? file.sample(DialectSniffer.sampleSize), let input = try? sample.input(reader.dialect) else {
      return nil
    }
    return input.finding.dialect.skippedRows + (input.hasHeader ? max(input.finding.dialect.headerRows, 1) : 0)
  }
}

extension RowBatch {
  /// The line ends in the texts of the first rows.
  fileprivate func lineEnds(in rows: Int) -> Int {
    var count = 0
    for row in 0..<rows {
      for column in 0..<width {
        if case .text(let text) = value(row, column) { count += text.count { $0 == UInt8(ascii: "\n") } }
      }
    }
    return count
  }
}
