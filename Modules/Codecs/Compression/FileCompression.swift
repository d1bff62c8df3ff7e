package import Rows

/// A compression of whole files, named by a second file extension, as a value in the list `all`: `people.csv.gz`.
public struct FileCompression: Sendable, Hashable {
  /// Its name in messages.
  public let name: String
  /// The file extension, without the dot.
  public let fileExtension: String
  /// The first bytes of a file.
  let signature: [UInt8]
  /// Whether the first four bytes are those of such a file.
  let begins: @Sendable (_ bytes: ArraySlice<UInt8>) -> Bool
  /// Whether zeros may follow the last member.
  var ignoresPadding = false
  /// Loads the library it needs.
  /// - Throws: `unavailable`, with the name of the package, if it is missing.
  let load: @Sendable () throws(Problem) -> Void
  let decompressor: @Sendable () throws(Problem) -> any Decompressor
  /// Appends the bytes, at most 1 GiB, as one member or frame with a checksum; false without memory. The library must
  /// be loaded.
  package let compress: @Sendable (_ bytes: RawSpan, _ out: inout ByteBuffer) -> Bool
  /// Appends what follows the last frame.
  var end: @Sendable (_ frames: [Frame], _ out: inout ByteBuffer) -> Void = { _, _ in }

  /// The sizes of a member or frame in bytes.
  struct Frame: Sendable {
    let compressed: Int, plain: Int
  }

  /// The compressions.
  public static let all: [FileCompression] = [gzip, zstd]

  /// The compression of a file by its first bytes, or by its name if it ends within the bytes that it must begin with;
  /// nil for another file.
  /// `bytes` has at least four, unless the file is shorter.
  public init?(beginning bytes: [UInt8], of name: String = "") {
    let named =
      bytes.isEmpty ? nil : Self.split(name).compression.flatMap { $0.signature.starts(with: bytes) ? $0 : nil }
    guard let found = Self.all.first(where: { $0.begins(bytes.prefix(4)) }) ?? named else { return nil }
    self = found
  }

  /// Splits the extension of a compression off a path or a format: `a.csv.gz` is `a.csv` and gzip.
  public static func split(_ path: String) -> (path: String, compression: FileCompression?) {
    for compression in all {
      let suffix = "." + compression.fileExtension
      guard path.utf8.count > suffix.utf8.count, path.lowercased().hasSuffix(suffix) else { continue }
      return (String(path.dropLast(suffix.count)), compression)
    }
    return (path, nil)
  }

  /// The name of a file without its directory and its extensions: `logs/a.csv.gz` is `a`.
  public static func stem(of path: String) -> String {
    guard let last = split(path).path.split(at: "/").last else { return "input" }
    let dot = last.dropFirst().unicodeScalars.lastIndex(of: ".")
    return String(dot.map { last[..<$0] } ?? last)
  }

  /// Whether the names are equal.
  public static func == (a: FileCompression, b: FileCompression) -> Bool { a.name == b.name }
  /// By name.
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension FileCompression {
  init(
    _ name: String, _ fileExtension: String, signature: [UInt8],
    begins: (@Sendable (ArraySlice<UInt8>) -> Bool)? = nil,
    load: @escaping @Sendable () throws(Problem) -> Void,
    decompressor: @escaping @Sendable () throws(Problem) -> any Decompressor,
    compress: @escaping @Sendable (RawSpan, inout ByteBuffer) -> Bool
  ) {
    (self.name, self.fileExtension, self.signature) = (name, fileExtension, signature)
    self.begins = begins ?? { $0.starts(with: signature) }
    (self.load, self.decompressor, self.compress) = (load, decompressor, compress)
  }
}
