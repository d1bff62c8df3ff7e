internal import Codecs
public import Rows

/// The dialect of a file, as detected in a sample of it.
public struct DialectFinding: Sendable {
  /// Something that the sample shows, with the setting that settles it.
  public struct Note: Sendable, Hashable {
    /// The finding, as a clause.
    public var message: String
    /// The setting and its value.
    public var setting: Setting, value: String?
  }

  /// The dialect.
  public var dialect = CSVDialect()
  /// The confidence, from 0 to 1.
  public internal(set) var confidence = 1.0
  /// The dialect that fits second best.
  public internal(set) var runnerUp: CSVDialect?
  /// Whether carriage returns precede line feeds.
  public internal(set) var hasReturns = false
  /// Whether the sample is regular in the usual dialect.
  public internal(set) var isClean = false
  /// What cannot be decided without the user, and what is only odd.
  public internal(set) var doubts: [Note] = [], notes: [Note] = []
  /// Makes the profile of the columns, which only damaged records need.
  var makeProfile: (@Sendable () -> ColumnProfile)?
  /// The columns of the table.
  var width: Int?
  /// Whether tabs separate the fields, by the name of the file.
  var isTabbed = false
}

/// Finds the dialect of a file by a sample of it.
public struct DialectSniffer {
  /// The bytes of a sample, and those that are checked first.
  public static let sampleSize = 256 << 10, firstLook = 64 << 10

  private let options: DialectOptions
  private let isTabbed: Bool
  private let isWhole: Bool
  private var finding = DialectFinding()

  /// Delimiters that are used without asking.
  private static let usual: Set<[UInt8]> = [
    [0x2C], [0x3B], [0x09], [0x7C], [0x01], [0x1F], [0x2C, 0x20], [0x3B, 0x20], [0x7C, 0x20], [0x7C, 0x7C],
    [0x3B, 0x3B],
  ]

  /// Finds the dialect of a sample of UTF-8 text without a byte order mark.
  /// - Parameters:
  ///   - isTabbed: whether tabs separate the fields, by the name of the file.
  ///   - isWhole: whether the sample is the whole file.
  static func finding(
    _ sample: Span<UInt8>, _ options: DialectOptions, isTabbed: Bool, isWhole: Bool
  ) -> DialectFinding {
    var text = sample
    if !isWhole {
      var end = sample.count
      while end > 0, sample[end - 1] != 0x0A { end -= 1 }
      if end > 0 { text = sample.extracting(..<end) }
    }
    var sniffer = DialectSniffer(options, isTabbed: isTabbed, isWhole: isWhole)
    if text.count > firstLook, options.delimiter == nil, !isTabbed, options.positions == nil {
      var end = firstLook
      while end > 0, text[end - 1] != 0x0A { end -= 1 }
      var first = DialectSniffer(options, isTabbed: isTabbed, isWhole: false)
      if end > 0 {
        first.sniff(text.extracting(..<end), isFirstLook: true)
        if first.finding.isClean { return first.finding }
      }
    }
    sniffer.sniff(text)
    return sniffer.finding
  }

  private init(_ options: DialectOptions, isTabbed: Bool, isWhole: Bool) {
    self.options = options
    self.isTabbed = isTabbed
    self.isWhole = isWhole
  }

  // MARK: - Delimiter and quote

