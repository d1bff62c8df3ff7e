internal import CMasks
internal import Codecs
internal import Rows

/// Converts a table of any dialect to RFC 4180 text, record by record, and repairs it if that is wanted.
///
/// Every byte of the input is in a row, in the dialect, or in a reject. A record takes as many lines of the output as
/// of the input, except in tables of one column, so that line numbers stay the same.
struct TableConverter: ~Copyable {
  /// The parameters of the conversion of a table.
  struct Plan: Sendable {
    var dialect: CSVDialect
    /// Whether damaged records are read in other ways.
    var repairs = false
    /// Whether the text was converted from another encoding.
    var isConverted = false
    /// The columns of the table and the look of their fields, from the sample.
    var columns: Int?
    var makeProfile: (@Sendable () -> ColumnProfile)?
    var maximumField = 16 << 20
    /// The most records that may be changed or dropped; nil for any number.
    var maximumRejects: Int?
    /// Why records are dropped because the user said so.
    var expected: Set<Reject.Reason> = []
    /// The settings of the user that take records from the table.
    var skips: [Setting] = []
  }

  /// The text, from `base` on.
  var window = ArenaBuilder()
  /// Where the text begins in the input.
  private(set) var base = 0
  /// Where the next record begins, in the text.
  private var at = 0
  var isAtEnd = false
  private(set) var output = ConvertedText()
  /// Records that were changed or dropped, and not yet taken; what they say of their place is the text's.
  var rejects: [Reject] = []
  private(set) var rejected = 0

  private let plan: Plan
  private let name: String
  private let original: TranscodingSource?
  private let scratch: (any ScratchSpace)?
  /// Why the bytes of a record are not known.
  private var failure: Problem?
  private let dialect: CSVDialect
  private let delimiter: UInt8
  private var reader: RecordReader
  /// Whether lines can be compared with a table of this dialect 64 bytes at a time.
  private let isFast: Bool

  /// The current line of the input.
  private var line = 1
  private var records = 0
  /// Whether the mark before the text is known.
  var hasBegun = false
  private var ahead: [ReadRecord] = []
  /// Where the records so far end in the input: they follow each other without a gap.
  private var tiled = 0
  private var header: [[[UInt8]]] = []
  private var headerKey: [[UInt8]] = []
  /// The first name of the header, up to a quote; nil if the header is not looked for again.
  private var headerStart: [UInt8]?
  private var hasNames = false, isAfterBlank = false
  private var table = 1
  /// Where the text must reach before the record at its end is read again, so that long records take linear time.
  private var wantedEnd = 0

  /// Records that make another table, and bytes that are converted at once.
  private static let lookAhead = 4, portion = 64 << 10
  /// The bytes of a record for which memory is reserved at once.
  static let longRecord = 1 << 20
  /// The byte order mark, for sources without a sample.
  private static let mark = CharacterEncoding.mark

  /// - Parameters:
  ///   - mark: the bytes before the text.
  ///   - scratch: where long records go that are changed or dropped.
  init(
    _ plan: Plan, name: String, mark: Int, original: TranscodingSource? = nil, scratch: (any ScratchSpace)? = nil
  ) {
    (self.original, self.scratch) = (original, scratch)
    self.plan = plan
    self.name = name
    dialect = plan.dialect
    delimiter = dialect.plainDelimiter
    reader = RecordReader(dialect, repairs: plan.repairs, maximumField: plan.maximumField)
    reader.isConverted = plan.isConverted
    if plan.repairs {
      reader.width = plan.columns
      reader.makeProfile = plan.makeProfile
    }
    var plain = dialect
    (plain.headerRows, plain.skippedRows, plain.names, plain.separatorLine) = (1, 0, nil, 0)
    (plain.table, plain.ragged) = (nil, .error)
    isFast = plain.isPlain && delimiter == dialect.delimiter[0]
    at = mark + dialect.separatorLine
    tiled = at
    if dialect.separatorLine > 0 { line = 2 }
    if dialect.headerRows == 0 {
      hasNames = true
      reader.width = plan.columns ?? dialect.names?.count
    }
  }

