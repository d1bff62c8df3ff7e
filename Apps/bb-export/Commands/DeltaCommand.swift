import AppShell
import Codecs
import CommandLineKit
import Domain
import Lake
import Rows

/// `bb-export delta`: the data files of a Delta table that it does not need.
struct DeltaCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  private static let minimum: Int64 = 3600
  static let olderThan = Option.value(
    "older-than", "AGE", default: "7d", in: "Vacuum",
    "remove only files that were written, and removed from the table, longer ago than AGE: 12h, 7d, 2w")

  static let dryRun = Option.flag("dry-run", in: "Vacuum", "list the files without removing them")

  static let command = Command(
    "delta", "remove the data files that a Delta table no longer needs",
    discussion: """
      Replaced and deleted rows stay in data files, so that earlier versions of the table can be read. An export that \
      is killed leaves data files that belong to no version. `delta vacuum` removes both kinds, if they are older than \
      --older-than; versions that need them can no longer be read. The age, at least 1h, must be longer than any export \
      to the table takes, because its data files are not part of a version before it ends.
      """,
    arguments: [
      Argument("ACTION", values: .words(["vacuum"]), "vacuum"),
      Argument("PLACE", "the table: delta:DIR or delta:s3://BUCKET/PREFIX"),
    ], actions: [CommandAction("vacuum", Argument("PLACE", "table"))],
    options: [olderThan, dryRun] + OutputOptions.exportingAnywhere,
    examples: ["delta vacuum delta:lake/quotes --dry-run", "delta vacuum delta:s3://bucket/lake/quotes"])

  func run() async throws(Problem) {
    let outputs = try OutputPlan(invocation, services, .report)
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
}