  private mutating func sniff(_ text: Span<UInt8>, isFirstLook: Bool = false) {
    finding.dialect = options.dialect
    finding.isTabbed = isTabbed
    finding.hasReturns = returns(text) > 0
    finding.dialect.repeatsReturns = returns(text) > 1
    if isTabbed, options.delimiter == nil { finding.dialect.delimiter = [0x09] }
    var frame = CSVDialect()
    frame.endsWithReturn = endsWithReturn(text)
    let given = options.delimiter ?? (isTabbed ? [0x09] : nil)
    let line = options.positions == nil && !options.isComplete ? separatorLine(text) : nil
    let named = line.flatMap { given == nil || given == [$0.delimiter] ? $0 : nil }
    // If lines are skipped, this one is counted.
    frame.separatorLine = (options.skippedRows ?? 0) > 0 ? 0 : named?.count ?? 0
    finding.dialect.endsWithReturn = frame.endsWithReturn
    finding.dialect.separatorLine = frame.separatorLine
    if let named { finding.dialect.delimiter = [named.delimiter] }
    if options.isComplete { return }
    guard options.positions == nil else { return layOut(text) }
    let delimiter = given ?? named.map { [$0.delimiter] }
    let isOpen = delimiter == nil && options.quote == nil && options.escape == nil && options.comment == nil
    let mayBeClean = isOpen && options.skippedRows == nil && !frame.endsWithReturn
    let clean = mayBeClean ? cleanWidth(text, [0x2C], least: isFirstLook ? 2 : 1) : 0
    if clean > 1, !hasRival(text) {
      finding.isClean = true
      return layOut(text, clean: clean)
    }
    if delimiter == [0x09], options.quote == nil, !ByteText.contains(text, [0x22]), !frame.endsWithReturn {
      finding.dialect.delimiter = [0x09]
      finding.isClean = cleanWidth(text, [0x09]) > 0
      return layOut(text)
    }
    // Only what is clean is decided by the first part of a sample.
    if isFirstLook, clean < 2 { return }
    func score(_ records: Span<UInt8>) -> DialectCandidates {
      DialectCandidates(
        records, frame, delimiter: delimiter, quote: options.quote.map(\.byte), escape: options.escape,
        isWhole: isWhole)
    }
    let body = text.extracting(lines(text, options.skippedRows ?? 0)...), comment = options.comment ?? []
    let candidates = comment.isEmpty ? score(body) : score(records(body, besides: comment).span)
    guard let best = candidates.scores.first else { return layOut(text) }
    finding.confidence = candidates.runnerUp.map { best.value > 0 ? 1 - $0.value / best.value : 0 } ?? 1
    finding.runnerUp = candidates.runnerUp?.dialect
    choose(text, best, candidates, clean)
    if finding.isClean, clean > 0 { return layOut(text, clean: clean) }
    judgeQuotesOfTabs(text)
    doubt(candidates)
    layOut(text)
  }

  private mutating func use(_ score: DialectScore) {
    (finding.dialect.delimiter, finding.dialect.quote) = (score.dialect.delimiter, score.dialect.quote)
    finding.dialect.escape = score.dialect.escape
    // Quotes are text without asking only between tabs; elsewhere one that is not closed is an error with its place.
    if score.dialect.quote == nil, options.quote == nil, !options.repairs, score.dialect.delimiter != [0x09] {
      finding.dialect.quote = options.dialect.quote
    }
    finding.width = score.columns
    finding.isClean = false
  }

  /// Chooses between the usual dialect, if the sample is clean in it, and the best other.
  private mutating func choose(
    _ text: Span<UInt8>, _ best: DialectScore, _ candidates: DialectCandidates, _ clean: Int
  ) {
    let scores = candidates.scores, delimiter = best.dialect.delimiter
    // Text hardly ever has as many tabs in every record as in the first.
    let tabs = scores.first { $0.dialect.delimiter == [0x09] && $0.isEven && $0.records >= 3 }
    guard clean > 0 else { return use(best.isEven ? best : tabs ?? best) }
    finding.isClean = true
    if clean >= 2 {
      let comma = scores.first { $0.dialect.delimiter[0] == 0x2C }?.value ?? 0
      let rival =
        tabs
        ?? scores.first { score in
          score.dialect.delimiter.count == 1 && Self.usual.contains(score.dialect.delimiter)
            && score.dialect.delimiter != [0x2C] && score.isEven && score.records >= 3
            && (score.columns >= 4 * clean || score.value > comma)
        }
      if let rival {
        if options.repairs { return use(rival) }
        doubtEvenness([0x2C], clean, rival, value: rival.dialect.delimiter)
      }
      let single = scores.first {
        $0.dialect.delimiter == [0x2C] && $0.dialect.quote == 0x27 && $0.columns == clean && $0.bad == 0
      }
      if let single, enclosesColumn(text, single) {
        if options.repairs { return use(single) }
        note("columns are enclosed in ' in every row", .inputQuote, "'")
      }
      return
    }
    let isUsual = Self.usual.contains(delimiter)
    let isEven = best.isEven && (best.types > 0.6 || delimiter == [0x09])
    if isEven, isUsual, best.records >= 2 || best.columns >= 3 { return use(best) }
    let isRegular = best.records >= 2 && best.columns >= 2 && best.regularity > 0.3 && best.share >= 0.66
    // Text hardly has as many of these in every record.
    let isRare = [[0x5E], [0x7E]].contains(delimiter) && best.isEven && best.columns >= 3 && best.records >= 3
    let isApplied = isUsual && delimiter != [0x2C] && isRegular && best.types > 0.6 || isRare
    if options.repairs, isApplied { return use(best) }
    let isSpaced = delimiter[0] == 0x20 && best.columns >= 3
    if isSpaced, best.share >= 0.98, best.typed >= 0.3, best.records >= 5 {
      if options.repairs { return use(best) }
      note("one column, but fields seem to be separated by spaces", .inputDelimiter, "spaces")
    } else if best.columns >= 2, best.share >= 0.6, best.bad == 0,
      isUsual && delimiter != [0x2C] && (best.isEven || best.types > 0.6 && best.records >= 3)
        || isRare
        || isSpaced && best.typed >= 0.5 && best.records >= 3
    {
      let share = Int(best.share * 100)
      note(
        "one column, but \(share)% of the sample has \(best.columns) fields separated by \(Self.shown(delimiter))",
        .inputDelimiter, Self.name(delimiter))
    }
  }

