import Codecs
public import Domain
public import Rows

extension RESTSource: RecordSubmitter {
  /// Sends a record as a JSON object with POST; any status from 200 to 299 means that it was taken.
  /// - Throws: as `RecordSubmitter` says; `configuration` for a variable that is not set.
  public func submit(_ values: [String: Value], to table: String) async throws(Problem) -> [String: Value] {
    do throws(Problem) { return try await send(values, to: table) } catch { throw secret.removed(from: error) }
  }

  private func send(_ values: [String: Value], to table: String) async throws(Problem) -> [String: Value] {
    let dataset = try description.dataset(named: table)
    guard let submission = dataset.submission else {
      throw Problem(
        .usage, "\(name) does not accept new records in \(table)", hint: .run(.listSources, "list the APIs"))
    }
    var members: [JSON.Member] = []
    for member in submission.members {
      guard let value = values[member.name], value != .null else { continue }
      members.append(JSON.Member(Array(member.value.utf8), JSON(stored: value)))
    }
    var call = RESTCall(.get, SourceResponseFormat(.json))
    call.url = server + submission.path
    let signed = try await credentials.signed(call), url = signed.url
    try await pace.wait()
    let request = HTTPRequest(
      .post, url,
      headers: [HTTPHeader("Content-Type", "application/json")] + signed.headers,
      body: JSON.object(members).canonicalBytes, maximumBytes: 1 << 20)
    let document: RESTDocument
    do throws(Problem) {
      let response = try await transport.send(request)
      document = RESTDocument(url: url, status: response.status, body: try await response.bytes())
    } catch {
      throw Self.unknown(error)
    }
    guard (200...299).contains(document.status) else {
      let refusal = document.refusal
      guard (400...499).contains(document.status) else { throw Self.unknown(refusal) }
      throw Problem(.unavailable, "\(refusal.message); the record was not stored", at: refusal.place)
    }
    return document.stored(submission)
  }

  /// A failure after which it is unknown whether the record was stored.
  private static func unknown(_ problem: Problem) -> Problem {
    guard problem.kind == .unavailable || problem.kind == .badData else { return problem }
    return Problem(
      .unavailable, "\(problem.message); the record may or may not have been stored", at: problem.place,
      hint: "check whether it exists before sending it again")
  }
}

extension RESTDocument {
  /// The stored values that the server reports, by column; empty if it reports none.
  fileprivate func stored(_ submission: SourceSubmission) -> [String: Value] {
    let answer: JSON
    do throws(Problem) {
      answer = try JSON.parse(body, name: url, duplicateKeys: .kept)
    } catch {
      return [:]  // Its status said that the record was taken; words about it are welcome, not needed.
    }
    var values: [String: Value] = [:]
    for member in [SourceParameter("id", "id")] + submission.members {
      switch answer[member.value] {
      case .string(let text)?: values[member.name] = .text(text)
      case .number(let literal)?: values[member.name] = .number(literal)
      default: break
      }
    }
    return values
  }
}
