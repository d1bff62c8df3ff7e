public import Rows

/// Downloads images into an archive: concurrently, resuming interrupted runs, requesting only images that may have
/// changed, and keeping only complete and valid ones.
///
/// An image that is unavailable is reported and does not delay the others; its previous version is kept.
public struct ImageDownload: Sendable {
  /// The limits of a download.
  public struct Limits: Sendable, Hashable {
    /// Requests under way at one time.
    public var parallel = 16
    /// The maximum size of an image, in bytes.
    public var bytesEach = 64 << 20
    /// The most that is received in one run, in bytes.
    public var bytesInAll = 8 << 30
    /// The maximum number of attempts per image when responses are interrupted.
    var attempts = 4
    /// The usual limits.
    public init() {}
  }

  /// The progress of a download.
  public struct Progress: Sendable, Hashable {
    /// Images that are finished, with any outcome, and all images.
    public var done = 0, all = 0
    /// Bytes received.
    public var bytes = 0
  }

  /// The outcome of a download.
  public struct Summary: Sendable {
    /// Images that are new, changed, and unchanged.
    public var added = 0, changed = 0, unchanged = 0
    /// The failures, in the order of the requests.
    public var failures: [Problem] = []
    /// Bytes received.
    public var bytes = 0
  }

  private let transport: any HTTPTransport
  private let archive: any ImageArchive
  private let limits: Limits
  private let progress: @Sendable (Progress) -> Void

  /// Creates a download over `transport` into `archive`; `progress` is called from any task.
  public init(
    _ transport: any HTTPTransport, into archive: any ImageArchive, _ limits: Limits = Limits(),
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) {
    self.transport = transport
    self.archive = archive
    self.limits = limits
    self.progress = progress
  }

  /// Downloads the images, and records what is stored.
  /// - Throws: errors of the archive. Images stored so far are kept, and the next run does not request them again.
  public func run(_ references: [ImageReference]) async throws(Problem) -> Summary {
    let meter = ImageMeter(all: references.count, limit: limits.bytesInAll, progress)
    var records: [ImageReference.Place: ImageRecord] = [:]
    for record in try archive.records() { records[record.reference.place] = record }
    let known = records
    let fetch = ImageFetch(transport: transport, archive: archive, limits: limits, meter: meter)

    let outcomes = try await references.mapInParallel(most: limits.parallel, on: transport.readers) {
      (reference) async throws(Problem) -> ImageFetch.Outcome in
      let outcome = try await fetch.run(reference, known: known[reference.place])
      meter.finishOne()
      return outcome
    }

    var summary = Summary(), superseded: [String] = []
    for outcome in outcomes {
      switch outcome {
      case .failed(let problem): summary.failures.append(problem)
      case .unchanged(let record):
        summary.unchanged += 1
        records[record.reference.place] = record
      case .kept(let record):
        let old = known[record.reference.place]
        if old == nil { summary.added += 1 } else { summary.changed += 1 }
        // A list that was copied from elsewhere may name files that bb did not write.
        if let old, old.file != record.file, old.reference.names(old.file) { superseded.append(old.file) }
        records[record.reference.place] = record
      }
    }
    summary.bytes = meter.bytes
    try archive.save(records.values.sorted { $0.reference.place < $1.reference.place }, superseded: superseded)
    return summary
  }
}

extension ImageReference {
  /// The record of an image and its number, independent of its URL.
  struct Place: Hashable, Comparable {
    let dataset: [UInt8], key: [UInt8], number: Int

    static func < (a: Place, b: Place) -> Bool {
      if a.dataset != b.dataset { return a.dataset.lexicographicallyPrecedes(b.dataset) }
      if a.key != b.key {
        // Numbers in the order of numbers.
        if let one = Int64(String(decoding: a.key, as: UTF8.self)),
          let other = Int64(String(decoding: b.key, as: UTF8.self)), one != other
        {
          return one < other
        }
        return a.key.lexicographicallyPrecedes(b.key)
      }
      return a.number < b.number
    }
  }

  var place: Place { Place(dataset: Array(dataset.utf8), key: Array(key.utf8), number: number) }
}
