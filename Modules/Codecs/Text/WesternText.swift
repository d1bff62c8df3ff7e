/// Text in the one-byte encodings of Western Europe.
public enum WesternText {
  /// The characters of windows-1252 from 0x80 to 0x9F; those of ISO 8859-1 are controls.
  private static let upper: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D,
    0x17E, 0x178,
  ]

  /// Returns the text of bytes in windows-1252, or in ISO 8859-1.
  public static func decoded(_ bytes: some Sequence<UInt8>, isWindows: Bool) -> String {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      let code = isWindows && (0x80...0x9F).contains(byte) ? upper[Int(byte) - 0x80] : UInt32(byte)
      text.append(Unicode.Scalar(code) ?? "\u{FFFD}")
    }
    return String(text)
  }
}
