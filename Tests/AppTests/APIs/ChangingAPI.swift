import Domain
import Glibc
import Rows
import Synchronization
import Testing

/// An API whose records have the time of their last change, and its requests.
final class ChangingAPI: Sendable {
  struct Record: Sendable {
    var id: Int, at: String, parent = "", isDeleted = false
  }
  private let state = Mutex((records: [Record](), requests: [String](), failing: Set<String>()))
  let page: Int

  /// - Parameter page: the most records of a response.
  init(_ records: [Record] = [], page: Int = 3) {
    self.page = page
    state.withLock { $0.records = records }
  }

  func put(_ id: Int, _ at: String, parent: String = "", deleted: Bool = false) {
    state.withLock { state in
      state.records.removeAll { $0.id == id }
      state.records.append(Record(id: id, at: at, parent: parent, isDeleted: deleted))
    }
  }
  func remove(_ id: Int) { state.withLock { state in state.records.removeAll { $0.id == id } } }
  /// Requests that contain one of these texts fail.
  func fail(_ texts: Set<String>) { state.withLock { $0.failing = texts } }
  /// The requests since the last call.
  func requests() -> [String] {
    state.withLock { state in
      defer { state.requests = [] }
      return state.requests
    }
  }

  func respond(_ request: HTTPRequest) throws(Problem) -> HTTPResponse {
    let path = String(request.url.dropFirst("http://h/".count))
    var query: [String: String] = [:]
    for pair in path.split(separator: "?").dropFirst().joined().split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1).map { String($0).replacing("%3A", with: ":") }
      query[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
    let (all, fails) = state.withLock { state in
      state.requests.append(path.replacing("%3A", with: ":"))
      return (state.records, state.failing.contains { path.contains($0) })
    }
    if fails { return Self.response("{}", 500, request) }
    if path.hasPrefix("parents") {
      let parents = Set(all.map(\.parent)).sorted()
      let records = parents.map { parent in
        #"{"name":"\#(parent)","changed":"\#(all.filter { $0.parent == parent }.map(\.at).max() ?? "")"}"#
      }
      return Self.response("{\"data\":[\(records.joined(separator: ","))]}", 200, request)
    }
    var found = all.sorted { ($0.at, $0.id) < ($1.at, $1.id) }
    if let parent = query["parent"] { found.removeAll { $0.parent != parent } }
    if let since = query["since"] { found.removeAll { $0.at < since } }
    if let after = query["after"] { found.removeAll { $0.at <= after } }
    if let until = query["until"] { found.removeAll { $0.at >= until } }
    if query["newest"] != nil { found.reverse() }
    let offset = query["offset"].flatMap { Int($0) } ?? 0
    let part = found.dropFirst(offset).prefix(query["all"] == nil ? page : .max)
    let records = part.map { #"{"id":\#($0.id),"at":"\#($0.at)","gone":\#($0.isDeleted)}"# }
    let more = offset + part.count < found.count
    return Self.response("{\"data\":[\(records.joined(separator: ","))],\"more\":\(more)}", 200, request)
  }

  private static func response(_ text: String, _ status: Int, _ request: HTTPRequest) -> HTTPResponse {
    HTTPResponse(status, text)
  }
}

func day(_ day: Int, _ hour: Int = 0) -> String {
  "2024-01-\(day < 10 ? "0" : "")\(day)T\(hour < 10 ? "0" : "")\(hour):00:00Z"
}
