public import Rows

/// Receives a file over HTTP: continues what an earlier attempt left, and receives nothing if the file is unchanged.
public struct ResumableDownload: Sendable {
  /// The outcome of a download.
  public enum Outcome: Sendable {
    /// The target has the whole file, of which this is the last response.
    case received(HTTPResponse)
    /// The file is the one that is known.
    case unchanged
    /// There is no response.
    case unreachable(Problem)
    /// The response is not the file.
    case refused(HTTPResponse)
    /// The file is not complete, or not what it should be.
    case incomplete(Problem)
  }

  private let transport: any HTTPTransport
  private let request: HTTPRequest
  private let place: String
  private let isObject: Bool
  private let attempts: Int, allAttempts: Int

  /// Creates a download.
  /// - Parameters:
  ///   - request: for the whole file, without conditions.
  ///   - place: its name in messages.
  ///   - isObject: whether it is an object of a bucket, for which a range requires a condition of its own.
  ///   - transport: sends requests.
  ///   - attempts: the most attempts in a row that receive nothing.
  ///   - allAttempts: the most attempts of all.
  public init(
    _ request: HTTPRequest, at place: String, isObject: Bool = false, over transport: any HTTPTransport, attempts: Int,
    allAttempts: Int
  ) {
    (self.request, self.place, self.isObject, self.transport) = (request, place, isObject, transport)
    (self.attempts, self.allAttempts) = (attempts, allAttempts)
  }

  /// Fills `target`, which has an incomplete file afterwards only if that can be continued.
  /// - Parameters:
  ///   - target: the file.
  ///   - known: the ETag and the date of last change of the complete file that is there.
  ///   - first: the response to the first request, if that was sent.
  ///   - progress: called for each piece with its bytes, those received so far, and those of the file; throws to end
  ///     the download.
  ///   - check: throws `badData` if the file is not what it should be.
  /// - Throws: errors of the target, `cancelled`.
  public func run(
    into target: any DownloadTarget, known: (etag: String?, modified: String?)?, first: HTTPResponse? = nil,
    progress: (_ bytes: Int, _ count: Int, _ size: Int?) throws(Problem) -> Void,
    check: () throws(Problem) -> Void = {}
  ) async throws(Problem) -> Outcome {
    do throws(Problem) {
      let outcome = try await fill(target, known, first, progress, check)
      if case .received = outcome { return outcome }
      target.suspend()
      return outcome
    } catch {
      target.suspend()
      throw error
    }
  }

  private func fill(
    _ target: any DownloadTarget, _ known: (etag: String?, modified: String?)?, _ first: HTTPResponse?,
    _ progress: (Int, Int, Int?) throws(Problem) -> Void, _ check: () throws(Problem) -> Void
  ) async throws(Problem) -> Outcome {
    var first = first, failures = 0
    var last = Problem(.unavailable, "changed during the download", at: place)
    for _ in 0..<allAttempts where failures < attempts {
      failures += 1
      // A bucket compares no dates.
      let beginning = target.beginning.flatMap { isObject && !$0.validator.isTag ? nil : $0 }
      let response: HTTPResponse
      do throws(Problem) {
        if let first { response = first } else { response = try await transport.send(request(beginning, known)) }
        first = nil
      } catch {
        if error.kind == .cancelled { throw error }
        return .unreachable(error)
      }
      var begun = 0, size: Int?
      switch (response.status, beginning) {
      case (304, nil) where known?.etag != nil || known?.modified != nil: return .unchanged
      case (206, let beginning?):
        guard let range = ContentRange(response), response.continues(beginning, range) else {
          target.discard()
          continue
        }
        (begun, size) = (range.start, range.size ?? beginning.size)
        try target.resume()
      case (200, _):
        size = response.isEncoded ? nil : response.header("Content-Length").flatMap { Int($0) }
        try target.begin(response)
      case (412, _?), (416, _?):
        target.discard()
        continue
      default: return .refused(response)
      }
      guard let problem = try await receive(response, into: target, after: begun, of: size, progress) else {
        do throws(Problem) { try check() } catch {
          guard error.kind == .badData else { throw error }
          target.discard()
          // The bytes of an earlier attempt may be wrong.
          if begun > 0 { continue }
          return .incomplete(error)
        }
        return .received(response)
      }
      target.suspend()
      guard problem.isTransient else { return .incomplete(problem) }
      last = problem
      if let left = target.beginning, left.count > begun, begun > 0 || beginning == nil { failures = 0 }
    }
    return .incomplete(last)
  }

  private func request(
    _ beginning: DownloadBeginning?, _ known: (etag: String?, modified: String?)?
  ) -> HTTPRequest {
    var request = request
    if let beginning {
      request.headers += [
        HTTPHeader("Range", "bytes=\(beginning.count)-"),
        HTTPHeader(isObject ? "If-Match" : "If-Range", beginning.validator.text),
      ]
      request.maximumBytes -= beginning.count
    } else if let known {
      if let tag = known.etag { request.headers.append(HTTPHeader("If-None-Match", tag)) }
      if let date = known.modified { request.headers.append(HTTPHeader("If-Modified-Since", date)) }
    }
    return request
  }

  /// - Parameter size: the size of the complete file; nil if not known.
  /// - Returns: why the body is not complete; nil if it is.
  private func receive(
    _ response: HTTPResponse, into target: any DownloadTarget, after begun: Int, of size: Int?,
    _ progress: (Int, Int, Int?) throws(Problem) -> Void
  ) async throws(Problem) -> Problem? {
    var count = begun
    var chunks: any AsyncIteratorProtocol<[UInt8], Problem> = response.body.makeAsyncIterator()
    while true {
      let chunk: [UInt8]?
      do throws(Problem) { chunk = try await chunks.next(isolation: #isolation) } catch {
        if error.kind == .cancelled { throw error }
        return error
      }
      guard let chunk else { break }
      try target.append(chunk)
      count += chunk.count
      do throws(Problem) { try progress(chunk.count, count, size) } catch { return error }
    }
    guard let size, size != count else { return nil }
    // Bytes beyond the end of the file are of another version.
    if count > size { target.discard() }
    var problem = Problem(.unavailable, "the response was truncated", at: place)
    problem.isTransient = true
    return problem
  }
}

extension HTTPResponse {
  /// Whether a partial response is the rest of the file: servers may ignore the condition of a request.
  fileprivate func continues(_ beginning: DownloadBeginning, _ range: ContentRange) -> Bool {
    if beginning.validator.isTag {
      guard header("ETag") == beginning.validator.text else { return false }
    } else if let date = header("Last-Modified"), date != beginning.validator.text {
      return false
    }
    let sizes = Set([range.size, beginning.size].compactMap { $0 })
    return range.start == beginning.count && sizes.count <= 1
  }
}