  /// Adds doubts where a guess is not reliable enough.
  private mutating func doubt(_ candidates: DialectCandidates) {
    let dialect = finding.dialect
    guard !finding.isClean, let best = candidates.scores.first else { return }
    if options.delimiter == nil, dialect.separatorLine == 0, !isTabbed {
      let isUsual = Self.usual.contains(dialect.delimiter) && finding.confidence >= 0.1
      let name = Self.name(dialect.delimiter)
      if !isUsual, dialect.delimiter != [0x2C] {
        doubt("fields seem to be separated by \(Self.shown(dialect.delimiter))", .inputDelimiter, name)
      }
      let other = candidates.scores.first { score in
        score.dialect.delimiter.count == 1 && Self.usual.contains(score.dialect.delimiter)
          && score.dialect.delimiter[0] != dialect.delimiter[0] && score.isEven && score.records >= 2
      }
      if let other {
        doubtEvenness(dialect.delimiter, best.columns, other, value: dialect.delimiter)
      }
    }
    if options.quote == nil, dialect.quote == 0x27 {
      doubt("fields seem to be enclosed in '", .inputQuote, "'")
    }
    if options.escape == nil, dialect.escape == .backslash {
      doubt("a backslash seems to precede quotes", .inputEscape, "backslash")
    }
  }

  private mutating func doubt(_ message: String, _ setting: Setting, _ value: String) {
    finding.doubts.append(DialectFinding.Note(message: message, setting: setting, value: value))
  }

  private mutating func note(_ message: String, _ setting: Setting, _ value: String? = nil) {
    finding.notes.append(DialectFinding.Note(message: message, setting: setting, value: value))
  }

  private mutating func doubtEvenness(_ delimiter: [UInt8], _ columns: Int, _ other: DialectScore, value: [UInt8]) {
    doubt(
      "every record fits \(Self.name(delimiter))s (\(columns) columns) and \(Self.name(other.dialect.delimiter))s (\(other.columns) columns)",
      .inputDelimiter, Self.name(value))
  }

  /// The name of a delimiter, as the option takes it.
  public static func name(_ delimiter: [UInt8]) -> String {
    let names: [[UInt8]: String] = [
      [0x2C]: "comma", [0x09]: "tab", [0x3B]: "semicolon", [0x7C]: "pipe", [0x20]: "space", CSVDialect.spaces: "spaces",
    ]
    return names[delimiter]
      ?? (delimiter.first.map { $0 < 0x20 } == true
        ? "\\x\(delimiter[0] < 16 ? "0" : "")\(String(delimiter[0], radix: 16))"
        : String(decoding: delimiter, as: UTF8.self))
  }

  /// The name of a delimiter in a sentence.
  private static func shown(_ delimiter: [UInt8]) -> String {
    let name = name(delimiter)
    return name.utf8.elementsEqual(delimiter) ? "“\(name)”" : delimiter == CSVDialect.spaces ? name : "a \(name)"
  }

  // MARK: - Evidence

  /// Whether carriage returns end the lines.
  private func endsWithReturn(_ text: Span<UInt8>) -> Bool {
    guard let first = ByteText.firstIndex(of: 0x0D, in: text), first < Self.firstLook else { return false }
    var feeds = 0, returns = 0
    for index in 0..<min(text.count, Self.firstLook) {
      if text[index] == 0x0A { feeds += 1 }
      if text[index] == 0x0D, index + 1 == text.count || text[index + 1] != 0x0A { returns += 1 }
    }
    return returns > 4 * feeds
  }

  /// The carriage returns before the first line feed.
  private func returns(_ text: Span<UInt8>) -> Int {
    let end = ByteText.firstIndex(of: 0x0A, in: text) ?? 0
    var start = end
    while start > 0, text[start - 1] == 0x0D { start -= 1 }
    return end - start
  }

