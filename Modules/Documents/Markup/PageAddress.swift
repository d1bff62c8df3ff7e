import Codecs
import Rows

/// An address that may be followed or shown: a valid URL of the web or of mail, a path made by bb, or the bytes of an
/// image.
/// Nothing else can become the target of a link or the source of an image.
public struct PageAddress: Sendable, Hashable {
  /// The address as it is written between quotes, before `&` is escaped.
  public let text: [UInt8]

  /// An `http`, `https` or `mailto` URL; nil for any other text.
  public init?(web text: [UInt8]) {
    let chunk = Arena(text)
    let run = ByteRun(chunk, 0, UInt32(text.count))
    guard WebAddress.isOne(run) || WebAddress.isMail(run) else { return nil }
    self.text = text
  }

  /// A relative path, each segment percent-encoded, so that a percent sign and a colon in a name are part of the name.
  /// - `fragment`: the anchor on the page; nil for none.
  public init(path segments: [String], fragment: String? = nil) {
    var text: [UInt8] = []
    for (index, segment) in segments.enumerated() {
      if index > 0 { text.append(UInt8(ascii: "/")) }
      text += segment == ".." ? Array(segment.utf8) : PercentCoding.encoded(segment.utf8)
    }
    if let fragment { text += [UInt8(ascii: "#")] + PercentCoding.encoded(fragment.utf8) }
    self.text = text
  }

  /// A file of this machine.
  /// - Parameter path: its absolute path.
  public init(file path: String) {
    let segments: [[UInt8]] = path.split(separator: "/").map { PercentCoding.encoded($0.utf8) }
    text = Array("file:///".utf8) + Array(segments.joined(separator: [UInt8(ascii: "/")]))
  }

  /// An image with its bytes.
  /// - `type`: the media type, such as `image/png`.
  public init(image bytes: [UInt8], type: StaticString) {
    text = Array("data:\(type);base64,".utf8) + Base64.encoded(bytes)
  }

  /// The type and the base64 text of an image with its bytes; nil for another address.
  var embedded: (type: String, base64: [UInt8])? {
    let start = Array("data:image/".utf8)
    guard text.starts(with: start), let semicolon = text.firstIndex(of: UInt8(ascii: ";")),
      let comma = text.firstIndex(of: UInt8(ascii: ","))
    else { return nil }
    return (String(decoding: text[start.count..<semicolon], as: UTF8.self), Array(text[(comma + 1)...]))
  }
}
