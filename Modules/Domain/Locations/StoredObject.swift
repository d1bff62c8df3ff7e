public import Codecs
public import Rows

/// An object of a bucket, or a file below a directory.
public struct StoredObject: Sendable, Hashable {
  /// Its key, or its path in the directory.
  public let key: String
  /// The number of its bytes.
  public let size: Int
  /// The time at which it was written; nil if not known.
  public let modified: Instant?
  /// The identifier of its contents on the server (ETag); nil if not known.
  public let tag: String?

  /// Creates a description.
  public init(key: String, size: Int, modified: Instant? = nil, tag: String? = nil) {
    (self.key, self.size, self.modified, self.tag) = (key, size, modified, tag)
  }
}

/// An upload of an object in parts that is neither complete nor aborted.
public struct UnfinishedUpload: Sendable, Hashable {
  /// The key of the object.
  public let key: String
  /// The identifier that the server gave it.
  public let identifier: String
  /// The time at which it was started; nil if not known.
  public let started: Instant?

  /// Creates a description.
  public init(key: String, identifier: String, started: Instant?) {
    (self.key, self.identifier, self.started) = (key, identifier, started)
  }
}

/// The objects of a bucket, and its unfinished uploads.
///
/// Errors are `noInput` for a bucket that does not exist, `permission`, `unavailable` and `io`.
public protocol ObjectBucket: Sendable {
  /// The objects whose keys begin with `prefix`, in byte order of their keys.
  func objects(withPrefix prefix: String) async throws(Problem) -> [StoredObject]
  /// The unfinished uploads of objects whose keys begin with `prefix`, in byte order of their keys.
  func uploads(withPrefix prefix: String) async throws(Problem) -> [UnfinishedUpload]
  /// Removes the parts of an upload; nothing happens if it is not unfinished any more.
  func abort(_ upload: UnfinishedUpload) async throws(Problem)
}

extension Remedy {
  /// The command that lists the objects near one that does not exist, or below the plain part of a pattern.
  public static func listObjects(near location: String) -> Remedy {
    let plain = location.prefix { !"*?[".contains($0) }
    guard let slash = plain.unicodeScalars.lastIndex(of: "/"), plain[..<slash].last != "/" else { return Remedy() }
    return .run(Action("listObjects", on: String(plain[...slash])), "list the objects")
  }
}