  /// The line `sep=;` of Excel.
  private func separatorLine(_ text: Span<UInt8>) -> (delimiter: UInt8, count: Int)? {
    var line: [UInt8] = [], at = 0
    while at < min(text.count, 12), text[at] != 0x0A, text[at] != 0x0D {
      line.append(text[at])
      at += 1
    }
    guard at < text.count, text[at] == 0x0A || text[at] == 0x0D else { return nil }
    at += text[at] == 0x0D && at + 1 < text.count && text[at + 1] == 0x0A ? 2 : 1
    if line.first == 0x22, line.last == 0x22, line.count > 2 { line = Array(line.dropFirst().dropLast()) }
    guard line.count == 5, String(decoding: line[..<4], as: UTF8.self).lowercased() == "sep=" else { return nil }
    return (line[4], at)
  }

  private var feed: UInt8 { finding.dialect.endsWithReturn ? 0x0D : 0x0A }

  /// The bytes of the first lines.
  private func lines(_ text: Span<UInt8>, _ count: Int) -> Int {
    var at = 0, left = count
    while left > 0, at < text.count {
      if text[at] == feed { left -= 1 }
      at += 1
    }
    return at
  }

  /// The lines that do not begin with `comment`.
  private func records(_ text: Span<UInt8>, besides comment: [UInt8]) -> [UInt8] {
    var records: [UInt8] = [], at = 0
    while at < text.count {
      let end = min((ByteText.firstIndex(of: feed, in: text, from: at) ?? text.count) + 1, text.count)
      let isComment = end - at >= comment.count && comment.indices.allSatisfy { text[at + $0] == comment[$0] }
      if !isComment { for index in at..<end { records.append(text[index]) } }
      at = end
    }
    return records
  }

  /// The columns of a sample without anything odd in it; 0 if there is, or if they are fewer than `least`.
  private func cleanWidth(_ text: Span<UInt8>, _ delimiter: [UInt8], least: Int = 1) -> Int {
    if separatorLine(text) != nil { return 0 }
    var dialect = CSVDialect()
    dialect.delimiter = delimiter
    var parser = RecordParser(dialect), width = 0, at = 0, rows = 0
    let hasReturns = ByteText.contains(text, [0x0D])
    while at < text.count, rows <= 2000 {
      if !hasReturns, width > 0, let end = plainLine(text, at, delimiter[0], width: width) {
        at = end + 1
        rows += 1
        continue
      }
      guard (try? parser.parse(text, at, isAtEnd: isWhole)) != nil else { break }
      guard parser.fault == nil else { return 0 }
      for field in parser.fields where hasReturns && !field.isQuoted {
        for index in field.start..<field.end where text[index] == 0x0D { return 0 }
      }
      at = parser.next
      if width != 1, parser.isBlank(text) {
        if parser.fields[0].end > parser.fields[0].start { return 0 }
        continue
      }
      if width == 0 { width = parser.fields.count }
      guard parser.fields.count == width, width >= least else { return 0 }
      rows += 1
    }
    return width
  }

  /// The end of the line that begins at `start`, if it has `width` fields, no quotes, and is not blank.
  private func plainLine(_ text: Span<UInt8>, _ start: Int, _ delimiter: UInt8, width: Int) -> Int? {
    var at = start, fields = 1
    while at < text.count {
      let byte = text[at]
      if byte == delimiter {
        fields += 1
      } else if byte == 0x0A {
        return fields == width && (width > 1 || at > start) ? at : nil
      } else if byte == 0x22 {
        return nil
      }
      at += 1
    }
    return nil
  }

  /// Whether every one of the first lines has another delimiter, or `'` begins fields.
  private func hasRival(_ text: Span<UInt8>) -> Bool {
    var seen = 0, everywhere = 7, lines = 0, at = 0, before: UInt8 = 0x0A, marks = 0
    while at < text.count, lines < 100 {
      switch text[at] {
      case 0x3B: seen |= 1
      case 0x09: seen |= 2
      case 0x7C: seen |= 4
      case 0x27 where before == 0x2C || before == 0x0A: marks += 1
      case 0x0A:
        if before != 0x0A {
          everywhere &= seen
          lines += 1
        }
        seen = 0
      default: break
      }
      before = text[at]
      at += 1
    }
    return everywhere != 0 || marks >= 2
  }

