import Codecs

enum TableFileName {
  /// The name of a table's file without its extension: bytes other than letters, digits, `_`, `-` and `.` are written
  /// like `%2F`, and so are names that would hide the file or collide with the directory's own files.
  static func stem(of table: String) -> String {
    table.utf8.enumerated().map { place, byte in
      let isPlain = byte &- 48 < 10 || byte &- 65 < 26 || byte &- 97 < 26 || "_-".utf8.contains(byte)
      let isDot = byte == UInt8(ascii: ".") && place > 0
      return (isPlain || isDot) && !(place == 0 && table == "bb") ? String(UnicodeScalar(byte)) : escaped(byte)
    }.joined()
  }

  static func table(of stem: String) -> String {
    PercentCoding.bytes(of: stem).flatMap { String(validating: $0, as: UTF8.self) } ?? stem
  }

  private static func escaped(_ byte: UInt8) -> String {
    (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
  }
}
