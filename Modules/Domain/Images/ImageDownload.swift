public import Rows

/// Fetches pictures into an archive: several at a time, continued where an earlier run broke off, asked for only when they may have changed, and kept
/// only when they are pictures and whole.
///
/// A picture that cannot be had is told of and holds up no other; what was kept of it before stays.
public struct ImageDownload: Sendable {
  /// How much is taken.
  public struct Limits: Sendable, Hashable {
    /// Requests under way at one time.
    public var parallel = 16
    /// The largest picture, in bytes.
    public var bytesEach = 64 << 20
    /// The most that is received in one run, in bytes.
    public var bytesInAll = 8 << 30
    /// How often a picture is asked for when answers break off.
    public var attempts = 4
    /// The usual limits.
    public init() {}
  }

  /// How far the work is.
  public struct Progress: Sendable, Hashable {
    /// Pictures that are done, whatever became of them, and pictures in all.
    public var done = 0, all = 0
    /// Bytes received.
    public var bytes = 0
  }

  /// What became of the pictures.
  public struct Summary: Sendable {
    /// Pictures that were not there before, that have changed, that are as they were.
    public var added = 0, changed = 0, unchanged = 0
    /// What could not be had, and why, in the order they were asked for.
    public var failures: [Problem] = []
    /// Bytes received.
    public var bytes = 0
  }

  private let transport: any HTTPTransport
  private let archive: any ImageArchive
  private let limits: Limits
  private let progress: @Sendable (Progress) -> Void

  /// A download over `transport` into `archive`; `progress` is told how far it is, from any task.
  public init(
    _ transport: any HTTPTransport, into archive: any ImageArchive, _ limits: Limits = Limits(),
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) {
    self.transport = transport
    self.archive = archive
    self.limits = limits
    self.progress = progress
  }

  /// Fetches these pictures, and writes down what is there now.
  /// - Throws: what the archive throws; pictures that are there already are not lost, nor asked for again by the next run.
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
        if let old, old.file != record.file { superseded.append(old.file) }
        records[record.reference.place] = record
      }
    }
    summary.bytes = meter.bytes
    try archive.save(records.values.sorted { $0.reference.place < $1.reference.place }, superseded: superseded)
    return summary
  }
}

extension ImageReference {
  /// Whose picture it is, and which, wherever it is.
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
