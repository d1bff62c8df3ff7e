import Codecs
public import Domain
public import Rows

/// The proof of a draft: its ways of paging are tried one after the other, and then the definition as a whole.
extension SourceDraft {
  /// The most requests for ways of paging.
  private static let mostRequests = 10

  /// The outcome of a way of paging.
  private enum Attempt {
    case proven(String), dropped(String)
    /// The first page is another one.
    case elsewhere
  }

  /// Drafts a definition from the response at a URL, and tries it.
  /// - Parameters:
  ///   - request: what is to be drafted.
  ///   - document: the description of the API in place of a response; nil to request the URL.
  ///   - server: the server in place of that of a description.
  ///   - inner: sends requests.
  ///   - first: sends the first request, again where that may help.
  ///   - environment: the variables of the environment.
  ///   - secrets: values that are not printed.
  ///   - variables: values for the parameters of a description, by name.
  public static func made(
    _ request: SourceDraftRequest, of document: OpenAPIDocument? = nil, server: String? = nil,
    variables: [String: String] = [:], by inner: any HTTPTransport, first: any HTTPTransport,
    environment: [String: String], secrets: Secrets
  ) async throws(Problem) -> DraftOutcome {
    for secret in DraftURL(request.url).secrets { secrets.add(secret) }
    let transport = DraftTransport(inner, first: first)
    var request = request, evidence: DraftEvidence?
    if let document {
      if request.path == nil, document.operations.count != 1 { return DraftOutcome(operations: document.operations) }
      (request, evidence) = try document.request(request, server: server, variables: variables)
    }
    let response = try await RESTSource.response(to: request, transport, environment: environment, secrets)
    if document == nil, let found = try OpenAPIDocument(response.body, at: request.url) {
      return try await made(
        request, of: found, server: server, variables: variables, by: inner, first: first, environment: environment,
        secrets: secrets)
    }
    if document == nil, let path = request.path {
      throw Problem(.badData, "not an OpenAPI 3 document; \(path) is a path of one", at: request.url)
    }
    var draft = try await SourceDraft(request, response.body, headers: response.headers, evidence)
    guard request.pages > 1 else { return DraftOutcome(draft: draft.untried) }
    let trial = Trial(
      sent: response.request, transport: transport,
      environment: environment.merging(draft.values) { given, _ in given },
      secrets: secrets, pages: request.pages)
    let problem = await draft.prove(trial)
    return DraftOutcome(draft: draft, problem: problem)
  }

  /// The draft, with the line that it was not tried.
  public var untried: SourceDraft {
    var draft = self
    draft.note("not tried")
    return draft
  }

  /// The means of a trial.
  private struct Trial {
    /// The request for the first response.
    var sent: HTTPRequest
    var transport: DraftTransport
    var environment: [String: String]
    var secrets: Secrets
    var pages: Int

    /// A source with one dataset.
    func source(_ description: APIDescription, pages: Int) throws(Problem) -> RESTSource {
      var services = RESTSource.Services()
      services.secrets = secrets
      services.sample = SourceSample(pages: pages)
      return try RESTSource(description, transport: transport, environment: environment, services: services) { _ in }
    }
  }

  private mutating func prove(_ trial: Trial) async -> Problem? {
    trial.transport.permit(Self.mostRequests)
    let before = trial.transport.sent
    if !isWhole, let problem = await findPaging(trial) { return problem }
    let further = trial.transport.sent - before
    trial.transport.forgetAssumed()
    trial.transport.permit(trial.pages + 4)
    var pages: [[RESTRecord]] = []
    do throws(Problem) { pages = try await read(description, trial, pages: trial.pages) } catch {
      note("tried    page 1: \(error.message)")
      return failure(error)
    }
    infer(from: Array(pages.joined().map(\.value).prefix(DraftRecords.most)))
    for round in 1...4 {
      do throws(Problem) {
        let outcome = try await trial.source(description, pages: trial.pages).trial(of: dataset.schema.name)
        guard let problem = outcome.problem else { break }
        guard round < 4, widen(outcome.misfits) else {
          note("tried    \(problem.message)")
          return failure(problem)
        }
      } catch {
        return failure(error)
      }
    }
    let count = pages.count == 1 ? "1 page" : "\(pages.count) pages"
    let requests = further == 1 ? "1 further request" : "\(further) further requests"
    note("tried    \(count), \(requests): every value fits")
    return nil
  }

