public import Codecs
public import Rows

/// A directory of files that is published as a whole: until `commit` nothing is to be seen under its name.
///
/// Paths are relative, their parts separated by `/`, and are chosen by bb.
public protocol OutputDirectory: Sendable {
  /// The number of bytes written so far.
  var bytes: Int { get }
  /// Writes a file.
  /// - Throws: `io`; `bug` for a path that was written before.
  func write(_ bytes: [UInt8], to path: String) throws(Problem)
  /// Opens a file for writing.
  /// - Throws: `io`.
  func sink(_ path: String) throws(Problem) -> any ByteSink
  /// Copies an image.
  ///
  /// - Parameters:
  ///   - file: the path of the image.
  ///   - path: the path of the copy without extension.
  /// - Returns: the path of the copy with the extension of its kind; nil if the file is missing, is not an image that
  ///   browsers show, or is larger than 64 MiB.
  /// - Throws: `io`.
  func copy(image file: String, to path: String) throws(Problem) -> String?
  /// Publishes the directory in place of an earlier one.
  /// - Throws: `cannotCreate` if an existing directory was not made by bb, `io`.
  func commit() async throws(Problem)
  func abandon()
}

/// An image that is at hand, for the pages of a site.
public struct ImageFile: Sendable, Hashable {
  /// The path of the file.
  public let path: String
  /// The dataset that it belongs to.
  public let dataset: String
  /// The size in pixels; nil if it is not known.
  public let size: ImageSize?

  /// Creates the description of an image.
  public init(path: String, dataset: String, size: ImageSize? = nil) {
    (self.path, self.dataset, self.size) = (path, dataset, size)
  }
}
