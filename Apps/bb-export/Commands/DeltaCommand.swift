import AppShell
import Codecs
import CommandLineKit
import Domain
import Lake
import Rows

/// `bb-export delta`: the data files of a Delta table that it does not need, and its metadata for Iceberg.
struct DeltaCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  private static let minimum: Int64 = 3600
  static let olderThan = Option.value(
    "older-than", "AGE", default: "7d", in: "Vacuum",
    "remove only files that were written, and removed from the table, longer ago than AGE: 12h, 7d, 2w")

  static let dryRun = Option.flag("dry-run", in: "Vacuum", "list the files without removing them")

  static let rebuild = Option.flag("rebuild", in: "Iceberg", "write the metadata again, without earlier snapshots")

  static let command = Command(
    "delta", "remove unneeded files of a Delta table; write Iceberg metadata",
    discussion: """
      Replaced and deleted rows stay in data files, so that earlier versions of the table can be read. An export that \
      is killed leaves data files that belong to no version. `delta vacuum` removes both kinds, if they are older than \
      --older-than; versions that need them can no longer be read. The age, at least 1h, must be longer than any export \
      to the table takes, because its data files are not part of a version before it ends.

      `delta iceberg` writes the metadata by which readers of Apache Iceberg find the rows of the latest version, or \
      completes them after an interruption; they are in the directory “metadata” of the table. Exports with \
      --option delta.iceberg=yes write them, and so do later ones. They name files by absolute paths: after the table was \
      moved, --rebuild writes them again.
      """,
    arguments: [
      Argument("ACTION", values: .words(["vacuum", "iceberg"]), "vacuum or iceberg"),
      Argument("PLACE", "the table: delta:DIR or delta:s3://BUCKET/PREFIX"),
    ],
    actions: [
      CommandAction("vacuum", Argument("PLACE", "table")), CommandAction("iceberg", Argument("PLACE", "table")),
    ],
    options: [olderThan, dryRun, rebuild] + OutputOptions.exportingAnywhere,
    examples: [
      "delta vacuum delta:lake/quotes --dry-run", "delta vacuum delta:s3://bucket/lake/quotes",
      "delta iceberg delta:lake/quotes --rebuild",
    ])

  func run() async throws(Problem) {
    let outputs = try OutputPlan(invocation, services, .report)
    let isIceberg = invocation.arguments.first == "iceberg"
    for option in isIceberg ? [Self.olderThan, Self.dryRun] : [Self.rebuild] where invocation.has(option) {
      throw Problem(
        .usage, "--\(option.name) does not apply to delta \(isIceberg ? "iceberg" : "vacuum")", hint: "omit it")
    }
    if isIceberg { return try await writeIceberg(outputs) }
    let age = try invocation.age(Self.olderThan) ?? 7 * 86_400
    guard age >= Self.minimum else {
      throw Problem(
        .usage, "invalid age for --\(Self.olderThan.name)",
        hint: "use at least 1h, because exports may be in progress")
    }
    let vacuum = DeltaVacuum(try invocation.locations.location(invocation.arguments[1]).place.table())
    let files = try await vacuum.unusedFiles(before: Instant(seconds: try services.writtenTime().now().seconds - age))
    let isDryRun = invocation.has(Self.dryRun)
    if !isDryRun { for file in files { try await vacuum.remove(file) } }
    let count = "\(files.count) \(files.count == 1 ? "file" : "files")"
    let size = Progress.size(files.reduce(0) { $0 + $1.size })
    services.report.result(isDryRun ? "would remove \(count), \(size)" : "removed \(count), \(size)")
    let schema = Schema(
      "files",
      columns: [
        ColumnDescription("path", .text), ColumnDescription("bytes", .integer),
        ColumnDescription("modified", .timestamp),
      ])
    var builder = RowBatchBuilder(width: schema.width)
    for file in files {
      builder.append(text: file.key)
      builder.append(integer: Int64(file.size))
      builder.append(value: file.modified.map { .text(Array($0.timestamp.utf8)) } ?? .null)
    }
    try await outputs.write(BufferedRows(schema: schema, batches: [builder.takeBatch()]))
  }

  private func writeIceberg(_ outputs: OutputPlan) async throws(Problem) {
    let table = IcebergTable(try invocation.locations.location(invocation.arguments[1]).place.table())
    let now = try services.writtenTime().now().seconds * 1000
    let (version, isNew) = try await table.write(now: now, rebuilds: invocation.has(Self.rebuild))
    services.report.result(
      isNew ? "wrote metadata of version \(version)" : "the metadata of version \(version) are complete")
    var builder = RowBatchBuilder(width: 2)
    builder.append(integer: version)
    builder.append(boolean: isNew)
    let schema = Schema(
      "iceberg", columns: [ColumnDescription("version", .integer), ColumnDescription("written", .boolean)])
    try await outputs.write(BufferedRows(schema: schema, batches: [builder.takeBatch()]))
  }
}
