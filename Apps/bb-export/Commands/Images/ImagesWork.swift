import AppShell
import CommandLineKit
import Domain
import Query
import Rows

/// Downloads the images that rows refer to, for `images` and `sync --images`.
struct ImagesWork {
  private let services: AppServices
  private let limits: ImageDownload.Limits
  private let live: APIOptions

  struct Outcome {
    /// The outcome in one line, for display.
    var text: String
    /// The error if some images failed, each of which was reported; nil if none did.
    var problem: Problem?
  }

  /// Reads the options for connections and limits.
  init(_ invocation: Invocation, _ services: AppServices) throws(Problem) {
    self.services = services
    var limits = ImageDownload.Limits()
    if let parallel = try invocation.integer(Options.parallel, in: 1...64) { limits.parallel = parallel }
    if let size = try invocation.size(Options.maxImage) { limits.bytesEach = size }
    if let size = try invocation.size(Options.maxTotal) { limits.bytesInAll = size }
    self.limits = limits
    live = try APIOptions(invocation)
  }

  /// Downloads the images of a stream of rows into a directory.
  ///
  /// - Parameters:
  ///   - columns: the positions of the columns that refer to images.
  ///   - directory: a directory for the images of this dataset alone; created if missing.
  ///   - isOfStore: whether the rows are those of a store, so that the directory may be in it.
  /// - Throws: errors of the rows or the directory.
  func run(
    _ rows: any RowStream, columns: [Int], into directory: String, isOfStore: Bool = false
  ) async throws(Problem) -> Outcome {
    var list = ImageList(of: rows.schema, in: columns)
    while let batch = try await rows.next()?.batch() { list.add(batch) }
    for note in rows.notes { services.report.warning(note) }
    let references = list.references
    if !list.repeatedKeys.isEmpty {
      let keys = list.repeatedKeys, more = keys.count > 5 ? " and \(keys.count - 5) more" : ""
      services.report.warning(
        "\(rows.schema.name): several records share the key \(keys.prefix(5).joined(separator: ", "))\(more); their images are numbered"
      )
    }
    guard !references.isEmpty else {
      return Outcome(text: "\(rows.schema.name): no image URLs in \(Progress.grouped(list.rows)) records")
    }
    let archive = try await services.images.archive(
      directory, dataset: rows.schema.name, isOfStore: isOfStore)
    let progress = services.progress
    progress.begin(rows.schema.name, "images")
    defer { progress.finish() }
    let download = ImageDownload(services.images.transport(live, parallel: limits.parallel), into: archive, limits) {
      progress.update($0)
    }
    let started = ContinuousClock.now
    let summary = try await download.run(references)
    progress.finish()
    for failure in summary.failures { services.report.problem(failure) }
    let (seconds, attoseconds) = started.duration(to: .now).components
    let tenths = seconds * 10 + attoseconds / 100_000_000_000_000_000
    let text =
      "\(rows.schema.name): \(Progress.grouped(references.count)) \(references.count == 1 ? "image" : "images") in "
      + "\(directory): \(summary.added) new, \(summary.changed) updated, \(summary.unchanged) unchanged, "
      + "\(summary.failures.count) failed; \(Progress.size(summary.bytes)) in \(tenths / 10).\(tenths % 10) s"
    guard !summary.failures.isEmpty else { return Outcome(text: text) }
    if summary.failures.allSatisfy(PrivateAddress.isRefusal) {
      return Outcome(
        text: text,
        problem: Problem(
          .badData, "refused \(summary.failures.count) of \(references.count) images: they are at private addresses",
          at: directory, hint: "use --allow-private to fetch them"))
    }
    return Outcome(
      text: text,
      problem: Problem(
        .busy,
        "failed to download \(summary.failures.count) of \(references.count) "
          + "\(references.count == 1 ? "image" : "images")",
        at: directory,
        hint: "run the command again to retry"))
  }

  /// The images of several tables, one directory for each.
  struct Collection {
    let work: ImagesWork
    let directory: String

    /// Downloads the images that the records of some tables of a store refer to, reports the outcome per table, and
    /// notes the directory in the store.
    /// - Throws: `busy` if some failed.
    func fetch(_ tables: [String], of store: any RecordStore, at location: String) async throws(Problem) {
      var problems: [Problem] = []
      try await work.services.images.stored(location).note(synced: directory)
      for table in tables {
        let rows = try await store.rows(of: table, RowRequest())
        let columns = ImageReference.columns(of: rows.schema)
        guard !columns.isEmpty else { continue }
        let outcome = try await work.run(
          rows, columns: columns, into: directory + "/" + ImageReference.directoryName(of: table), isOfStore: true)
        work.services.report.result(outcome.text)
        if let problem = outcome.problem { problems.append(problem) }
      }
      for problem in problems.dropLast() { work.services.report.problem(problem) }
      if let last = problems.last { throw last }
    }
  }
}