  /// The columns of the table; nil before they are known.
  var width: Int? { reader.width }
  /// Whether everything is converted, and its text was taken.
  var isFinished: Bool { isAtEnd && at == window.count && output.bytes.isEmpty }

  mutating func takeOutput() { output.bytes.removeAll(keepingCapacity: output.bytes.count <= Self.longRecord) }

  /// Converts what there is; whether more text is needed.
  mutating func convert() throws(Problem) -> Bool {
    let isUnmarked = !hasBegun && at == 0 && window.count > 0 && span(0, 1) != Array(Self.mark.prefix(1))
    if !hasBegun, window.count >= max(at, Self.mark.count) || isUnmarked || isAtEnd {
      hasBegun = true
      if at == 0, original == nil, window.count >= Self.mark.count, span(0, Self.mark.count) == Self.mark {
        at = Self.mark.count
        tiled = at
      }
      at = min(at, window.count)
      take(0, at)
    }
    guard hasBegun, base + window.count >= wantedEnd || isAtEnd else { return true }
    let begin = base + at
    while output.bytes.count < Self.portion, base + at - begin < Self.portion {
      if output.appendRest(delimiter) { continue }
      if at >= 1 << 16, ahead.isEmpty || at > window.count / 2 { forget() }
      if isFast, ahead.isEmpty, hasNames, isWanted, records >= dialect.skippedRows, dialect.skippedFooter == 0,
        dialect.table == nil || !isAfterBlank
      {
        copyCleanRecords()
      }
      guard at < window.count else {
        if at > Self.longRecord { forget() }
        return !isAtEnd
      }
      let problem: Problem?
      do throws(RecordParser.NeedsMore) { problem = try step() } catch {
        let open = window.count - (ahead.last?.next ?? at), most = 2 * plan.maximumField
        guard open <= most else {
          throw Problem(
            .badData, "the record is larger than \(most >> 20) MiB", at: "\(name):\(line):1",
            hint: .raise(.maximumField).after("a record may have twice the size of a value"))
        }
        wantedEnd = base + window.count + min(open, most - open + 1)
        // Doubling would take twice the memory of the longest record.
        if open > Self.longRecord { window.reserve(window.count - open + most + Self.portion) }
        return true
      }
      if let problem { throw problem }
    }
    // The memory of a long record is free before its text is read.
    if at > Self.longRecord { forget() }
    return false
  }

  private func span(_ start: Int, _ end: Int) -> [UInt8] {
    unsafe Array(UnsafeBufferPointer(start: window.base + start, count: end - start))
  }

  /// Consumes the text from `start` to `end`, to which the rejects without bytes belong.
  private mutating func take(_ start: Int, _ end: Int) {
    guard let original else { return }
    let own = (rejects.lastIndex { $0.count > 0 } ?? -1) + 1..<rejects.count
    do throws(Problem) {
      let found = try window.read { (text) throws(Problem) in
        try original.takeOriginal(of: Span(_bytes: text.extracting(start..<end)), wantsBytes: !own.isEmpty)
      }
      for index in own { (rejects[index].offset, rejects[index].raw, rejects[index].stored) = found }
    } catch { failure = failure ?? error }
  }

  private mutating func forget() {
    if at > Self.longRecord, window.count - at < at {
      let rest = span(at, window.count)
      window = ArenaBuilder()
      window.append(rest)
    } else {
      window.removeFirst(at)
    }
    base += at
    for index in ahead.indices {
      ahead[index].start -= at
      ahead[index].next -= at
    }
    at = 0
  }

  // MARK: - Clean records

