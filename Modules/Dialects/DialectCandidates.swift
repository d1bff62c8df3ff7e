/// The dialects that may fit a sample, and the one that fits best.
struct DialectCandidates {
  /// Delimiters of one character; the last is `¦`.
  private static let delimiters: [[UInt8]] =
    [0x2C, 0x3B, 0x09, 0x7C, 0x3A, 0x20, 0x5E, 0x7E, 0x23, 0x2A, 0x01, 0x1F].map { [$0] } + [[0xC2, 0xA6]]

  /// The results, the best first.
  private(set) var scores: [DialectScore] = []

  /// - Parameters:
  ///   - frame: what is known already: line ends, the line that names the delimiter, and the user's choices.
  ///   - delimiter: the only one, if it is known.
  ///   - quote: the only one, if it is known; nil in it for none.
  init(
    _ text: Span<UInt8>, _ frame: CSVDialect, delimiter: [UInt8]?, quote: UInt8??, escape: CSVDialect.Escape?,
    isWhole: Bool
  ) {
    let body = text.extracting(frame.separatorLine...)
    let beginning = body.extracting(..<min(body.count, DialectSniffer.firstLook))
    let found = Self.occurring(body, among: delimiter.map { [$0] } ?? Self.delimiters, always: delimiter != nil)
    var candidates: [(delimiter: [UInt8], quote: UInt8?, escape: CSVDialect.Escape)] = []
    let hasQuote = ByteText.contains(body, [0x22]), hasSingle = ByteText.contains(body, [0x27])
    let hasBackslash = ByteText.contains(body, [0x5C])
    for delimiter in found {
      var quotes: [UInt8?] = []
      if let quote {
        quotes = [quote]
      } else {
        let (starts, closed) = hasQuote ? Self.evidence(beginning, delimiter, 0x22) : (0, 0)
        if starts > 0 { quotes.append(0x22) }
        let (others, enclosed) = hasSingle ? Self.evidence(beginning, delimiter, 0x27) : (0, 0)
        if enclosed >= 2, enclosed * 2 >= others, enclosed > 2 * closed { quotes.append(0x27) }
        if quotes.isEmpty { quotes = [0x22] }
        if starts > 0 { quotes.append(nil) }
      }
      for quote in quotes {
        candidates.append((delimiter, quote, escape ?? .double))
        if escape == nil, hasBackslash, let quote, ByteText.contains(body, [0x5C, quote]) {
          candidates.append((delimiter, quote, .backslash))
        }
      }
    }
    if delimiter == nil {
      for first: UInt8 in [0x2C, 0x3B, 0x7C] where Self.isSpaced(beginning, first) {
        candidates += candidates.filter { $0.delimiter == [first] && $0.quote != nil }.map {
          ([first, 0x20], $0.quote, $0.escape)
        }
      }
      if !candidates.contains(where: { $0.delimiter == [0x2C] }) { candidates.append(([0x2C], 0x22, .double)) }
      if candidates.contains(where: { $0.delimiter == [0x20] }), ByteText.contains(beginning, CSVDialect.spaces) {
        candidates.append((CSVDialect.spaces, 0x22, .double))
      }
    }
    for candidate in candidates {
      var dialect = frame
      (dialect.delimiter, dialect.quote, dialect.escape) = candidate
      scores.append(DialectScore(text, dialect, isWhole: isWhole))
    }
    // The order of the candidates decides between equals.
    let order = scores.indices.sorted { (scores[$1].value, $0) < (scores[$0].value, $1) }
    scores = order.map { scores[$0] }
    if delimiter == nil { lengthenDelimiter(text, isWhole: isWhole) }
  }

  /// The best dialect of another delimiter or quote.
  var runnerUp: DialectScore? {
    guard let best = scores.first?.dialect else { return nil }
    return scores.dropFirst().first { other in
      other.dialect.delimiter[0] != best.delimiter[0]
        || other.dialect.quote != best.quote && best.quote != nil && other.dialect.quote != nil
    }
  }

