internal import Codecs
internal import Glibc

/// An encoding of text that is read.
public enum CharacterEncoding: String, Sendable, Hashable, CaseIterable {
  case utf8 = "utf-8"
  case utf16le = "utf-16le"
  case utf16be = "utf-16be"
  case utf32le = "utf-32le"
  case utf32be = "utf-32be"
  case windows1252 = "windows-1252"
  case latin1 = "latin-1"
  case windows1251 = "windows-1251"
  case shiftJIS = "shift-jis"
  case gb18030
  case windows1250 = "windows-1250", windows1253 = "windows-1253", windows1254 = "windows-1254"
  case windows1256 = "windows-1256", windows1257 = "windows-1257", latin2 = "iso-8859-2", latin9 = "iso-8859-15"
  case koi8r = "koi8-r", big5, eucKR = "euc-kr", eucJP = "euc-jp", macintosh, cp437, cp850

  private static let synonyms: [String: CharacterEncoding] = [
    "utf8": .utf8, "utf16le": .utf16le, "utf16be": .utf16be, "utf-16": .utf16le, "utf16": .utf16le, "utf-32": .utf32le,
    "iso-8859-1": .latin1, "latin1": .latin1, "latin2": .latin2, "latin-2": .latin2, "latin9": .latin9,
    "latin-9": .latin9, "sjis": .shiftJIS, "shift_jis": .shiftJIS, "cp932": .shiftJIS, "gbk": .gb18030,
    "gb2312": .gb18030,
  ]

  /// The encoding that the declaration at the beginning of an XML document names, as far as it is known.
  public init?(declaredBy document: [UInt8]) {
    let text = String(decoding: document.prefix(200), as: UTF8.self)
    guard text.hasPrefix("<?xml"), let end = text.firstRange(of: "?>"),
      let mark = text[..<end.lowerBound].firstRange(of: "encoding")
    else { return nil }
    let word = text[mark.upperBound..<end.lowerBound].drop { " =\t\"'\r\n".contains($0) }
    self.init(named: String(word.prefix { !"\"'".contains($0) }))
  }

  /// The bytes of its smallest unit.
  public var unitBytes: Int {
    switch self {
    case .utf16le, .utf16be: 2
    case .utf32le, .utf32be: 4
    default: 1
    }
  }

  /// The encoding called `name`; nil if there is none.
  public init?(named name: String) {
    let name = name.lowercased(), full = name.hasPrefix("cp125") ? "windows-\(name.dropFirst(2))" : name
    guard let found = Self(rawValue: full) ?? Self.synonyms[name] else { return nil }
    self = found
  }

  /// The encoding of a text, as detected in its first bytes.
  public struct Finding: Sendable, Hashable {
    /// The encoding, and the bytes of its mark.
    public var encoding: CharacterEncoding, mark: Int
    /// Whether it is certain.
    public var isSure: Bool

    /// The text of a sample; the sample if its encoding is not certain.
    public func text(of sample: [UInt8]) -> [UInt8] {
      guard isSure, encoding != .utf8, var decoder = TextDecoder(encoding) else { return sample }
      var text: [UInt8] = []
      _ = decoder.decode(sample.span.extracting(mark...), isAtEnd: false, into: &text)
      return text
    }
  }

  /// The encoding of a text by its first bytes.
  /// - Parameter given: the encoding if it is known.
  public static func finding(_ sample: Span<UInt8>, isWhole: Bool, _ given: CharacterEncoding? = nil) -> Finding {
    let found = detected(sample, isWhole: isWhole)
    guard let given else { return found }
    return Finding(encoding: given, mark: found.isSure && found.encoding == given ? found.mark : 0, isSure: true)
  }