  /// Copies the records at `at` that are as they should be.
  private mutating func copyCleanRecords() {
    guard let width = reader.width else { return }
    let count = window.count
    var block = at, recordStart = at, lines = 0, fields = 1
    var inside: UInt64 = 0, before: UInt64 = 1
    if mayBeHeader(at) { return }
    scan: while block < count {
      var masks = unsafe bb_read_csv_block(window.base + block, delimiter)
      if count - block < 64 {
        let valid = (UInt64(1) << UInt64(count - block)) - 1
        masks.quotes &= valid
        masks.delimiters &= valid
        masks.feeds &= valid
        masks.returns &= valid
      }
      let quoted = bb_prefix_xor(masks.quotes) ^ inside
      let ends = masks.delimiters | masks.feeds
      var odd = masks.quotes & quoted & ~((ends | masks.quotes) << 1 | before) | masks.feeds & quoted
      // A byte after a closing quote.
      var closing = (masks.quotes & ~quoted) & ~((ends | masks.quotes | masks.returns) >> 1)
      let next: UInt8? = unsafe block + 64 < count ? window.base[block + 64] : nil
      if closing >> 63 == 1, let next, next == delimiter || next == 0x0A || next == 0x0D || next == 0x22 {
        closing &= ~(1 << 63)
      }
      odd |= closing
      var returns = masks.returns & ~quoted & ~(masks.feeds >> 1)
      if returns >> 63 == 1, next == 0x0A { returns &= ~(1 << 63) }
      odd |= returns
      let clean = odd == 0 ? UInt64.max : (odd & ~(odd &- 1)) &- 1
      var feeds = masks.feeds & ~quoted & clean, delimiters = masks.delimiters & ~quoted
      while feeds != 0 {
        let bit = feeds & ~(feeds &- 1), place = block + feeds.trailingZeroBitCount
        fields += (delimiters & (bit &- 1)).nonzeroBitCount
        delimiters &= ~(bit | (bit &- 1))
        feeds &= feeds &- 1
        guard fields == width, width > 1 || !isBlank(recordStart, place) else { break scan }
        let isLong = place - recordStart > Self.longRecord
        fields = 1
        recordStart = place + 1
        lines += 1
        // The memory of a long record is free before its row is made: no other follows it in the output.
        if isLong || mayBeHeader(recordStart) { break scan }
      }
      if odd != 0 { break }
      fields += delimiters.nonzeroBitCount
      inside = UInt64(bitPattern: Int64(bitPattern: quoted) >> 63)
      before = (ends | masks.quotes) >> 63
      block += 64
    }
    guard recordStart > at else { return }
    if plan.repairs {
      let bad = unsafe Int(bb_first_not_utf8(window.base + at, recordStart - at))
      if bad < recordStart - at {
        let end = at + bad
        recordStart = end
        while recordStart > at, unsafe window.base[recordStart - 1] != 0x0A { recordStart -= 1 }
        lines = unsafe Int(bb_count_byte(window.base + at, recordStart - at, 0x0A))
        guard lines > 0 else { return }
      }
    }
    if width != 1 { output.advance(to: line) }
    if output.bytes.isEmpty, recordStart - at > Self.longRecord { output.bytes = ByteText.withRoom(recordStart - at) }
    unsafe output.bytes.append(contentsOf: UnsafeBufferPointer(start: window.base + at, count: recordStart - at))
    output.count(lines)
    if base + at == tiled { tiled = base + recordStart }
    take(at, recordStart)
    at = recordStart
    records += lines
    line += lines
    if lines > 0 { isAfterBlank = false }
  }

  private func isBlank(_ start: Int, _ end: Int) -> Bool {
    for index in start..<end where unsafe !CellKind.isSpace(window.base[index]) { return false }
    return true
  }

  /// Whether the record at `start` has the first name of the header; the rest is compared field by field.
  private func mayBeHeader(_ start: Int) -> Bool {
    guard let headerStart else { return false }
    func byte(_ at: Int) -> UInt8 { at < window.count ? unsafe window.base[at] : 0x0A }
    func isBorder(_ byte: UInt8) -> Bool { byte == 0x22 || byte == delimiter || CellKind.isSpace(byte) }
    var at = start
    while at < window.count, byte(at) != delimiter, isBorder(byte(at)) { at += 1 }
    for own in headerStart {
      let other = byte(at)
      if (CellKind.isUpper(other) ? other | 0x20 : other) != own { return false }
      at += 1
    }
    return isBorder(byte(at))
  }

  // MARK: - Records

  /// The record that comes `count` records later; nil at the end.
  private mutating func look(_ count: Int) throws(RecordParser.NeedsMore) -> ReadRecord? {
    while ahead.count <= count {
      let start = ahead.last?.next ?? at
      if start >= window.count {
        if isAtEnd { return nil }
        throw RecordParser.NeedsMore()
      }
      let isSkipped = records + ahead.count < dialect.skippedRows
      let text = unsafe Span(_unsafeStart: UnsafePointer(window.base), count: window.count)
      ahead.append(try reader.record(text, start, isSkipped: isSkipped, isAtEnd: isAtEnd))
    }
    return ahead[count]
  }

