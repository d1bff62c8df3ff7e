public import Rows

/// Where pictures are kept. One program at a time has it.
public protocol ImageArchive: Sendable {
  /// How messages name it.
  var name: String { get }
  /// What was kept so far, and is still there with the size it had.
  func records() throws(Problem) -> [ImageRecord]
  /// The file for a picture that is to come, as far as an earlier run got.
  /// - Returns: nil when there is nothing of it, or of another URL.
  func unfinished(_ reference: ImageReference) throws(Problem) -> (any ImagePart)?
  /// A new, empty file for a picture that is to come.
  /// - Parameters:
  ///   - reference: the image.
  ///   - validator: nil when it cannot be told later whether what was received still belongs to it; then nothing is left of it.
  func begin(_ reference: ImageReference, _ validator: ImageValidator?) throws(Problem) -> any ImagePart
  /// Notes that a picture is in its place, so that it is not asked for again should the run break off here.
  func note(_ record: ImageRecord) throws(Problem)
  /// Makes everything last, and `records` the manifest, in place of the one before; then removes the files that `superseded` names.
  func save(_ records: [ImageRecord], superseded: [String]) throws(Problem)
}

/// A picture that is being received.
public protocol ImagePart: Sendable {
  /// What a server is asked to compare before it sends the rest.
  var validator: ImageValidator? { get }
  /// Bytes received.
  var count: Int { get }
  /// Appends bytes.
  func append(_ bytes: [UInt8]) throws(Problem)
  /// Whether the bytes are a whole picture, and which.
  /// - Throws: `badData` when they are not.
  func check() throws(Problem) -> (kind: ImageKind, sha256: String)
  /// Puts the file in its place under this name, whatever was there.
  func publish(as file: String) throws(Problem)
  /// Leaves what there is for another run, when it can be continued.
  func suspend()
  /// Removes it.
  func discard()
}
