import AppShell
import Codecs
import CommandLineKit
import Domain
import Rows

/// `bb-export s3`: the objects of a bucket, and its unfinished uploads.
struct S3Command {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  static let abort = Option.value(
    "abort-older-than", "AGE", in: "Uploads", "abort the uploads started longer ago than AGE: 90m, 12h, 1d, 2w")

  static let command = Command(
    "s3", "list the objects of a bucket, or its unfinished uploads",
    discussion: """
      `s3 list` lists the objects whose keys begin with PREFIX. \
      An export to s3:// that is killed with SIGKILL, or loses its machine, leaves the parts that it uploaded. They are \
      part of no object, but are stored and charged for. `s3 uploads` lists such uploads, also those of other programs \
      and those in progress; --abort-older-than removes their parts.
      """,
    arguments: [
      Argument("ACTION", values: .words(["list", "uploads"]), "list or uploads"),
      Argument("PLACE", "s3://BUCKET, or s3://BUCKET/PREFIX for the objects whose keys begin with PREFIX"),
    ], actions: [CommandAction("list", place), CommandAction("uploads", place)],
    options: [abort] + OutputOptions.exportingAnywhere,
    examples: [
      "s3 list s3://bucket/lake/", "s3 uploads s3://bucket/lake/", "s3 uploads s3://bucket --abort-older-than 1d",
    ])
  private static let place = Argument("PLACE", "bucket")

  func run() async throws(Problem) {
    let outputs = try OutputPlan(invocation, services, .report), place = invocation.arguments[1]
    let age = try invocation.age(Self.abort), (bucket, prefix) = try invocation.locations.location(place).place.bucket()
    if invocation.arguments[0] == "list" {
      if age != nil {
        throw Problem(
          .usage, "--\(Self.abort.name) applies only to uploads", hint: "list them with: bb-export s3 uploads PLACE")
      }
      try await outputs.write(Self.rows(of: try await bucket.objects(withPrefix: prefix)))
      return
    }
    var uploads = try await bucket.uploads(withPrefix: prefix)
    if let age {
      let limit = Instant(seconds: try services.writtenTime().now().seconds - age)
      uploads = uploads.filter { $0.started.map { $0 < limit } ?? false }
      for upload in uploads { try await bucket.abort(upload) }
      services.report.result("aborted \(uploads.count) \(uploads.count == 1 ? "upload" : "uploads")")
    }
    let schema = Schema(
      "uploads",
      columns: [
        ColumnDescription("key", .text), ColumnDescription("started", .timestamp), ColumnDescription("upload", .text),
      ])
    var builder = RowBatchBuilder(width: schema.width)
    for upload in uploads {
      builder.append(text: upload.key)
      builder.append(value: upload.started.map { .text(Array($0.timestamp.utf8)) } ?? .null)
      builder.append(text: upload.identifier)
    }
    try await outputs.write(BufferedRows(schema: schema, batches: [builder.takeBatch()]))
  }

  private static func rows(of objects: [StoredObject]) -> any RowStream {
    let schema = Schema(
      "objects",
      columns: [
        ColumnDescription("key", .text), ColumnDescription("bytes", .integer),
        ColumnDescription("modified", .timestamp),
      ])
    var builder = RowBatchBuilder(width: schema.width), batches: [RowBatch] = []
    for (position, object) in objects.enumerated() {
      builder.append(text: object.key)
      builder.append(integer: Int64(object.size))
      builder.append(value: object.modified.map { .text(Array($0.timestamp.utf8)) } ?? .null)
      if position % 4096 == 4095 { batches.append(builder.takeBatch()) }
    }
    return BufferedRows(schema: schema, batches: batches + [builder.takeBatch()])
  }
}