  /// The records that are known to come after the next one, up to a long one.
  private var following: ArraySlice<ReadRecord> {
    let next = ahead.dropFirst().prefix(Self.lookAhead)
    return next.firstIndex(where: \.isLong).map { next[...$0] } ?? next
  }

  /// Converts the next record.
  /// - Returns: what makes the file unreadable.
  private mutating func step() throws(RecordParser.NeedsMore) -> Problem? {
    if dialect.skippedFooter > 0, try look(dialect.skippedFooter) == nil, records >= dialect.skippedRows {
      while let record = ahead.first { drop(record, .footer) }
      return rejectLimit
    }
    skipEmptyLines()
    guard let record = try look(0) else { return nil }
    // Nothing changes before everything that is needed is known.
    if needsFollowing(record) {
      while following.count < Self.lookAhead, following.last?.isLong != true, try look(following.count + 1) != nil {}
    }
    return convert(record) ?? rejectLimit
  }

  /// Skips lines without a character, of which a file may have millions.
  private mutating func skipEmptyLines() {
    guard ahead.isEmpty, records >= dialect.skippedRows, !hasNames || reader.width != 1, dialect.positions.isEmpty,
      dialect.skippedFooter == 0
    else { return }
    let start = at, feed: UInt8 = dialect.endsWithReturn ? 0x0D : 0x0A
    while at < window.count, unsafe window.base[at] == feed { at += 1 }
    guard at > start else { return }
    if base + start == tiled { tiled = base + at }
    take(start, at)
    line += at - start
    isAfterBlank = true
  }

  private var rejectLimit: Problem? {
    if let failure { return failure }
    guard let most = plan.maximumRejects, rejected > most else { return nil }
    return Problem(
      .badData, "more than \(most) records were changed or dropped", at: "\(name):\(line)",
      hint: .raise(.maximumRejects))
  }

  private func needsFollowing(_ record: ReadRecord) -> Bool {
    guard let width = reader.width, hasNames, plan.repairs || dialect.table != nil, records >= dialect.skippedRows
    else { return false }
    return !record.isLong && (record.fields.count != width || dialect.table != nil && isAfterBlank)
      ? record.reason != .comment && !record.isBlank : false
  }

  private mutating func convert(_ record: ReadRecord) -> Problem? {
    if record.reason == .comment {
      drop(record, .comment)
      return nil
    }
    records += 1
    if records <= dialect.skippedRows {
      drop(record, .preamble)
      return nil
    }
    let isColumn = (reader.width ?? plan.columns) == 1
    if record.isBlank, hasNames ? reader.width != 1 : record.fields[0].isEmpty || !isColumn {
      isAfterBlank = true
      records -= 1
      if !record.fields[0].isEmpty, plan.repairs {
        drop(record, .blankLine)
      } else if !record.fields[0].isEmpty, hasNames {
        return problem(record, "expected \(reader.width ?? 0) fields, found a line of spaces")
      } else {
        advance(record)
      }
      return nil
    }
    if !isWanted, table >= dialect.table ?? 1 {
      drop(record, .anotherTable)
      return nil
    }
    if record.isBad, !plan.repairs, isWanted { return problem(record, record.reason?.rawValue ?? "") }
    if !hasNames { return addHeader(record) }
    if reader.width == nil { reader.width = record.fields.count }
    guard let width = reader.width else { return nil }
    if dialect.table != nil, beginsTable(record) { return beginTable(record) }
    if !isWanted {
      drop(record, .anotherTable)
      return nil
    }
    if plan.repairs, isHeaderAgain(record) {
      drop(record, .repeatedHeader)
      return nil
    }
    if record.fields.count == width {
      if plan.repairs, record.quoted.contains(true), let field = swallowed(record, width) {
        reject(record, .wholeRecords, .kept, detail: "column \(field + 1)")
      }
      if let reason = record.reason, plan.repairs { reject(record, reason, record.isSure ? .repaired : .guessed) }
      emit(record, record.fields, record.quoted)
      isAfterBlank = false
      return nil
    }
    return convertRagged(record, width)
  }

