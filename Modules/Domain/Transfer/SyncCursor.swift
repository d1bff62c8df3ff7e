import Codecs
import Rows

/// A value of a cursor column, which can be compared and moved.
struct SyncCursor: Comparable {
  private enum Content: Equatable {
    /// Seconds since 1970, and the digits of the fraction.
    case time(Int64, [UInt8])
    case integer(Int64)
    case text([UInt8])
  }
  private let content: Content
  private let isDate: Bool

  private init(_ content: Content, isDate: Bool) {
    self.content = content
    self.isDate = isDate
  }

  /// A value of a column; nil for null, and for what is not of the type.
  init?(_ value: Value, _ type: ColumnType) {
    switch value {
    case .integer(let number): self.init(.integer(number), isDate: false)
    case .text(let bytes): self.init(String(decoding: bytes, as: UTF8.self), type)
    default: return nil
    }
  }

  init?(_ text: String, _ type: ColumnType) {
    let bytes = Array(text.utf8)
    switch type {
    case .integer:
      guard let number = Int64(text) else { return nil }
      self.init(.integer(number), isDate: false)
    case .timestamp, .date:
      let whole = bytes.count == 10 ? bytes + Array("T00:00:00Z".utf8) : bytes
      guard let utc = Dates.utc(whole), let seconds = Dates.epochSeconds(of: utc) else { return nil }
      var fraction = Array(utc.dropFirst(20).dropLast())
      while fraction.last == 48 { fraction.removeLast() }
      self.init(.time(seconds, fraction), isDate: type == .date)
    default: self.init(.text(bytes), isDate: false)
    }
  }

  static func < (a: SyncCursor, b: SyncCursor) -> Bool {
    switch (a.content, b.content) {
    case (.time(let a, let aFraction), .time(let b, let bFraction)):
      a == b ? aFraction.lexicographicallyPrecedes(bFraction) : a < b
    case (.integer(let a), .integer(let b)): a < b
    case (.text(let a), .text(let b)): a.lexicographicallyPrecedes(b)
    default: false
    }
  }

  /// The cursor as the state and messages have it.
  var text: String { text(.value) }

  /// The cursor in a request. A format that is coarser than the cursor gives the beginning of its unit.
  func text(_ format: SourceIncrement.Format) -> String {
    switch content {
    case .integer(let number): return String(number)
    case .text(let bytes): return String(decoding: bytes, as: UTF8.self)
    case .time(let seconds, let fraction):
      let whole = Instant(seconds: seconds).timestamp
      switch format {
      case .value where isDate, .date: return String(whole.prefix(10))
      case .value, .rfc3339:
        return fraction.isEmpty ? whole : "\(whole.dropLast()).\(String(decoding: fraction, as: UTF8.self))Z"
      case .epochSeconds: return String(seconds)
      case .epochMilliseconds:
        let digits = (fraction + [48, 48, 48]).prefix(3)
        return String(seconds * 1000 + (Int64(String(decoding: digits, as: UTF8.self)) ?? 0))
      }
    }
  }

  /// The cursor at a distance: of times in seconds; texts stay.
  func moved(by distance: Int64) -> SyncCursor {
    switch content {
    case .time(let seconds, let fraction):
      SyncCursor(.time(seconds.addingReportingOverflow(distance).partialValue, fraction), isDate: isDate)
    case .integer(let number):
      SyncCursor(.integer(number.addingReportingOverflow(distance).partialValue), isDate: false)
    case .text: self
    }
  }

  /// The distance to a later cursor, of times in whole seconds; 0 for texts.
  func distance(to other: SyncCursor) -> Int64 {
    switch (content, other.content) {
    case (.time(let a, _), .time(let b, _)), (.integer(let a), .integer(let b)): b - a
    default: 0
    }
  }

  /// The least distance that a format can express.
  func unit(_ format: SourceIncrement.Format) -> Int64 {
    guard case .time = content else { return 1 }
    return isDate || format == .date ? 86_400 : 1
  }
}
