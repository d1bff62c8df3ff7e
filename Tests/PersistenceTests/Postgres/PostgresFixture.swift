import Conformance
import Glibc
import Persistence
import Synchronization

/// Stores on the server that BB_TEST_POSTGRES names, each in a schema of its own; none without it. The database is
/// thrown away afterwards.
enum PostgresFixture {
  private static let number = Mutex(0)
  /// The location of the server; nil if there is none.
  static let server = unsafe getenv("BB_TEST_POSTGRES").map { unsafe String(cString: $0) }

  static var all: [StoreFixture] {
    guard let server else { return [] }
    return [
      StoreFixture("postgres") {
        let number = number.withLock { number in
          number += 1
          return number
        }
        let text = "\(server)\(server.contains("?") ? "&" : "?")schema=law_\(getpid())_\(number)"
        return { StoreFixtures.registry.open(StoreLocation(scheme: "postgres", path: String(text.dropFirst(9)))) }
      }
    ]
  }
}
