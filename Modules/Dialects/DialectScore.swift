/// The fit of a dialect to a sample: regular records of values with known types.
struct DialectScore {
  /// The maximum number of records of a sample that are checked.
  static let rows = 400

  var dialect: CSVDialect
  /// The value; the greatest is the best.
  var value = 0.0
  /// The usual width of records.
  var columns = 0
  /// Regularity of the widths, known types of the values, and unreadable records, each from 0 to 1.
  var regularity = 0.0, types = 0.0, bad = 0.0
  /// The share of records with the usual width, and the share of typed values.
  var share = 0.0, typed = 0.0
  /// Records that are not blank.
  var records = 0
  var enclosed = 0

  /// Whether every record has the same width, two fields or more.
  var isEven: Bool { share == 1 && bad == 0 && columns >= 2 }

  private static let priors: [UInt8: Double] = [
    0x2C: 1, 0x3B: 1, 0x09: 1, 0x7C: 0.98, 0x3A: 0.75, 0x20: 0.72, 0x5E: 0.9, 0x7E: 0.9, 0x23: 0.85, 0x2A: 0.7, 0x01: 1,
    0x1F: 1,
  ]

  /// - Parameter dialect: without layout.
  init(_ text: Span<UInt8>, _ dialect: CSVDialect, isWhole: Bool) {
    self.dialect = dialect
    let scan = SampleScan(text, dialect, limit: Self.rows, isWhole: isWhole)
    measure(text, scan)
    guard records > 0 else { return }
    let delimiter = dialect.delimiter
    value = regularity * types * max(0, 1 - 1.3 * bad) * (Self.priors[delimiter[0]] ?? 0.9)
    if delimiter.count == 2, delimiter[1] == 0x20, delimiter != CSVDialect.spaces {
      value *= bad == 0 && share > 0.9 && enclosed > 0 ? 1.02 : 0.7
    }
    if delimiter[0] == 0x20, columns < 3 && typed < 0.9 || typed < 0.5 { value *= 0.55 }
    if delimiter.count == 1, [0x3A, 0x2A, 0x23, 0x7E, 0x5E].contains(delimiter[0]), columns < 3 || share < 0.8 {
      value *= 0.5
    }
    if dialect.quote == nil { value *= 0.93 }
    if dialect.quote == 0x27 { value *= enclosed >= 2 ? 1.06 : 0.9 }
    if dialect.escape == .backslash { value *= bad == 0 ? 1.0001 : 0.999 }
  }

  private mutating func measure(_ text: Span<UInt8>, _ scan: SampleScan) {
    var rows: [SampleScan.Row] = [], widths = WidthCounts()
    for row in scan.rows where !scan.isEmpty(text, row) {
      rows.append(row)
      widths.add(row.count)
    }
    guard !rows.isEmpty else { return }
    records = rows.count
    columns = widths.likely
    share = Double(widths.counts[columns] ?? 0) / Double(rows.count)
    var pairs = 0
    for (left, right) in zip(rows, rows.dropFirst()) where left.count == right.count && left.count > 1 { pairs += 1 }
    let adjacent = Double(pairs) / Double(max(rows.count - 1, 1))
    var known = 0.0, total = 0.0, hard = 0.0
    for row in rows {
      bad += row.bad
      for field in scan.fields(of: row) {
        if field.isQuoted { enclosed += 1 }
        if row.count != columns, columns > 1 { continue }
        let kind = scan.parser.kind(text, field)
        switch kind {
        case .empty:
          total += 0.3
          known += 0.2
        case .other:
          total += 1
          known += field.isQuoted ? 0.55 : 0.1
        case .word:
          total += 1
          known += 0.85
        default:
          total += 1
          known += 1
          hard += 1
        }
      }
    }
    bad /= Double(rows.count)
    types = known / max(total, 1)
    typed = hard / max(total, 1)
    let irregular = 1 + 0.04 * Double(min(widths.counts.count - 1, 12))
    regularity =
      columns == 1
      ? 0.28
      : (0.6 * share + 0.4 * max(adjacent, share * share)) * (1 - 0.62 / Double(max(columns, 1))) / irregular
  }
}
