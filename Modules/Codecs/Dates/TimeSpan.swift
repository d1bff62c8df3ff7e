/// Lengths of time as users write them: `90`, `90s`, `15m`, `12h`, `7d`, `2w`.
public enum TimeSpan {
  /// The number of seconds; nil for any other text, for zero and for what does not fit.
  public static func parse(_ text: String) -> Int64? {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    let unit = text.last.flatMap { units[$0] }
    guard let number = Int64(unit == nil ? text[...] : text.dropLast()), number > 0 else { return nil }
    let (seconds, isTooLarge) = number.multipliedReportingOverflow(by: unit ?? 1)
    return isTooLarge ? nil : seconds
  }
}
