internal import CCompression
internal import CZlib
import Rows

/// A compression of whole files, named by a second file extension: `people.csv.gz`.
public enum FileCompression: String, Sendable, Hashable, CaseIterable {
  /// Members as specified by RFC 1952.
  case gzip
  /// Frames as specified by RFC 8878.
  case zstd

  /// The file extension, without the dot.
  public var fileExtension: String { self == .gzip ? "gz" : "zst" }

  /// The compression of a file, by its first bytes; nil for another file.
  public init?(beginning bytes: [UInt8]) {
    switch bytes.prefix(4) {
    case let start where start.starts(with: [0x1F, 0x8B]): self = .gzip
    case [0x28, 0xB5, 0x2F, 0xFD]: self = .zstd
    // A frame that decompressors skip.
    case let start where start.count == 4 && start[0] & 0xF0 == 0x50 && start[1...] == [0x2A, 0x4D, 0x18]: self = .zstd
    default: return nil
    }
  }

  /// The compression of a file by its first bytes, or by its name if it ends within the bytes that it must begin with.
  /// - Parameter bytes: at least four, unless the file is shorter.
  public init?(beginning bytes: [UInt8], of name: String) {
    if let found = FileCompression(beginning: bytes) {
      self = found
    } else if !bytes.isEmpty, let named = Self.split(name).compression, named.signature.starts(with: bytes) {
      self = named
    } else {
      return nil
    }
  }

  private var signature: [UInt8] { self == .gzip ? [0x1F, 0x8B] : [0x28, 0xB5, 0x2F, 0xFD] }

  /// Splits the extension of a compression off a path or a format: `a.csv.gz` is `a.csv` and gzip.
  public static func split(_ path: String) -> (path: String, compression: FileCompression?) {
    for compression in allCases {
      let suffix = "." + compression.fileExtension
      guard path.utf8.count > suffix.utf8.count, path.lowercased().hasSuffix(suffix) else { continue }
      return (String(path.dropLast(suffix.count)), compression)
    }
    return (path, nil)
  }

  /// The name of a file without its directory and its extensions: `logs/a.csv.gz` is `a`.
  public static func stem(of path: String) -> String {
    guard let last = split(path).path.split(separator: "/").last else { return "input" }
    let dot = last.dropFirst().lastIndex(of: ".")
    return String(dot.map { last[..<$0] } ?? last)
  }

  /// Loads the library it needs.
  /// - Throws: `unavailable`, with the name of the package, if it is missing.
  func load() throws(Problem) {
    switch self {
    case .gzip: try Zlib.load()
    case .zstd: try CompressionLibrary.zstd.load()
    }
  }

  /// The bytes as one member or frame with a checksum. The library must be loaded.
  /// - Parameter bytes: at most 1 GiB.
  /// - Throws: `io` without memory.
  func compress(_ bytes: RawSpan, to out: inout ByteBuffer) throws(Problem) {
    let count = bytes.byteCount
    let isDone = unsafe bytes.withUnsafeBytes { input in
      switch self {
      case .gzip:
        guard let state = unsafe bb_gzip_begin(6) else { return false }
        defer { unsafe bb_deflate_end(state) }
        let bound = unsafe bb_gzip_bound(state, count), room = unsafe out.room(bound)
        let size = unsafe bb_gzip_member(state, input.baseAddress, count, room, bound)
        unsafe out.commit(room + size)
        return size > 0
      case .zstd:
        guard let context = unsafe bb_zstd_begin(3, 1) else { return false }
        defer { unsafe bb_zstd_end(context) }
        let bound = bb_zstd_bound(count), room = unsafe out.room(bound)
        let size = unsafe bb_zstd_compress(context, input.baseAddress, count, room, bound)
        unsafe out.commit(room + size)
        return size > 0
      }
    }
    guard isDone else { throw Problem(.io, "out of memory") }
  }
}
