/// Names of files that are made of keys: the same key always has the same name, and no two keys have one.
enum ImageName {
  /// The longest name, in bytes; a longer one is cut, and told apart by a number made of all of it.
  private static let longest = 80

  /// `KEY-N`. Bytes other than letters, digits, `_` and `-` are written as `%20`; a dot may not come first; the `/`
  /// between the values of a key is `,`.
  static func stem(key: String, number: Int) -> String { "\(escaped(key))-\(number)" }

  static func escaped(_ key: String) -> String {
    var name = ""
    for (place, byte) in key.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        name.unicodeScalars.append(UnicodeScalar(byte))
      case UInt8(ascii: ".") where place > 0: name += "."
      case UInt8(ascii: "/"): name += ","
      default: name += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
      }
    }
    if name.utf8.count > longest {
      name = String(name.prefix(longest - 20)) + "~" + mark(Array(key.utf8))
    }
    return name
  }

  /// FNV-1a of some bytes, in hexadecimal digits.
  static func mark(_ bytes: [UInt8]) -> String {
    String(bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }, radix: 16)
  }
}