  private mutating func convertRagged(_ record: ReadRecord, _ width: Int) -> Problem? {
    let count = record.fields.count, isShort = count < width
    let reason: Reject.Reason = isShort ? .shortRow : .longRow
    switch dialect.ragged {
    case .pad where isShort, .both where isShort: pad(record, width)
    case .cut where !isShort, .both where !isShort: cut(record, width)
    case .drop: drop(record, reason)
    default:
      guard plan.repairs else {
        return problem(
          record, "expected \(width) field\(width == 1 ? "" : "s"), found \(count)", isRagged: true)
      }
      repair(record, width)
    }
    return nil
  }

  private mutating func repair(_ record: ReadRecord, _ width: Int) {
    let count = record.fields.count
    if beginsTable(record) {
      table += 1
      return drop(record, .anotherTable)
    }
    let most = max(1, width / 3)
    if count < width, record.filled <= most, width >= 3, !record.isLong, isAfterBlank || record.filled == 1,
      following.allSatisfy({ $0.fields.count != width && $0.filled <= most })
    {
      return drop(record, .footer)
    }
    isAfterBlank = false
    if count < width { pad(record, width) } else { cut(record, width) }
  }

  private mutating func pad(_ record: ReadRecord, _ width: Int) {
    reject(record, .shortRow, .padded, detail: "\(record.fields.count) fields")
    emit(record, record.fields + Array(repeating: [], count: width - record.fields.count), record.quoted)
  }

  private mutating func cut(_ record: ReadRecord, _ width: Int) {
    let surplus = record.fields[width...]
    let isBlank = surplus.allSatisfy { $0.allSatisfy(CellKind.isSpace) }
    let detail =
      record.isLong || isBlank
      ? isBlank ? "" : "\(record.fields.count) fields"
      : String(decoding: JSON.array(surplus.map(JSON.string)).canonicalBytes, as: UTF8.self)
    reject(record, .longRow, isBlank ? .trailingDelimiters : .surplusCut, detail: detail)
    emit(record, Array(record.fields[..<width]), record.quoted)
  }

  // MARK: - Tables

  /// Whether the current table is to be read.
  private var isWanted: Bool { dialect.table == 0 || table == dialect.table ?? 1 }

  /// Whether a record is the header of another table. If the user says that there are several, a blank line before it
  /// is enough, however wide and short the table is.
  private func beginsTable(_ record: ReadRecord) -> Bool {
    let count = record.fields.count, isApart = dialect.table != nil && isAfterBlank
    guard count > 1, isApart || count != reader.width, !record.isLong else { return false }
    let rows = isApart ? following.prefix { !$0.isBlank } : following
    guard isApart ? !rows.isEmpty : rows.count == Self.lookAhead, rows.allSatisfy({ $0.fields.count == count }) else {
      return false
    }
    return isApart && (dialect.headerRows == 0 || isHeaderAgain(record)) || isHeader(record, rows)
  }

  private mutating func beginTable(_ record: ReadRecord) -> Problem? {
    table += 1
    if dialect.table == 0 {
      guard dialect.headerRows > 0 ? isHeaderAgain(record) : record.fields.count == reader.width else {
        return problem(
          record, "the columns of table \(table) are not those of the first",
          hint: .set(.tableNumber, to: "1", "\(table)"))
      }
      if dialect.headerRows > 0 { drop(record, .repeatedHeader) } else { emit(record, record.fields, record.quoted) }
    } else {
      (headerKey, headerStart, reader.makeProfile, reader.width) = ([], nil, nil, record.fields.count)
      if dialect.headerRows > 0, isWanted || table <= dialect.table ?? 1 {
        hasNames = false
        return addHeader(record)
      }
      if isWanted { emit(record, record.fields, record.quoted) } else { drop(record, .anotherTable) }
    }
    isAfterBlank = false
    return nil
  }

  // MARK: - Header

