package import Rows

/// Colours and links of text on a terminal.
///
/// Sixteen colours without a background, readable on light and dark. The escape sequences are added after the control
/// characters of the data were made visible, and no width includes them.
public struct TerminalStyle: Sendable, Hashable {
  /// Whether text is coloured.
  public var isColored: Bool
  /// Whether addresses are links (OSC 8).
  var hasLinks: Bool

  /// Neither colours nor links.
  public static let plain = TerminalStyle(isColored: false, hasLinks: false)

  /// A style.
  public init(isColored: Bool, hasLinks: Bool) {
    self.isColored = isColored
    self.hasLinks = hasLinks
  }

  package enum Part: Sendable, Hashable {
    /// A header, or the title of a record.
    case strong
    /// Lines, and notes below a table.
    case dim
    case number, date, boolean
    /// Anything else.
    case plain

    /// The part that a column's values are.
    package init(_ type: ColumnType) {
      switch type {
      case .integer, .real, .decimal: self = .number
      case .date, .timestamp, .datetime: self = .date
      case .boolean: self = .boolean
      default: self = .plain
      }
    }

    fileprivate var sequence: StaticString {
      switch self {
      case .strong: "\u{1B}[1m"
      case .dim: "\u{1B}[2m"
      case .number: "\u{1B}[36m"
      case .date: "\u{1B}[35m"
      case .boolean: "\u{1B}[33m"
      case .plain: ""
      }
    }
  }

  package func begin(_ part: Part, _ out: inout ByteBuffer) { if isColored { out.append(part.sequence) } }
  package func end(_ part: Part, _ out: inout ByteBuffer) { if isColored, part != .plain { out.append("\u{1B}[0m") } }

  /// Begins a link if the text is an address that a terminal may open.
  /// - Returns: whether it did; then `endLink` must follow.
  func beginLink(_ address: ByteRun, _ out: inout ByteBuffer) -> Bool {
    guard hasLinks, address.count <= 2083, WebAddress.isOne(address) || WebAddress.isMail(address) else { return false }
    // Only printable ASCII, as a URL has: nothing else may be part of the sequence.
    for position in 0..<address.count where address[position] <= 0x20 || address[position] >= 0x7F { return false }
    out.append("\u{1B}]8;;")
    out.append(address)
    out.append("\u{1B}\\")
    return true
  }

  func endLink(_ out: inout ByteBuffer) { out.append("\u{1B}]8;;\u{1B}\\") }
}
