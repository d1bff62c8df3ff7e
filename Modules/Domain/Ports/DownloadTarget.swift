public import Rows

/// A file that a download fills.
public protocol DownloadTarget: Sendable {
  /// The bytes that an earlier attempt received; nil if there are none, or if they cannot be continued.
  var beginning: DownloadBeginning? { get }
  /// Begins with the body of a response; what there was is removed.
  func begin(_ response: HTTPResponse) throws(Problem)
  /// Opens the beginning to append to it.
  func resume() throws(Problem)
  /// Appends bytes.
  func append(_ bytes: [UInt8]) throws(Problem)
  /// Closes an incomplete file, which stays if it can be continued.
  func suspend()
  /// Removes an incomplete file.
  func discard()
}

/// The beginning of a file.
public struct DownloadBeginning: Sendable, Hashable {
  /// The value that the server compares before it sends the rest.
  let validator: FileValidator
  /// Bytes received.
  let count: Int
  /// The size of the complete file in bytes; nil if the server did not state it.
  let size: Int?

  /// A beginning of `count` bytes.
  public init(_ validator: FileValidator, count: Int, size: Int? = nil) {
    (self.validator, self.count, self.size) = (validator, count, size)
  }
}
