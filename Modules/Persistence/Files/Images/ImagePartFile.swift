import Codecs
import Domain
import Files
import Glibc
import Rows
import Synchronization

/// An image that is being received. The name of its file has everything needed to continue: the record, the URL and
/// the server's validator.
final class ImagePartFile: ImagePart {
  private let directory: String
  /// The path up to the validator.
  private let start: String

  private struct State {
    var path = ""
    var validator: FileValidator?
    var descriptor: Int32 = -1
    var count = 0
    var hash = SHA256()
    var scanner = ImageScanner()

    mutating func take(_ bytes: RawSpan) {
      count += bytes.byteCount
      hash.update(bytes)
      scanner.update(bytes)
    }

    /// Closes the file, once.
    @discardableResult mutating func finish() -> Bool {
      guard descriptor >= 0 else { return true }
      defer { descriptor = -1 }
      return close(descriptor) == 0
    }

    mutating func discard() {
      finish()
      if !path.isEmpty { unsafe unlink(path) }
      self = State()
    }
  }
  private let state = Mutex(State())

  /// The name of an image's parts up to the validator: `KEY-N.` and a digest of the URL.
  static func prefix(_ reference: ImageReference) -> String {
    "\(reference.stem).\(SHA256.hex(Array(reference.url.utf8)).prefix(12))."
  }

  /// The part of an image in the directory `parts`, for `directory`.
  /// - Parameter file: what an earlier run left of it, which is read again; deleted if it cannot be continued.
  init(_ reference: ImageReference, parts: String, left file: String?, in directory: String) throws(Problem) {
    self.directory = directory
    start = "\(parts)/\(Self.prefix(reference))"
    guard let file else { return }
    let path = "\(parts)/\(file)"
    try state.withLock { (state) throws(Problem) in
      state.path = path
      state.validator = Self.validator(of: path)
      do throws(Problem) { state.descriptor = try RegularFile.open(path, O_RDWR | O_NOFOLLOW) } catch {
        if error.kind == .noInput { return }
        throw error
      }
      guard state.validator != nil else { return state.discard() }
      try FileByteSource(path: path).forEachPiece { state.take($0) }
      guard lseek(state.descriptor, 0, SEEK_END) == off_t(state.count) else {
        throw Problem.posix(errno, "read", path)
      }
      if state.count == 0 { state.discard() }
    }
  }

  deinit { state.withLock { _ = $0.finish() } }

  var count: Int { state.withLock { $0.count } }

  var beginning: DownloadBeginning? {
    state.withLock { state in
      state.count > 0 ? state.validator.map { DownloadBeginning($0, count: state.count) } : nil
    }
  }

  func begin(_ response: HTTPResponse) throws(Problem) {
    let validator = response.isEncoded ? nil : FileValidator(response)
    let path = "\(start)\(Self.hex(validator)).part"
    try state.withLock { (state) throws(Problem) in
      state.discard()
      (state.path, state.validator) = (path, validator)
      let flags = O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW
      state.descriptor = try RegularFile.open(path, flags, mode: 0o666, action: "create")
    }
  }

  func resume() throws(Problem) {
    try state.withLock { (state) throws(Problem) in
      state.finish()
      state.descriptor = try RegularFile.open(state.path, O_RDWR | O_APPEND | O_NOFOLLOW)
    }
  }

  func append(_ bytes: [UInt8]) throws(Problem) {
    try state.withLock { (state) throws(Problem) in
      let span = unsafe bytes.span.bytes
      try writeAll(span, to: state.descriptor, place: state.path)
      state.take(span)
    }
  }

  func check() throws(Problem) -> (kind: ImageKind, sha256: String) {
    try state.withLock { (state) throws(Problem) in
      let kind = try state.scanner.finish()
      var status = stat()
      guard unsafe fstat(state.descriptor, &status) == 0, Int(status.st_size) == state.count else {
        throw Problem(.io, "the file does not have the length that was written", at: state.path)
      }
      return (kind, state.hash.hexDigest())
    }
  }

  func publish(as file: String) throws(Problem) {
    try state.withLock { (state) throws(Problem) in
      guard state.finish() else { throw Problem.posix(errno, "close", state.path) }
      guard unsafe rename(state.path, directory + "/" + file) == 0 else {
        throw Problem.posix(errno, "rename", directory + "/" + file)
      }
      state.path = ""
    }
  }

  func suspend() {
    state.withLock { state in
      if state.validator == nil || state.count == 0 { state.discard() } else { state.finish() }
    }
  }

  func discard() { state.withLock { $0.discard() } }

  private static func hex(_ validator: FileValidator?) -> String {
    let digits = Array("0123456789abcdef".utf8)
    guard let validator else { return "-" }
    return String(
      decoding: validator.text.utf8.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func validator(of path: String) -> FileValidator? {
    guard path.hasSuffix(".part"), let mark = path.dropLast(5).split(at: ".").last else { return nil }
    let digits = Array(mark.utf8)
    var bytes: [UInt8] = []
    for place in stride(from: 0, to: digits.count - 1, by: 2) {
      guard let byte = UInt8(String(decoding: digits[place...(place + 1)], as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(byte)
    }
    return String(validating: bytes, as: UTF8.self).flatMap { FileValidator($0) }
  }
}
