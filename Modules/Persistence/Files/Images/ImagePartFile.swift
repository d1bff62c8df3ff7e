import Codecs
import Domain
import Files
import Glibc
import Rows
import Synchronization

/// An image that is being received. The name of its file has everything needed to continue: the record, the URL and
/// the server's validator.
final class ImagePartFile: ImagePart {
  let validator: ImageValidator?
  private let path: String
  private let directory: String

  private struct State {
    var descriptor: Int32
    var count = 0
    var hash = SHA256()
    var scanner = ImageScanner()

    mutating func take(_ bytes: RawSpan) {
      count += bytes.byteCount
      hash.update(bytes)
      scanner.update(bytes)
    }
  }
  private let state: Mutex<State>

  /// The name of an image's parts up to the validator: `KEY-N.` and a digest of the URL.
  static func prefix(_ reference: ImageReference) -> String {
    "\(reference.stem).\(SHA256.hex(Array(reference.url.utf8)).prefix(12))."
  }

  /// Creates a file in the directory `parts`, for `directory`; one of the same name is replaced.
  init(_ reference: ImageReference, _ validator: ImageValidator?, parts: String, in directory: String) throws(Problem) {
    self.validator = validator
    self.directory = directory
    path = "\(parts)/\(Self.prefix(reference))\(Self.hex(validator)).part"
    let flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW
    state = Mutex(State(descriptor: try RegularFile.open(path, flags, mode: 0o666, action: "create")))
  }

  /// Opens the file at `path` and reads its bytes again; nil if it cannot be continued, in which case it is deleted.
  init?(continuing path: String, _ reference: ImageReference, in directory: String) throws(Problem) {
    self.path = path
    self.directory = directory
    validator = Self.validator(of: path)
    let descriptor: Int32
    do throws(Problem) { descriptor = try RegularFile.open(path, O_RDWR | O_NOFOLLOW) } catch {
      if error.kind == .noInput { return nil }
      throw error
    }
    state = Mutex(State(descriptor: descriptor))
    guard validator != nil else {
      discard()
      return nil
    }
    try FileByteSource(path: path).forEachPiece { bytes in state.withLock { $0.take(bytes) } }
    guard lseek(descriptor, 0, SEEK_END) == off_t(count) else { throw Problem.posix(errno, "read", path) }
    if count == 0 {
      discard()
      return nil
    }
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { close(descriptor) }
  }

  var count: Int { state.withLock { $0.count } }

  func append(_ bytes: [UInt8]) throws(Problem) {
    let place = path
    try state.withLock { (state) throws(Problem) in
      let span = unsafe bytes.span.bytes
      try writeAll(span, to: state.descriptor, place: place)
      state.take(span)
    }
  }

  func check() throws(Problem) -> (kind: ImageKind, sha256: String) {
    let place = path
    return try state.withLock { (state) throws(Problem) in
      let kind = try state.scanner.finish()
      var status = stat()
      guard unsafe fstat(state.descriptor, &status) == 0, Int(status.st_size) == state.count else {
        throw Problem(.io, "the file does not have the length that was written", at: place)
      }
      return (kind, state.hash.hexDigest())
    }
  }

  func publish(as file: String) throws(Problem) {
    guard finish() else { throw Problem.posix(errno, "close", path) }
    guard unsafe rename(path, directory + "/" + file) == 0 else {
      throw Problem.posix(errno, "rename", directory + "/" + file)
    }
  }

  func suspend() {
    if validator == nil || count == 0 { discard() } else { finish() }
  }

  func discard() {
    finish()
    unsafe unlink(path)
  }

  /// Closes the file, once.
  @discardableResult private func finish() -> Bool {
    state.withLock { state in
      guard state.descriptor >= 0 else { return true }
      defer { state.descriptor = -1 }
      return close(state.descriptor) == 0
    }
  }

  private static func hex(_ validator: ImageValidator?) -> String {
    let digits = Array("0123456789abcdef".utf8)
    guard let validator else { return "-" }
    return String(
      decoding: validator.text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func validator(of path: String) -> ImageValidator? {
    guard path.hasSuffix(".part"), let mark = path.dropLast(5).split(at: ".").last else { return nil }
    let digits = Array(mark.utf8)
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count - 1, by: 2) {
      guard let byte = UInt8(String(decoding: digits[place...(place + 1)], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return String(validating: bytes, as: UTF8.self).flatMap { ImageValidator($0) }
  }
}