  /// Whether a quote encloses all fields of a column, and is in no other field.
  private func enclosesColumn(_ text: Span<UInt8>, _ score: DialectScore) -> Bool {
    let scan = SampleScan(text, score.dialect, limit: DialectScore.rows, isWhole: isWhole)
    let rows = scan.rows.filter { !scan.isBlankLine(text, $0) }
    guard rows.count >= 3 else { return false }
    for field in scan.fields {
      for index in field.start..<field.end where text[index] == 0x27 { return false }
    }
    return (0..<rows[0].count).contains { column in
      rows.dropFirst().allSatisfy { column < $0.count && scan[$0, column].isQuoted }
    }
  }

  /// Quotes between tabs are text unless something shows that they quote.
  private mutating func judgeQuotesOfTabs(_ text: Span<UInt8>) {
    let dialect = finding.dialect
    guard dialect.delimiter == [0x09], dialect.quote == 0x22, options.quote == nil,
      ByteText.contains(text, [0x22])
    else { return }
    let scan = SampleScan(text, dialect, limit: 5000, isWhole: isWhole)
    var needed = 0, enclosed = 0, broken = 0, commas = 0, columns: [Int: (enclosed: Int, all: Int)] = [:]
    for row in scan.rows {
      if row.bad >= 1 { broken += 1 }
      for (column, field) in scan.fields(of: row).enumerated() {
        guard field.end > field.start || field.isQuoted else { continue }
        columns[column, default: (0, 0)].all += 1
        guard field.isQuoted else { continue }
        enclosed += 1
        columns[column, default: (0, 0)].enclosed += 1
        var isNeeded = field.end == field.start, hasComma = false
        for index in field.start..<field.end {
          switch text[index] {
          case 0x09, 0x0A, 0x0D, 0x22: isNeeded = true
          case 0x2C: hasComma = true
          default: break
          }
        }
        if isNeeded { needed += 1 }
        if hasComma { commas += 1 }
      }
    }
    let encloses = columns.values.contains { $0.enclosed >= 2 && Double($0.enclosed) >= 0.8 * Double($0.all) }
    guard broken > needed || enclosed > 0 && needed == 0 && !encloses && commas * 2 < enclosed + 1 && commas < enclosed
    else { return }
    finding.dialect.quote = nil
    if enclosed > 0 {
      note(
        "\(enclosed) field\(enclosed == 1 ? "" : "s") of the sample \(enclosed == 1 ? "is" : "are") enclosed in quotes that \(enclosed == 1 ? "it does" : "they do") not need; quotes are kept as text",
        .inputQuote, "\"")
    }
  }

  // MARK: - Layout

  /// Finds what surrounds the table, and its header.
  private mutating func layOut(_ text: Span<UInt8>, clean: Int? = nil) {
    var layout = TableLayout(text, finding.dialect, isWhole: isWhole, isClean: finding.isClean, clean: clean)
    layout.find(text, options)
    let found = layout.dialect
    finding.width = layout.columns
    var dialect = finding.dialect
    if options.comment == nil, !found.comment.isEmpty {
      let mark = String(decoding: found.comment, as: UTF8.self)
      doubt("lines that begin with \(mark) seem to be comments", .commentPrefix, mark)
      dialect.comment = found.comment
    }
    if options.skippedRows == nil, found.skippedRows > 0 {
      let rows = "\(found.skippedRows) record\(found.skippedRows == 1 ? "" : "s")"
      if finding.isClean, !options.repairs {
        note(
          "\(rows) before the table \(found.skippedRows == 1 ? "is" : "are") read as data", .skippedRows,
          "\(found.skippedRows)")
      } else {
        doubt("\(rows) before the table", .skippedRows, "\(found.skippedRows)")
        dialect.skippedRows = found.skippedRows
      }
    }
    if !options.hasNoHeader, options.headerRows == nil, options.names == nil, found.headerRows != 1 {
      if options.repairs {
        dialect.headerRows = found.headerRows
      } else if found.headerRows == 0 {
        note("the first record looks like data, and is read as names", .noHeader)
      } else if finding.isClean {
        note("\(found.headerRows) records look like names", .headerRows, "\(found.headerRows)")
      } else {
        doubt("\(found.headerRows) header rows", .headerRows, "\(found.headerRows)")
        dialect.headerRows = found.headerRows
      }
    }
    if !options.repairs, options.table == nil, layout.repeatsHeader(text) {
      note("the header occurs again among the records, and is read as data", .repair)
    }
    finding.dialect = dialect
    if options.repairs { finding.makeProfile = layout.profileMaker(text, dialect) }
  }
}
