import Codecs
import Synchronization

/// Cached responses in private files: one for each request, or one for all requests of a shelf.
final class CacheStore: Sendable {
  private let directory: String
  /// Those of shelves, each opened once.
  private let shelves = Mutex<[String: CacheBundle]>([:])

  init(directory: String) { self.directory = directory + "/http" }

  /// The place of the response to a request. A class: as a structure it ends debug builds after a request, because its
  /// memory is freed in the wrong order.
  final class Place: Sendable {
    private let bundle: CacheBundle, key: CacheBundle.Key

    fileprivate init(bundle: CacheBundle, key: CacheBundle.Key) { (self.bundle, self.key) = (bundle, key) }

    /// The response; nil if there is none, or it is damaged.
    var entry: CacheEntry? { bundle.entry(key) }
    /// Stores a response; false if it could not be written.
    @discardableResult func keep(_ entry: CacheEntry) -> Bool { bundle.keep(entry, key) }
    /// Records that the response was found unchanged. If that cannot be written, it is only requested sooner.
    func noteUnchanged(at seconds: Int64) { bundle.noteUnchanged(key, at: seconds) }
  }

  /// - Parameter shelf: the collection of the response, if there is one.
  func place(of question: String, on shelf: String? = nil) -> Place {
    let question = Array(question.utf8), key = CacheBundle.Key(question)
    guard let shelf else { return Place(bundle: CacheBundle(path: "\(directory)/\(SHA256.hex(question))"), key: key) }
    return shelves.withLock { shelves in
      let path = "\(directory)/\(SHA256.hex(Array(shelf.utf8))).shelf"
      let bundle = shelves[shelf] ?? CacheBundle(path: path)
      shelves[shelf] = bundle
      return Place(bundle: bundle, key: key)
    }
  }
}
