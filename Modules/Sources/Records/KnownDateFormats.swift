import Codecs
import Rows

/// Formats of dates and times that a value may have although its column does not, as patterns of UTS #35: `XXX` is an
/// offset from UTC.
enum KnownDateFormats {
  private static let patterns = [
    "yyyy-MM-dd", "yyyy/MM/dd", "yyyyMMdd", "dd.MM.yyyy", "d.M.yyyy", "dd/MM/yyyy", "MM/dd/yyyy", "dd-MM-yyyy",
    "d MMM yyyy", "d MMMM yyyy", "MMM d, yyyy", "MMMM d, yyyy", "yyyy-MM-dd HH:mm", "yyyy-MM-dd HH:mm:ss",
    "yyyy-MM-dd'T'HH:mm", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd HH:mm:ssXXX", "dd.MM.yyyy HH:mm",
    "dd.MM.yyyy HH:mm:ss", "dd/MM/yyyy HH:mm", "MM/dd/yyyy HH:mm", "MM/dd/yyyy HH:mm:ss", "yyyyMMdd'T'HHmmssXXX",
    "EEE, d MMM yyyy HH:mm:ss XXX",
  ].compactMap { text in DatePattern(text).map { (text, $0) } }

  /// The format of a value that does not fit a column; nil for a column of another type, or an unknown format.
  static func format(of value: JSON, for type: ColumnType) -> String? {
    guard type == .date || type == .timestamp else { return nil }
    if let number = value.integerValue ?? value.stringValue.flatMap({ $0.count > 8 ? Int64($0) : nil }) {
      switch number {
      case 100_000_000..<10_000_000_000: return "epoch-seconds"
      case 100_000_000_000..<10_000_000_000_000: return "epoch-ms"
      default: return nil
      }
    }
    guard let text = value.stringBytes.map(SourceStep.trimmed), !text.isEmpty else { return nil }
    return patterns.first { $0.1.fields(text, .english) != nil }?.0
  }
}
