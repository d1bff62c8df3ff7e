/// Sizes as users write them: `1048576`, `500k`, `64M`, `64MiB`, `2G`.
public enum ByteSize {
  /// The number of bytes; nil for any other text, for zero and for sizes beyond 1 EiB. Suffixes are powers of 1,024.
  public static func parse(_ text: String) -> Int? {
    let digits = text.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    let shifts = ["": 0, "k": 10, "K": 10, "KiB": 10, "M": 20, "MiB": 20, "G": 30, "GiB": 30]
    guard let number = Int(Substring(digits)), number > 0,
      let shift = shifts[String(text.utf8.dropFirst(digits.count)) ?? ""], number <= (1 << 60) >> shift
    else { return nil }
    return number << shift
  }
}
