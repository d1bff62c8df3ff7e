internal import Domain

/// A path and its query.
struct RESTQuery {
  var path: String
  var parameters: [SourceParameter]
  /// Whether it asks for certain records, so that there may be none.
  var isFiltered = false

  /// What follows the base URL, encoded.
  var text: String {
    guard !parameters.isEmpty else { return path }
    let pairs = parameters.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }
    return path + (path.contains("?") ? "&" : "?") + pairs.joined(separator: "&")
  }

  /// Text with every byte percent-encoded that RFC 3986 does not call unreserved.
  static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
