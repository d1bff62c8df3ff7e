import Rows

struct ImageFetch: Sendable {
  enum Outcome: Sendable {
    /// It is in its place, new or changed.
    case kept(ImageRecord)
    case unchanged(ImageRecord)
    /// It could not be had.
    case failed(Problem)
  }

  let transport: any HTTPTransport
  let archive: any ImageArchive
  let limits: ImageDownload.Limits
  let meter: ImageMeter

  /// Downloads an image; `known` is its stored version.
  /// - Throws: errors of the archive, `cancelled`. Errors of the network or the server are outcomes.
  func run(_ reference: ImageReference, known: ImageRecord?) async throws(Problem) -> Outcome {
    let place = URLText.redacted(reference.url)
    let tooMuch = Problem(
      .busy, "skipped: the download limit of \(limits.bytesInAll >> 20) MiB was reached", at: place,
      hint: ["run the command again for the rest", .raise(.imageTotal)])
    guard meter.isOpen else { return .failed(tooMuch) }
    let known = known.flatMap { $0.reference.url == reference.url ? $0 : nil }
    var request = HTTPRequest(
      .get, reference.url, headers: [HTTPHeader("Accept", "image/*"), HTTPHeader("Accept-Encoding", "identity")],
      timeout: .seconds(600), maximumBytes: limits.bytesEach)
    request.comesFromData = true
    let part = try archive.part(of: reference)
    var found: (kind: ImageKind, sha256: String)?
    let download = ResumableDownload(
      request, at: place, over: transport, attempts: limits.attempts, allAttempts: limits.attempts)
    let outcome = try await download.run(into: part, known: known.map { ($0.etag, $0.lastModified) }) {
      (bytes, _, _) throws(Problem) in
      if !meter.take(bytes) { throw tooMuch }
    } check: { () throws(Problem) in
      found = try part.check()
    }
    switch outcome {
    case .unreachable(let problem): return .failed(problem.located(at: place))
    case .refused(let response):
      return .failed(Problem(.unavailable, "HTTP status \(response.status)", at: place))
    case .incomplete(let problem):
      // The beginning of what is refused is of no use.
      if !problem.isTransient, ![.busy, .unavailable].contains(problem.kind) { part.discard() }
      return .failed(problem.located(at: place))
    case .unchanged:
      if let known { return .unchanged(known) }
    case .received(let response):
      guard let found else { break }
      let record = ImageRecord(
        reference, file: "\(reference.stem).\(found.kind.fileExtension)", bytes: part.count, sha256: found.sha256,
        etag: response.header("ETag"), lastModified: response.header("Last-Modified"))
      if let known, known.sha256 == record.sha256, known.file == record.file {
        part.discard()
        return .unchanged(record)
      }
      try part.publish(as: record.file)
      try archive.note(record)
      return .kept(record)
    }
    return .failed(Problem(.unavailable, "changed during the download", at: place))
  }
}
