import Codecs
import Dialects
import Domain
import Query
import Rows

/// Reads outputs again and compares their rows with those that were written.
struct OutputVerification {
  let services: AppServices
  let threads: Int

  private static let readable = ["csv", "tsv", "json", "ndjson", "sqlite", "parquet"]

  /// Refuses outputs that cannot be read back.
  static func check(_ targets: [OutputTarget]) throws(Problem) {
    for target in targets {
      if let table = target.exporter.table {
        guard table.merging.contains(target.options.existing) else { continue }
        throw Problem(
          .usage, "rows that are added to others in a table cannot be verified",
          hint: .set(.existingOutput, to: "replace", "truncate"))
      }
      if [.append, .upsert].contains(target.options.existing) {
        throw Problem(
          .usage, "rows that are added to others in a file cannot be verified",
          hint: .set(.existingOutput, to: "replace"))
      }
      guard target.isFile else {
        throw Problem(.usage, "--verify requires an output file", hint: "add -o FILE")
      }
      let format = target.exporter.descriptor.name
      guard readable.contains(format) else {
        throw Problem(
          .usage, "--verify cannot be used with \(format)",
          hint: "use one of: \(readable.joined(separator: ", "))")
      }
      if format == "sqlite", target.compression != nil {
        throw Problem(.usage, "--verify cannot be used with a compressed database, which cannot be read back")
      }
      for (key, value) in [("nested", "json"), ("formulas", "keep")] {
        guard let chosen = target.options.values[key], chosen != value else { continue }
        throw Problem(.usage, "--verify cannot be used with \(key)=\(chosen), which cannot be read back")
      }
    }
  }

  /// Reads an output: a file, or the files of partitions.
  /// - Throws: `io` if its rows are not those of `digest`; the errors of reading.
  func verify(
    _ target: OutputTarget, _ written: WrittenRows, _ schema: Schema, is digest: RowDigest
  ) async throws(Problem) {
    if let reading = written.reading {
      guard let rows = try await reading(threads) else { return }
      return try await verify(rows, of: target, is: digest)
    }
    // An empty file that is repaired has no columns.
    guard schema.width > 0 else { return }
    var choice = FileInputOptions()
    choice.format = FileFormat.all.first { $0.name == target.exporter.descriptor.name }
    choice.maximumField = 1 << 30
    choice.nullTexts = target.options.values["null"].map { $0.isEmpty ? [] : [Array($0.utf8)] } ?? []
    let delimiter = try target.options.values["delimiter"].map { (text) throws(Problem) in
      try CSVStyle.delimiter(named: text)
    }
    if choice.format == .csv || choice.format == .tsv {
      choice.dialect = .exact(choice.format == .tsv ? 0x09 : delimiter ?? 0x2C)
      if target.options.values["headers"] == "no" {
        (choice.dialect.hasNoHeader, choice.dialect.headerRows) = (true, nil)
        choice.dialect.names = schema.columns.map(\.name)
      }
      if choice.format == .tsv { choice.preferences = Set(choice.dialect.settings) }
    }
    var found = RowDigest()
    for part in written.files ?? [PartitionFile(path: target.path, values: [])] {
      var choice = choice
      let location = written.files == nil ? target.location : try services.locations.location(part.path)
      if choice.format != .parquet {
        // JSON without rows has no columns. A database has mixed values as such.
        let isMixed = { (column: ColumnDescription) in column.isMixed && choice.format == .sqlite }
        choice.types = ColumnTypes(digest.rows == 0 ? [] : schema.columns.filter { !isMixed($0) })
      } else {
        for value in part.values {
          choice.types[value.column] = schema.position(of: value.column).map { schema.columns[$0].type }
        }
      }
      found.add(
        try await self.digest(
          written.files == nil ? .written(location, choice) : .file(location, choice), location.shown,
          table: schema.name))
    }
    try Self.check(found, is: digest, target)
  }

  func verify(_ rows: any RowStream, of target: OutputTarget, is digest: RowDigest) async throws(Problem) {
    try Self.check(try await self.digest(rows), is: digest, target)
  }

  private static func check(
    _ found: RowDigest, is digest: RowDigest, _ target: OutputTarget
  ) throws(Problem) {
    guard found == digest else {
      throw Problem(
        .io,
        "the \(target.isFile ? "file" : "table") does not have the rows that were written: wrote \(digest.rows) rows, digest \(digest.text); "
          + "read \(found.rows) rows, digest \(found.text)", at: target.name)
    }
  }

  private func digest(_ choice: SourceChoice, _ path: String, table name: String) async throws(Problem) -> RowDigest {
    let source = try await services.sources.open(choice)
    var main = try await source.mainTable()
    // Other tables may be there.
    if main == nil { main = try await source.tables().first { $0.name == name }?.name }
    guard let table = main else { throw Problem(.io, "read back several tables instead of one", at: path) }
    return try await self.digest(try await source.rows(of: table, RowRequest(cores: threads)))
  }

  private func digest(_ rows: any RowStream) async throws(Problem) -> RowDigest {
    let threads = self.threads, services = self.services
    return try await withTaskExecutorPreference(threads > 1 ? services.workers : nil) {
      () async throws(Problem) in try await RowDigest.of(rows, threads: threads)
    }
  }
}
