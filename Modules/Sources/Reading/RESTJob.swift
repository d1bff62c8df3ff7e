import Codecs
import Domain
import Rows

extension RESTSource {
  /// Creates an export job, and waits for its end.
  /// - Parameter query: the request for the records, with the values that the job is for.
  /// - Returns: the URL of the records, or the request for them.
  /// - Throws: `unavailable` for a job that fails, or does not end before the deadline.
  func finished(_ job: SourceJob, of dataset: APIDataset, _ query: RESTQuery) async throws(Problem) -> RESTCall {
    let end = ContinuousClock.now + services.deadline
    let created = try await created(job, query, until: end)
    guard let id = created.document.value(at: job.id)?.parameterText else {
      throw Problem(.badData, "the response has no \(job.id)", at: URLText.redacted(server + job.path))
    }
    let query = query.placing(id, at: SourceJob.name) ?? query, shown = RESTText.firstWords(Array(id.utf8))
    let address = server + query.placed(in: job.status, with: [SourceParameter(SourceJob.name, id)]).text
    let place = URLText.redacted(address)
    var state = created, pause = job.interval
    let start = ContinuousClock.now
    while !job.done.holds(in: state.document) {
      let word = RESTText.value(state.document.value(at: job.done.pointer) ?? .null)
      if let failed = job.failed, failed.holds(in: state.document) {
        throw Problem(
          .unavailable, "the export job \(shown) failed: \(word)", at: place)
      }
      let now = ContinuousClock.now
      guard now + .seconds(pause) < end else {
        throw Problem(
          .unavailable, "the export job \(shown) is still \(word)", at: place,
          hint: .raise(.deadline))
      }
      if now - start >= .seconds(1) {
        services.waiting("waiting \((now - start).components.seconds) s: the export job \(shown) is \(word)")
      }
      do { try await Task.sleep(for: .seconds(pause)) } catch {
        throw Problem(.cancelled, "interrupted", at: place)
      }
      pause = min(pause * 2, 60)
      var call = RESTCall(.get, dataset.responseFormat)
      call.url = address
      call.isStorable = false
      guard let next = try await reply(call, absentIsNothing: false) else { break }
      state = next
    }
    var call = RESTCall(dataset.request, dataset.responseFormat)
    (call.url, call.body, call.headers, call.isStorable) = (server + query.text, query.body, query.headers, false)
    if let pointer = job.link {
      guard let link = state.document.value(at: pointer)?.stringValue else {
        throw Problem(.badData, "the export job \(shown) has no \(pointer)", at: place)
      }
      call.url = RESTOrigin.resolved(link, against: address)
      guard RESTOrigin(call.url) == RESTOrigin(server) || URLText.scheme(of: call.url) == "https" else {
        throw Problem(
          .badData,
          "the records of the export job are on another server without encryption: \(URLText.redacted(call.url))",
          at: place)
      }
    }
    return call
  }

  /// Sends the request that creates a job; again only if the server has refused it.
  private func created(
    _ job: SourceJob, _ query: RESTQuery, until end: ContinuousClock.Instant
  ) async throws(Problem) -> JSONResponse {
    let sent = query.placed(in: job.path, job.request)
    var call = RESTCall(job.request, SourceResponseFormat())
    (call.url, call.body, call.headers) = (server + sent.text, sent.body, sent.headers)
    (call.isStorable, call.isRepeatable) = (false, false)
    while true {
      let (response, body) = try await exchange(call, mayBeAbsent: false)
      let wait = response.header("Retry-After").flatMap { Int64($0) } ?? (response.status == 429 ? 5 : nil)
      guard [429, 503].contains(response.status), let wait, wait <= 120, ContinuousClock.now + .seconds(wait) < end
      else {
        let status = (200...202).contains(response.status) ? 200 : response.status
        let document = RESTDocument(url: call.url, status: status, body: body, definition: definition)
        return JSONResponse(document: try await document.parsed().document, headers: response.headers) {}
      }
      do { try await Task.sleep(for: .seconds(max(wait, 1))) } catch {
        throw Problem(.cancelled, "interrupted", at: URLText.redacted(call.url))
      }
    }
  }
}
