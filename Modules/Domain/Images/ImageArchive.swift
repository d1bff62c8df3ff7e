public import Rows

/// The storage of downloaded images. Only one process at a time uses it.
public protocol ImageArchive: Sendable {
  /// The images stored so far whose files still exist with the same size.
  func records() throws(Problem) -> [ImageRecord]
  /// The file of an image that is to be received, with the beginning that an earlier run left.
  func part(of reference: ImageReference) throws(Problem) -> any ImagePart
  /// Records that an image is stored, so that an interrupted run does not request it again.
  func note(_ record: ImageRecord) throws(Problem)
  /// Makes everything last, and `records` the manifest, in place of the one before; then removes the files that
  /// `superseded` names.
  func save(_ records: [ImageRecord], superseded: [String]) throws(Problem)
}

/// An image that is being downloaded.
public protocol ImagePart: DownloadTarget {
  /// The bytes received.
  var count: Int { get }
  /// Checks that the bytes are a complete image, and returns its kind.
  /// - Throws: `badData` if they are not.
  func check() throws(Problem) -> (kind: ImageKind, sha256: String)
  /// Puts the file in its place under this name, whatever was there.
  func publish(as file: String) throws(Problem)
}
