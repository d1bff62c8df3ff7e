public import Rows

/// The storage of downloaded images. Only one process at a time uses it.
public protocol ImageArchive: Sendable {
  /// The images stored so far whose files still exist with the same size.
  func records() throws(Problem) -> [ImageRecord]
  /// The partial file of an image that an earlier run started.
  /// - Returns: nil if there is none, or if it belongs to another URL.
  func unfinished(_ reference: ImageReference) throws(Problem) -> (any ImagePart)?
  /// Creates an empty file for an image.
  /// - Parameters:
  ///   - reference: the image.
  ///   - validator: nil if a later run cannot know whether the received bytes are still valid; then the file is
  ///     deleted when it is incomplete.
  func begin(_ reference: ImageReference, _ validator: ImageValidator?) throws(Problem) -> any ImagePart
  /// Records that an image is stored, so that an interrupted run does not request it again.
  func note(_ record: ImageRecord) throws(Problem)
  /// Makes everything last, and `records` the manifest, in place of the one before; then removes the files that
  /// `superseded` names.
  func save(_ records: [ImageRecord], superseded: [String]) throws(Problem)
}

/// An image that is being downloaded.
public protocol ImagePart: Sendable {
  /// The validator that the server compares before it sends the rest.
  var validator: ImageValidator? { get }
  var count: Int { get }
  /// Appends bytes.
  func append(_ bytes: [UInt8]) throws(Problem)
  /// Checks that the bytes are a complete image, and returns its kind.
  /// - Throws: `badData` if they are not.
  func check() throws(Problem) -> (kind: ImageKind, sha256: String)
  /// Puts the file in its place under this name, whatever was there.
  func publish(as file: String) throws(Problem)
  /// Leaves what there is for another run, when it can be continued.
  func suspend()
  func discard()
}
