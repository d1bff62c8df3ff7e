import Codecs
package import Conformance
import Domain
package import Rows
internal import Synchronization

/// The box-office API, served from given responses; posted comments are kept.
package final class BoxOfficeAPI: Sendable {
  private let lists: [String: [UInt8]]
  private let details: [String: JSON]
  private let comments: [String: JSON]
  private let posted = Mutex<[JSON]>([])

  /// Creates an API of these responses.
  /// - Parameters:
  ///   - lists: the movies by the parameter `order_type`, each an object with `movies`.
  ///   - details: pages of movies, objects with an `id`.
  ///   - comments: objects with a `movie_id` and `comments`.
  /// - Throws: `badData` for invalid JSON.
  package init(lists: [String: [UInt8]], details: [[UInt8]], comments: [[UInt8]]) throws(Problem) {
    self.lists = lists
    var pages: [String: JSON] = [:], remarks: [String: JSON] = [:]
    for bytes in details {
      let page = try JSON.parse(bytes, name: "details")
      pages[page["id"]?.stringValue ?? ""] = page
    }
    for bytes in comments {
      let list = try JSON.parse(bytes, name: "comments")
      remarks[list["movie_id"]?.stringValue ?? ""] = list
    }
    self.details = pages
    self.comments = remarks
  }

  /// Comments that were posted, as they came.
  package var received: [String] { posted.withLock { $0.map { String(decoding: $0.canonicalBytes, as: UTF8.self) } } }

  /// Serves `/movies?order_type=`, `/movie?id=`, `/comments?movie_id=` and `POST /comment`; a movie without comments
  /// has an empty list, one without a page is 404 with a message.
  package func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
    switch (request.method, request.path) {
    case ("GET", "/movies"):
      guard let list = lists[request.query["order_type"] ?? "0"] else { return Self.nothing }
      return .whole(200, [HTTPHeader("Content-Type", "application/json")], list)
    case ("GET", "/movie"): return details[request.query["id"] ?? ""].map { Self.json($0) } ?? Self.nothing
    case ("GET", "/comments"):
      let id = request.query["movie_id"] ?? ""
      return Self.json(comments[id] ?? .object(["movie_id": .string(id), "comments": .array([])]))
    case ("POST", "/comment"):
      do throws(Problem) {
        let comment = try JSON.parse(request.body, name: "comment")
        posted.withLock { $0.append(comment) }
        return Self.json(comment, status: 201)
      } catch {
        return .json(#"{"message":"Bad Request"}"#, status: 400)
      }
    default: return Self.nothing
    }
  }

  private static let nothing = LoopbackServer.Answer.json(#"{"message":"Not Found"}"#, status: 404)
  private static func json(_ value: JSON, status: Int = 200) -> LoopbackServer.Answer {
    .json(String(decoding: value.canonicalBytes, as: UTF8.self), status: status)
  }
}