  /// Tries the ways of paging, the most likely first; the one that works becomes that of the definition.
  private mutating func findPaging(_ trial: Trial) async -> Problem? {
    var proven: DraftPaging.Guess?
    for candidate in candidates where candidate.paging.type != .none {
      var guess = candidate
      var outcome = await attempt(guess, trial)
      if case .elsewhere = outcome, guess.paging.type == .page, guess.paging.first == 1 {
        guess.paging.first = 0
        outcome = await attempt(guess, trial)
      } else if case .dropped = outcome, guess.paging.type == .offset, guess.paging.first == 0, repeatsOne {
        guess.paging.first = 1
        outcome = await attempt(guess, trial)
      }
      switch outcome {
      case .proven(let reason):
        guess.reason += "; \(reason)"
        proven = guess
      case .dropped(let reason): note("tried    \(guess.paging.shown): \(reason)")
      case .elsewhere: note("tried    \(guess.paging.shown): the first page has other records")
      }
      if proven != nil || trial.transport.isClosed { break }
    }
    if proven == nil, let status = trial.transport.refusal {
      return failure(Problem(.unavailable, "the server refuses further requests: status \(status)"))
    }
    if proven == nil {
      if let sign {
        note("tried    none: the API has more records (\(sign))")
        return failure(nil)
      }
      var guess = DraftPaging.Guess(paging: SourcePaging(.none), reason: "nothing announces another page")
      if isFull {
        guess.paging.isDeclaredWhole = true
        guess.reason = "the response has as many records as the URL requests, but no further page was found"
        guess.isUncertain = true
      }
      proven = guess
    }
    if var guess = proven {
      guess.isUncertain = guess.isUncertain && guess.paging.type == .none
      choose(guess)
    }
    return nil
  }

  /// Reads the first two pages by a way of paging.
  private mutating func attempt(_ guess: DraftPaging.Guess, _ trial: Trial) async -> Attempt {
    repeatsOne = false
    let description = description(with: guess)
    do throws(Problem) {
      let source = try trial.source(description, pages: 2), dataset = source.description.datasets[0]
      let query = RESTQuery(dataset)
      if guess.paging.type != .page, !guess.isElsewhere {
        let walk = PageWalk(dataset.paging, query)
        let call = try source.call(walk.first, after: source.server, of: dataset, walk.query, nil)
        let signed = try await source.credentials.signed(call)
        trial.transport.assume(call.request(signed.url, signed.headers), like: trial.sent)
      }
      let pages = try await read(description, trial, pages: 2).map { Set($0.map(identity)) }
      let known = Set(sample.map(identity))
      guard let first = pages.first, !first.isEmpty else { return .dropped("page 1 has no records") }
      if !guess.isElsewhere, first.isDisjoint(with: known) { return .elsewhere }
      guard pages.count > 1 else {
        return guess.isGiven && guess.paging.total != nil
          ? .proven("the announced total is reached") : .dropped("no page 2")
      }
      let repeated = pages[1].intersection(first).count
      repeatsOne = repeated == 1 && first.count > 1
      if pages[1].isEmpty { return .dropped("page 2 has no records") }
      if repeated > 0 { return .dropped("page 2 repeats \(repeated) of \(pages[1].count) records") }
      return .proven("page 2 is new")
    } catch {
      return .dropped(error.status.map { "status \($0)" } ?? error.message)
    }
  }

  /// The records of the first pages.
  private func read(_ description: APIDescription, _ trial: Trial, pages: Int) async throws(Problem) -> [[RESTRecord]] {
    let source = try trial.source(description, pages: pages), dataset = source.description.datasets[0]
    var found: [[RESTRecord]] = []
    _ = try await source.walk(dataset, RESTQuery(dataset), RESTContext(), RESTWalkLimit(isSoft: true)) {
      (page) throws(Problem) in
      found.append(page.records)
      return true
    }
    return found
  }

  private func failure(_ cause: Problem?) -> Problem {
    Problem(
      .badData,
      "no definition of the response works"
        + (cause.map { ": \($0.message)" } ?? ": no way of paging reads all records"),
      at: cause?.place ?? "",
      hint: .advice("draft from one page, which is not tried, and complete it by hand"))
  }
}

/// A draft, or the choices for one.
public struct DraftOutcome: Sendable {
  /// The draft; nil for `operations`.
  public var draft: SourceDraft?
  /// Why it does not work; nil if it does, or was not tried.
  public var problem: Problem?
  /// The operations to choose from.
  public var operations: [[String]]?

  /// An outcome.
  public init(draft: SourceDraft? = nil, problem: Problem? = nil, operations: [[String]]? = nil) {
    (self.draft, self.problem, self.operations) = (draft, problem, operations)
  }
}