  /// The byte order mark of UTF-8.
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private static func detected(_ sample: Span<UInt8>, isWhole: Bool) -> Finding {
    let marks: [([UInt8], CharacterEncoding)] = [
      // The mark of UTF-32 begins with that of UTF-16.
      ([0xFF, 0xFE, 0, 0], .utf32le), ([0, 0, 0xFE, 0xFF], .utf32be),
      (mark, .utf8), ([0xFF, 0xFE], .utf16le), ([0xFE, 0xFF], .utf16be),
    ]
    for (mark, encoding) in marks where sample.count >= mark.count {
      if mark.indices.allSatisfy({ sample[$0] == mark[$0] }) {
        return Finding(encoding: encoding, mark: mark.count, isSure: true)
      }
    }
    let head = min(sample.count, 4096)
    var even = 0, odd = 0
    for index in 0..<head where sample[index] == 0 { if index & 1 == 0 { even += 1 } else { odd += 1 } }
    if head >= 8, sample.count % 4 == 0 || !isWhole, (even + odd) * 3 > head * 2 {
      let isBig = sample[0] == 0, low = isBig ? 3 : 0
      let areCharacters = stride(from: 0, to: head - 3, by: 4).allSatisfy { at in
        let code = (0..<4).reduce(0) { $0 | UInt32(sample[at + (low ^ $1)]) << (8 * $1) }
        return code > 0 && Unicode.Scalar(code) != nil
      }
      if areCharacters { return Finding(encoding: isBig ? .utf32be : .utf32le, mark: 0, isSure: true) }
    }
    if head >= 8, (even + odd) * 5 > head {
      if odd > 8 * max(even, 1) || even == 0 {
        return Finding(encoding: .utf16le, mark: 0, isSure: odd * 5 > head * 2)
      }
      if even > 8 * max(odd, 1) || odd == 0 {
        return Finding(encoding: .utf16be, mark: 0, isSure: even * 5 > head * 2)
      }
    }
    let invalid = ByteText.firstInvalid(sample)
    if invalid == sample.count || !isWhole && invalid > sample.count - 4 {
      return Finding(encoding: .utf8, mark: 0, isSure: true)
    }
    return Finding(encoding: guess(sample), mark: 0, isSure: false)
  }

  /// The likeliest encoding of text that is not UTF-8.
  private static func guess(_ sample: Span<UInt8>) -> CharacterEncoding {
    var high = 0, runs = 0, capitals = 0, kana = 0, before: UInt8 = 0
    for index in 0..<sample.count {
      let byte = sample[index]
      if byte >= 0x80 {
        high += 1
        if before < 0x80 { runs += 1 }
        if byte >= 0xC0 || byte == 0xA8 || byte == 0xB8 { capitals += 1 }
        if byte == 0x82 || byte == 0x83 { kana += 1 }
      }
      before = byte
    }
    let run = Double(high) / Double(max(runs, 1))
    var best = CharacterEncoding.windows1252, most = 0.9
    for encoding in [CharacterEncoding.shiftJIS, .gb18030] {
      guard run >= 2 || encoding == .shiftJIS && kana * 10 >= 3 * high, let share = share(sample, encoding) else {
        continue
      }
      if share > most { (best, most) = (encoding, share) }
    }
    if best != .windows1252 { return best }
    return Double(capitals) > 0.9 * Double(high) && run >= 3 ? .windows1251 : .windows1252
  }

  /// The share of characters that texts of an encoding usually have; nil if the sample is not in it.
  private static func share(_ sample: Span<UInt8>, _ encoding: CharacterEncoding) -> Double? {
    guard var decoder = TextDecoder(encoding) else { return nil }
    var text: [UInt8] = []
    let used = decoder.decode(sample, isAtEnd: false, into: &text)
    guard decoder.firstInvalid == nil, used > sample.count - 4 else { return nil }
    var all = 0, usual = 0, narrow = 0
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars where scalar.value > 0x7F {
      all += 1
      switch scalar.value {
      case 0x4E00...0x9FFF, 0x3001, 0x3002: usual += 1
      case 0x3040...0x30FF where encoding == .shiftJIS: usual += 1
      case 0xFF00...0xFF5E, 0x3000...0x3011: if encoding == .gb18030 { usual += 1 }
      case 0xFF61...0xFF9F: narrow += 1
      default: break
      }
    }
    if encoding == .shiftJIS, narrow * 10 > all * 3 { return nil }
    return Double(usual) / Double(max(all, 1)) + (encoding == .shiftJIS ? 0.02 : 0)
  }
}

