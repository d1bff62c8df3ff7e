import Synchronization

/// Names that are looked up once, when they are first asked for.
final class CachedNames: Sendable {
  private let known = Mutex<[String]?>(nil)

  func names(_ read: () -> [String]) -> [String] {
    known.withLock { known in
      if let known { return known }
      let names = read()
      known = names
      return names
    }
  }
}