  /// Whether every delimiter is followed by a space, or doubled.
  private mutating func lengthenDelimiter(_ text: Span<UInt8>, isWhole: Bool) {
    guard let best = scores.first, best.dialect.delimiter.count == 1, best.dialect.delimiter != [0x20] else { return }
    let delimiter = best.dialect.delimiter
    let beginning = text.extracting(..<min(text.count, DialectSniffer.firstLook))
    for tail in [[0x20], delimiter] where ByteText.contains(beginning, [delimiter[0], tail[0]]) {
      var dialect = best.dialect
      dialect.delimiter = delimiter + tail
      let scan = SampleScan(text, dialect, limit: DialectScore.rows, isWhole: isWhole)
      var widths = WidthCounts()
      let rows = scan.rows.filter { !scan.isBlankLine(text, $0) }
      for row in rows { widths.add(row.count) }
      guard let usual = widths.counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), usual.key >= 2,
        Double(usual.value) >= 0.95 * Double(rows.count),
        tail == delimiter
          ? best.columns == 2 * usual.key - 1
          : usual.key >= best.columns && isAlwaysSpaced(text, best, isWhole)
      else { continue }
      var longer = DialectScore(text, dialect, isWhole: isWhole)
      longer.value = best.value
      longer.columns = usual.key
      scores[0] = longer
      return
    }
  }

  /// Whether all fields but the first begin with a space or are empty.
  private func isAlwaysSpaced(_ text: Span<UInt8>, _ score: DialectScore, _ isWhole: Bool) -> Bool {
    let scan = SampleScan(text, score.dialect, limit: DialectScore.rows, isWhole: isWhole)
    var count = 0, spaced = 0
    for row in scan.rows where row.count == score.columns {
      for field in scan.fields(of: row).dropFirst() {
        count += 1
        if field.end > field.start {
          guard text[field.start] == 0x20 else { return false }
          spaced += 1
        }
      }
    }
    return count > 0 && Double(spaced) > 0.9 * Double(count)
  }

  // MARK: - Evidence

  /// The delimiters that are in three of ten lines, of the first 300.
  private static func occurring(_ text: Span<UInt8>, among delimiters: [[UInt8]], always: Bool) -> [[UInt8]] {
    if always { return delimiters }
    var slots = [Int](repeating: -1, count: 256)
    for (index, delimiter) in delimiters.enumerated() { slots[Int(delimiter[0])] = index }
    var counts = [Int](repeating: 0, count: delimiters.count), lines = 0, at = 0, seen: UInt32 = 0
    var isBlank = true, lineStart = 0
    while at <= text.count, lines < 300 {
      let byte = at < text.count ? text[at] : 0x0A
      if byte == 0x0A || byte == 0x0D {
        if !isBlank {
          lines += 1
          for index in counts.indices where seen >> UInt32(index) & 1 == 1 { counts[index] += 1 }
        }
        (seen, isBlank, lineStart) = (0, true, at + 1)
      } else {
        if isBlank, !CellKind.isSpace(byte) { isBlank = false }
        let slot = slots[Int(byte)]
        if slot >= 0, byte != 0x23 || at > lineStart, byte != 0xC2 || at + 1 < text.count && text[at + 1] == 0xA6 {
          seen |= 1 << UInt32(slot)
        }
      }
      at += 1
    }
    return delimiters.indices.filter { Double(counts[$0]) >= max(1, Double(lines) * 0.3) }.map { delimiters[$0] }
  }

  /// Whether half of the delimiters are followed by a space.
  private static func isSpaced(_ text: Span<UInt8>, _ delimiter: UInt8) -> Bool {
    var count = 0, spaced = 0, start = 0
    while let at = ByteText.firstIndex(of: delimiter, in: text, from: start) {
      count += 1
      if at + 1 < text.count, text[at + 1] == 0x20 { spaced += 1 }
      start = at + 1
    }
    return count > 0 && spaced * 2 >= count
  }

  /// Fields that begin with a quote, and those of them that end with one.
  private static func evidence(_ text: Span<UInt8>, _ delimiter: [UInt8], _ quote: UInt8) -> (starts: Int, closed: Int)
  {
    let count = text.count
    var starts = 0, closed = 0
    func isDelimiter(_ at: Int) -> Bool {
      guard at + delimiter.count <= count else { return false }
      for index in delimiter.indices where text[at + index] != delimiter[index] { return false }
      return true
    }
    func isEnd(_ at: Int) -> Bool { at >= count || text[at] == 0x0A || text[at] == 0x0D || isDelimiter(at) }
    var next = 0
    while let at = ByteText.firstIndex(of: quote, in: text, from: next) {
      next = at + 1
      let before = at > 0 && text[at - 1] == 0x20 && delimiter != [0x20] ? at - 1 : at
      let isStart =
        before == 0 || text[before - 1] == 0x0A || text[before - 1] == 0x0D
        || before >= delimiter.count && isDelimiter(before - delimiter.count)
      guard isStart else { continue }
      starts += 1
      var scan = at + 1
      while scan < count, text[scan] != 0x0A, text[scan] != 0x0D {
        if text[scan] == quote {
          if isEnd(scan + 1) || scan + 1 < count && text[scan + 1] == 0x20 && isEnd(scan + 2) {
            closed += 1
            break
          }
          if scan + 1 < count, text[scan + 1] == quote {
            scan += 1
          } else if text[scan - 1] != 0x5C {
            break
          }
        }
        scan += 1
      }
    }
    return (starts, closed)
  }
}
