import Domain
import Rows

extension RESTSource {
  /// The response that a source definition is inferred from.
  /// - Throws: `unavailable` for a status other than 200.
  static func response(
    to draft: SourceDraftRequest, _ transport: any HTTPTransport, environment: [String: String], _ secrets: Secrets
  ) async throws(Problem) -> (body: [UInt8], headers: HTTPFields, request: HTTPRequest) {
    let url = DraftURL(draft.url)
    var description = APIDescription(
      name: url.name, baseURL: url.base, authorization: draft.authorization, headers: draft.headers, datasets: [])
    description.grammar = 2
    var services = RESTSource.Services()
    services.secrets = secrets
    let source = try RESTSource(description, transport: transport, environment: environment, services: services) { _ in
    }
    do throws(Problem) {
      var call = RESTCall(draft.body == nil ? .get : .post(nil), SourceResponseFormat())
      call.url = String(draft.url.prefix { $0 != "#" })
      call.body = draft.body
      call.keptHeaders = ["Link"]
      let signed = try await source.credentials.signed(call)
      let (response, body) = try await source.exchange(call, mayBeAbsent: false)
      guard response.status == 200 else {
        throw RESTDocument(url: call.url, status: response.status, body: body, definition: "the URL").refusal
      }
      return (body, response.headers, call.request(signed.url, signed.headers))
    } catch { throw source.secret.removed(from: error) }
  }
}
