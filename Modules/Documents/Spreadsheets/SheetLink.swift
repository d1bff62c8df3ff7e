import Codecs
import Rows

/// A cell of a sheet that leads to a URL.
public struct SheetLink: Sendable, Hashable {
  /// The row, from 0, the header not counted.
  public var row: Int
  /// The column, from 0.
  let column: Int
  /// An absolute URL of ASCII characters, in the form that RFC 3986 defines.
  let address: [UInt8]

  /// The most links of a sheet.
  public static let maximum = 65_530
  private static let maximumLength = 2_079

  /// A link if the whole text is an `http`, `https` or `mailto` URL that spreadsheets accept: they refuse a file
  /// with an invalid one.
  init?(row: Int, column: Int, _ text: ByteRun) {
    guard text.count > 7, text.count <= Self.maximumLength, text[0] | 0x20 == 0x68 || text[0] | 0x20 == 0x6D,
      WebAddress.isOne(text) || WebAddress.isMail(text), let address = Self.encoded(text.bytes)
    else { return nil }
    self.row = row
    self.column = column
    self.address = address
  }

  /// The URL with bytes above ASCII percent-encoded; nil for one that is not valid.
  private static func encoded(_ text: [UInt8]) -> [UInt8]? {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    // Slashes seen: the host is between the second and the third.
    var slashes = 0, hostLength = 0, position = 0
    func isHexadecimal(_ position: Int) -> Bool {
      position < text.count && (text[position] &- 48 < 10 || (text[position] | 0x20) &- 97 < 6)
    }
    while position < text.count {
      let byte = text[position]
      if byte >= 0x80 {
        // A host of other characters has another encoding.
        if slashes < 3 { return nil }
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else if byte == UInt8(ascii: "%") {
        guard isHexadecimal(position + 1), isHexadecimal(position + 2) else { return nil }
        encoded.append(byte)
      } else {
        guard byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || "-._~:/?#@!$&'()*+,;=".utf8.contains(byte) else {
          return nil
        }
        if byte == UInt8(ascii: "/") { slashes += 1 } else if slashes == 2 { hostLength += 1 }
        encoded.append(byte)
      }
      position += 1
    }
    let isMail = text[0] | 0x20 == UInt8(ascii: "m")
    return encoded.count <= maximumLength && (isMail || hostLength > 0) ? encoded : nil
  }
}

extension SheetWriter {
  /// Writes the links of a sheet: the elements that mark cells.
  func append(_ links: [SheetLink], to out: inout ByteBuffer) {
    if links.isEmpty { return }
    out.append("<hyperlinks>")
    for (number, link) in links.enumerated() {
      out.append("<hyperlink ref=\"\(Self.letters(link.column + 1))\(link.row + 2)\" r:id=\"rId\(number + 1)\"/>")
    }
    out.append("</hyperlinks>")
  }

  /// Writes the part with the addresses of the links.
  func appendAddresses(of links: [SheetLink], to out: inout ByteBuffer) {
    out.append(
      """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
      """)
    for (number, link) in links.enumerated() {
      out.append(
        """
        <Relationship Id="rId\(number + 1)" \
        Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="
        """)
      for byte in link.address {
        switch byte {
        case UInt8(ascii: "&"): out.append("&amp;")
        case UInt8(ascii: "'"): out.append("&apos;")
        default: out.append(byte: byte)
        }
      }
      out.append("\" TargetMode=\"External\"/>")
    }
    out.append("</Relationships>\n")
  }
}
