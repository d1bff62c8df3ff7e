internal import CCompression
package import Rows
import Synchronization

/// A library that is loaded on first use.
package final class CompressionLibrary: Sendable {
  package static let zstd = CompressionLibrary("libzstd", package: "libzstd1") {
    unsafe bb_zstd_load().map { unsafe String(cString: $0) }
  }
  /// LZ4.
  package static let lz4 = CompressionLibrary("liblz4", package: "liblz4-1") {
    unsafe bb_lz4_load().map { unsafe String(cString: $0) }
  }

  package static let brotli = CompressionLibrary("libbrotlidec", package: "libbrotli1") {
    unsafe bb_brotli_load().map { unsafe String(cString: $0) }
  }

  private let name: String, package: String
  private let open: @Sendable () -> String?
  private let result = Mutex<String??>(nil)

  /// - Parameter open: loads the library; nil, or the reason why it cannot be loaded.
  private init(_ name: String, package: String, _ open: @escaping @Sendable () -> String?) {
    self.name = name
    self.package = package
    self.open = open
  }

  /// The reason why the library cannot be loaded; nil if it is loaded.
  package var failure: String? {
    result.withLock { result in
      if let known = result { return known }
      let reason = open()
      result = .some(reason)
      return reason
    }
  }

  /// Loads the library, once.
  /// - Throws: `unavailable`, with the name of the package, if it is missing.
  package func load() throws(Problem) {
    guard let failure else { return }
    throw Problem(.unavailable, "cannot load \(name) (\(failure))", hint: "install the package \(package)")
  }
}