  private mutating func addHeader(_ record: ReadRecord) -> Problem? {
    var fields = record.fields, reason = record.reason, isSure = record.isSure
    if plan.repairs, let width = reader.width, fields.count != width {
      if fields.count <= 2, let names = RecordReader.names(in: raw(record, trimmed: true), dialect, width: width) {
        (fields, reason) = (names, .anotherDelimiter)
      } else {
        reason = fields.count > width ? .longHeader : .shortHeader
        fields = fitted(fields, width)
      }
      isSure = true
    }
    header.append(fields)
    if let reason, plan.repairs { reject(record, reason, isSure ? .repaired : .guessed, detail: "header") }
    if header.count == 1 {
      headerKey = ReadRecord.key(fields)
      if headerKey.contains(where: { !$0.allSatisfy(CellKind.isDigit) }), record.filled >= 2 {
        headerStart = Array(headerKey[0].prefix { $0 != 0x22 })
      }
    }
    let line = line
    guard header.count == max(dialect.headerRows, 1) else {
      if isWanted { advance(record) } else { drop(record, .anotherTable) }
      return nil
    }
    isAfterBlank = false
    let width = header[0].count
    reader.width = reader.width ?? width
    var names = header[0]
    if header.count > 1 {
      names = (0..<width).map { column in
        let parts = header.compactMap { $0.count > column ? ReadRecord.trimmed($0[column]) : nil }
        return Array(parts.filter { !$0.isEmpty }.joined(separator: [0x20]))
      }
    }
    hasNames = true
    header = []
    guard isWanted else {
      drop(record, .anotherTable)
      return nil
    }
    if let given = dialect.names {
      guard given.count == names.count else {
        return Problem(
          .badData, "expected \(given.count) column\(given.count == 1 ? "" : "s") as named, found \(names.count)",
          at: "\(name):\(line)",
          hint: .set(.columnNames))
      }
      names = given.map { Array($0.utf8) }
    }
    // A lone empty name is not an empty line.
    emit(record, names, names == [[]] ? [true] : [])
    return nil
  }

  /// A header with as many names as there are columns.
  private func fitted(_ fields: [[UInt8]], _ width: Int) -> [[UInt8]] {
    let surplus = fields.count - width, isSpaced = dialect.delimiter[0] == 0x09 || dialect.delimiter[0] == 0x20
    // R does not name the column of the names of rows; others do not name the empty one after a last delimiter.
    if surplus == -1, isSpaced, let profile = reader.makeProfile?(), profile.fit(width - 1, []) < 2 {
      return [[]] + fields
    }
    guard surplus > 0 else { return fields + Array(repeating: [], count: -surplus) }
    let blanks = fields.indices.filter { fields[$0].allSatisfy(CellKind.isSpace) }
    guard blanks.count >= surplus else { return Array(fields[..<width]) }
    let removed = Set(reader.makeProfile == nil ? blanks.suffix(surplus) : blanks.prefix(surplus))
    return fields.indices.filter { !removed.contains($0) }.map { fields[$0] }
  }

  private func isHeaderAgain(_ record: ReadRecord) -> Bool {
    record.hasKey(headerKey) && record.filled >= 2 && !headerKey.allSatisfy { $0.allSatisfy(CellKind.isDigit) }
  }

  private func isHeader(_ record: ReadRecord, _ next: ArraySlice<ReadRecord>) -> Bool {
    let isTyped = record.fields.contains { CellKind.of($0).isTyped }
    if isTyped, !record.fields.contains(where: { field in headerKey.contains { ReadRecord.has(field, key: $0) } }) {
      return false
    }
    // The last name is empty where records end with delimiters.
    let key = record.key, names = Set(key.filter { !$0.isEmpty }), unnamed = key.last == [] ? 1 : 0
    if !headerKey.isEmpty, names.intersection(headerKey).count * 2 >= names.count { return true }
    if isTyped || names.count + unnamed < key.count { return false }
    return isAfterBlank
      || record.fields.indices.contains { column in next.allSatisfy { CellKind.of($0.fields[column]).isTyped } }
  }

  // MARK: - Output

  /// The position of a field that holds records of the usual width.
  private func swallowed(_ record: ReadRecord, _ width: Int) -> Int? {
    guard width > 1 else { return nil }
    return record.fields.indices.first { column in
      guard column < record.quoted.count, record.quoted[column] else { return false }
      // The first and the last line may be parts of a record.
      var lines = 0, delimiters = 0
      for byte in record.fields[column] {
        if byte == dialect.delimiter[0] { delimiters += 1 }
        guard byte == 0x0A else { continue }
        if lines > 0, delimiters != width - 1 { return false }
        (lines, delimiters) = (lines + 1, 0)
      }
      return lines > 1
    }
  }