/// Decodes text of an encoding to UTF-8, a part at a time. Each unit that is not valid becomes `substitute`.
@safe struct TextDecoder: ~Copyable {
  private let encoding: CharacterEncoding
  /// The characters of the bytes from 0x80 on.
  private var upper: [[UInt8]] = []
  private var converter: iconv_t?
  var substitute: [UInt8] = [0xEF, 0xBF, 0xBD]
  /// The bytes that were decoded, and the first of them that was not valid with its place in the text of that part.
  private(set) var decoded = 0
  private(set) var firstInvalid: (offset: Int, place: Int)?

  /// Nil if the system has no converter.
  init?(_ encoding: CharacterEncoding) {
    self.encoding = encoding
    switch encoding {
    case .windows1252, .latin1:
      upper = (0x80...0xFF).map { byte in
        Array(WesternText.decoded(CollectionOfOne(byte), isWindows: encoding == .windows1252).utf8)
      }
    case .windows1251:
      upper = Self.cyrillic.unicodeScalars.map { Array(String(Character($0)).utf8) }
    case .utf8: break
    default:
      let opened = unsafe iconv_open("UTF-8", encoding == .shiftJIS ? "CP932" : encoding.rawValue)
      guard Int(bitPattern: opened) != -1 else { return nil }
      unsafe converter = opened
    }
  }

  deinit { if let converter = unsafe converter { _ = unsafe iconv_close(converter) } }

  /// The upper half of windows-1251.
  private static let cyrillic =
    "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—\u{98}™љ›њќћџ\u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї°±Ііґµ¶·ё№є»јЅѕї"
    + "АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя"

  /// Appends the text of `bytes`.
  /// - Returns: the bytes that were used; the rest is the beginning of a character.
  mutating func decode(_ bytes: Span<UInt8>, isAtEnd: Bool, into text: inout [UInt8]) -> Int {
    let used = decodeUnits(bytes, isAtEnd: isAtEnd, into: &text)
    decoded += used
    return used
  }

  private mutating func decodeUnits(_ bytes: Span<UInt8>, isAtEnd: Bool, into text: inout [UInt8]) -> Int {
    if unsafe converter != nil { return convert(bytes, isAtEnd: isAtEnd, into: &text) }
    text.reserveCapacity(text.count + bytes.count + bytes.count / 8)
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if byte < 0x80 || upper.isEmpty { text.append(byte) } else { text += upper[Int(byte) - 0x80] }
    }
    return bytes.count
  }

  private mutating func convert(_ bytes: Span<UInt8>, isAtEnd: Bool, into text: inout [UInt8]) -> Int {
    var used = 0
    while used < bytes.count {
      // Small pieces, as each one ends at the next byte that is not valid.
      let piece = bytes.extracting(used..<min(used + 1 << 14, bytes.count)), room = piece.count * 3
      let isLast = used + piece.count == bytes.count
      let (made, failure) = unsafe piece.withUnsafeBufferPointer { (input) -> ([UInt8], CInt) in
        var failure: CInt = 0
        let made = unsafe [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
          var source = unsafe UnsafeMutableRawPointer(mutating: input.baseAddress)?.assumingMemoryBound(to: CChar.self)
          var target = unsafe UnsafeMutableRawPointer(buffer.baseAddress)?.assumingMemoryBound(to: CChar.self)
          var left = piece.count, free = room
          if unsafe iconv(converter, &source, &left, &target, &free) == -1 { failure = errno }
          count = room - free
          used += piece.count - left
        }
        return (made, failure)
      }
      text += made
      if failure == EINVAL, !isLast { continue }
      if failure == EINVAL, !isAtEnd { return used }
      if failure == EILSEQ || failure == EINVAL {
        firstInvalid = firstInvalid ?? (decoded + used, text.count)
        text += substitute
        used += min(encoding.unitBytes, bytes.count - used)
      }
    }
    return used
  }
}
