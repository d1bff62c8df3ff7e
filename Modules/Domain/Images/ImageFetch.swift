import Rows

struct ImageFetch: Sendable {
  enum Outcome: Sendable {
    /// It is in its place, new or changed.
    case kept(ImageRecord)
    case unchanged(ImageRecord)
    /// It could not be had.
    case failed(Problem)
  }

  private enum Answer {
    case done(Outcome)
    /// The partial file does not belong to the current image: start again.
    case stale
    /// Interrupted; the rest may be requested.
    case interrupted(Problem)
  }

  let transport: any HTTPTransport
  let archive: any ImageArchive
  let limits: ImageDownload.Limits
  let meter: ImageMeter

  /// Downloads an image; `known` is its stored version.
  /// - Throws: errors of the archive, `cancelled`. Errors of the network or the server are outcomes.
  func run(_ reference: ImageReference, known: ImageRecord?) async throws(Problem) -> Outcome {
    guard meter.isOpen else { return .failed(tooMuch(reference)) }
    var part = try archive.unfinished(reference)
    for attempt in 1...max(1, limits.attempts) {
      switch try await ask(reference, known, &part) {
      case .done(let outcome): return outcome
      case .stale:
        part?.discard()
        part = nil
      case .interrupted(let problem):
        guard attempt < limits.attempts else {
          part?.suspend()
          return .failed(problem)
        }
        if let stopped = part, stopped.validator == nil {
          stopped.discard()
          part = nil
        }
      }
    }
    part?.suspend()
    return .failed(Problem(.unavailable, "changed during the download", at: URLText.redacted(reference.url)))
  }

  private func ask(
    _ reference: ImageReference, _ known: ImageRecord?, _ part: inout (any ImagePart)?
  ) async throws(Problem) -> Answer {
    let known = known.flatMap { $0.reference.url == reference.url ? $0 : nil }
    let begun = part?.count ?? 0
    var headers = [HTTPHeader("Accept", "image/*"), HTTPHeader("Accept-Encoding", "identity")]
    if begun > 0, let validator = part?.validator {
      headers += [HTTPHeader("Range", "bytes=\(begun)-"), HTTPHeader("If-Range", validator.text)]
    } else if let known {
      if let tag = known.etag { headers.append(HTTPHeader("If-None-Match", tag)) }
      if let date = known.lastModified { headers.append(HTTPHeader("If-Modified-Since", date)) }
    }
    var request = HTTPRequest(
      .get, reference.url, headers: headers, timeout: .seconds(600), maximumBytes: limits.bytesEach - begun)
    request.comesFromData = true
    let response: HTTPResponse
    do throws(Problem) { response = try await transport.send(request) } catch {
      if error.kind == .cancelled { throw error }
      part?.suspend()
      return .done(.failed(error.located(at: URLText.redacted(reference.url))))
    }
    switch response.status {
    case 304:
      guard let known, begun == 0, headers.count > 2 else { break }
      return .done(.unchanged(known))
    case 206:
      guard begun > 0, let whole = wholeSize(response, from: begun, part?.validator) else { return .stale }
      return try await receive(response, reference, known, &part, isContinued: true, whole: whole)
    case 200:
      part?.discard()
      part = nil
      part = try archive.begin(reference, response.isEncoded ? nil : ImageValidator(response))
      return try await receive(response, reference, known, &part, isContinued: false, whole: nil)
    case 416 where begun > 0: return .stale
    default: break
    }
    part?.suspend()
    return .done(
      .failed(Problem(.unavailable, "HTTP status \(response.status)", at: URLText.redacted(reference.url))))
  }

  /// The size of the image that a partial response continues at `begun`; nil if the response does not match.
  private func wholeSize(_ response: HTTPResponse, from begun: Int, _ validator: ImageValidator?) -> Int? {
    // Servers may ignore the condition of a request; they must send the ETag that it names.
    if let validator, validator.text.hasPrefix("\""), response.header("ETag") != validator.text { return nil }
    guard !response.isEncoded, let range = response.header("Content-Range"), range.hasPrefix("bytes \(begun)-"),
      let whole = range.split(at: "/").last.flatMap({ Int($0) }), whole > begun
    else { return nil }
    return whole
  }

  private func receive(
    _ response: HTTPResponse, _ reference: ImageReference, _ known: ImageRecord?, _ part: inout (any ImagePart)?,
    isContinued: Bool, whole: Int?
  ) async throws(Problem) -> Answer {
    guard let open = part else { return .stale }
    let place = URLText.redacted(reference.url)
    var iterator: any AsyncIteratorProtocol<[UInt8], Problem> = response.body.makeAsyncIterator()
    while true {
      let chunk: [UInt8]?
      do throws(Problem) { chunk = try await iterator.next(isolation: #isolation) } catch {
        if error.kind == .cancelled {
          open.suspend()
          throw error
        }
        if error.isTransient { return .interrupted(error) }
        open.discard()
        part = nil
        return .done(.failed(error.located(at: place)))
      }
      guard let chunk else { break }
      try open.append(chunk)
      guard meter.take(chunk.count) else {
        open.suspend()
        return .done(.failed(tooMuch(reference)))
      }
    }
    if let whole, open.count != whole {
      return .interrupted(Problem(.unavailable, "the response was truncated", at: place))
    }
    let found: (kind: ImageKind, sha256: String)
    do throws(Problem) { found = try open.check() } catch {
      guard error.kind == .badData else { throw error }
      // What another run received may be what is wrong.
      if isContinued { return .stale }
      open.discard()
      part = nil
      return .done(.failed(error.located(at: place)))
    }
    let record = ImageRecord(
      reference, file: "\(reference.stem).\(found.kind.fileExtension)", bytes: open.count, sha256: found.sha256,
      etag: response.header("ETag"), lastModified: response.header("Last-Modified"))
    part = nil
    if let known, known.sha256 == record.sha256, known.file == record.file {
      open.discard()
      return .done(.unchanged(record))
    }
    try open.publish(as: record.file)
    try archive.note(record)
    return .done(.kept(record))
  }

  private func tooMuch(_ reference: ImageReference) -> Problem {
    Problem(
      .busy, "skipped: the download limit of \(limits.bytesInAll >> 20) MiB was reached",
      at: URLText.redacted(reference.url),
      hint: ["run the command again for the rest", .raise(.imageTotal)])
  }
}

extension HTTPResponse {
  /// Whether its bytes are not those of the file.
  fileprivate var isEncoded: Bool { header("Content-Encoding").map { $0.lowercased() != "identity" } ?? false }
}