  private mutating func emit(_ record: ReadRecord, _ fields: [[UInt8]], _ quoted: [Bool]) {
    if reader.width != 1 { output.advance(to: line) }
    output.append(fields, quoted, delimiter)
    advance(record)
  }

  private mutating func drop(_ record: ReadRecord, _ reason: Reject.Reason) {
    reject(record, reason, .dropped)
    advance(record)
  }

  /// - Throws: `badData` without the wanted table, or if the options skip all records; `bug` if a byte of the input is
  ///   in no record.
  func checkEnd() throws(Problem) {
    if let failure { throw failure }
    if let wanted = dialect.table, wanted > table {
      throw Problem(.badData, "table \(wanted) not found; the file has \(table)", at: name, hint: .set(.tableNumber))
    }
    if !plan.skips.isEmpty, !hasNames || records <= dialect.skippedRows, tiled > Self.mark.count {
      let found = "expected \(dialect.headerRows) header rows, found \(header.count)"
      throw Problem(
        .badData, header.isEmpty ? "all records are skipped" : found, at: name,
        hint: Remedy(steps: plan.skips.map(Remedy.Step.omit)))
    }
    guard tiled == base + window.count else {
      throw Problem(.bug, "internal error: bytes from \(tiled) on are in no record", at: name)
    }
  }

  private mutating func advance(_ record: ReadRecord) {
    if base + record.start == tiled { tiled = base + record.next }
    take(record.start, record.next)
    let feed: UInt8 = dialect.endsWithReturn ? 0x0D : 0x0A
    line += window.read { ByteText.count(of: feed, in: Span(_bytes: $0.extracting(record.start..<record.next))) }
    at = record.next
    ahead.removeFirst()
  }

  private mutating func reject(
    _ record: ReadRecord, _ reason: Reject.Reason, _ action: Reject.Action, detail: String = ""
  ) {
    let isExpected = plan.expected.contains(reason)
    if !isExpected { rejected += 1 }
    var reject = Reject(
      line: line, offset: base + record.start, reason: reason, action: action, detail: detail,
      isExpected: isExpected)
    if original == nil, record.isLong, let scratch {
      do throws(Problem) {
        reject.stored = try window.read { (text) throws(Problem) in
          try StoredText(text.extracting(record.start..<record.next), after: nil, in: scratch)
        }
      } catch { failure = failure ?? error }
    } else if original == nil {
      reject.raw = span(record.start, record.next)
    }
    rejects.append(reject)
  }

  private func raw(_ record: ReadRecord, trimmed: Bool) -> [UInt8] {
    var raw = span(record.start, record.next)
    if trimmed { while let last = raw.last, last == 0x0A || last == 0x0D { raw.removeLast() } }
    return raw
  }

  private func problem(
    _ record: ReadRecord, _ message: String, isRagged: Bool = false, hint: Remedy? = nil
  ) -> Problem {
    var hint = hint ?? .repairing
    let mayBeHeader = isRagged && isAfterBlank && record.fields.count > 1 && isHeader(record, [])
    if mayBeHeader { hint = Remedy.set(.tableNumber, to: "1", "2").or(hint) }
    if isRagged, dialect.splitsAtSpaces { hint = hint.or(.set(.fixedColumns, for: "read columns at fixed positions")) }
    if isRagged { hint = [hint, .set(.raggedRows, to: dialect.columns > record.fields.count ? "pad" : "both")] }
    let lines = span(record.start, record.start + record.fault).split(separator: 0x0A, omittingEmptySubsequences: false)
    let place = "\(name):\(line + lines.count - 1):\((lines.last?.count ?? 0) + 1)"
    var problem = Problem(.badData, message, at: place, hint: hint)
    // Records are counted from 0, without the header.
    let before = dialect.skippedRows + dialect.headerRows
    if hasNames, records > before { problem.record = records - 1 - before }
    return problem
  }
}
