/// The surroundings of the table in a sample, and its header.
struct TableLayout {
  private let isClean: Bool
  private let scan: SampleScan
  private(set) var dialect: CSVDialect
  private(set) var columns = 0

  /// The maximum number of records of a sample that are checked.
  private static let mostRows = 1000

  init(_ text: Span<UInt8>, _ dialect: CSVDialect, isWhole: Bool, isClean: Bool, clean: Int?) {
    var plain = dialect
    plain.comment = []
    scan = SampleScan(text, plain, limit: Self.mostRows, isWhole: isWhole)
    self.dialect = dialect
    self.isClean = isClean
    columns = clean ?? 0
  }

  /// Finds the layout, except for what is known.
  mutating func find(_ text: Span<UInt8>, _ options: DialectOptions) {
    if !isClean, options.comment == nil { findComment(text) }
    let rows = scan.rows.filter { !isComment(text, $0) }
    if columns == 0 {
      var widths = WidthCounts(), all = WidthCounts()
      for row in rows.dropFirst(dialect.skippedRows) where !scan.isBlankLine(text, row) {
        all.add(row.count)
        if row.bad < 1 { widths.add(row.count) }
      }
      columns = widths.likely > 0 ? widths.likely : all.likely
    }
    if options.skippedRows == nil, options.table == nil {
      let body = scan.rows.reduce(0) { $0 + ($1.count == columns ? 1 : 0) }
      if !isClean || body >= 4 && columns >= 2 { findPreamble(text, options) }
    }
    var body = Array(scan.rows.filter { !isComment(text, $0) }.dropFirst(dialect.skippedRows))
    if !isClean { body.removeAll { scan.isBlankLine(text, $0) } }
    if options.headerRows == nil, !options.hasNoHeader { findHeader(text, body) }
  }

  private func isComment(_ text: Span<UInt8>, _ row: SampleScan.Row) -> Bool {
    !dialect.comment.isEmpty && scan.begins(text, row, with: dialect.comment)
  }

  /// Comments begin the file, and have another width than the table.
  private mutating func findComment(_ text: Span<UInt8>) {
    let filled = scan.rows.indices.filter { !scan.isBlankLine(text, scan.rows[$0]) }
    for mark in ["#", "%", "//"].map({ Array($0.utf8) }) where mark != dialect.delimiter {
      let marked = filled.filter { scan.begins(text, scan.rows[$0], with: mark) }
      guard let first = marked.first, first == filled.first else { continue }
      let set = Set(marked)
      var widths: [Int: Int] = [:], order: [Int] = []
      for index in filled where !set.contains(index) {
        if widths[scan.rows[index].count] == nil { order.append(scan.rows[index].count) }
        widths[scan.rows[index].count, default: 0] += 1
      }
      guard let usual = order.max(by: { (widths[$0] ?? 0) < (widths[$1] ?? 0) }), usual > 1 else { continue }
      if marked.count >= 2 && Array(filled.prefix(2)) == Array(marked.prefix(2)) || scan.rows[first].count != usual {
        dialect.comment = mark
        return
      }
    }
  }

  /// A preamble is a narrow or nearly empty record before a full one.
  private mutating func findPreamble(_ text: Span<UInt8>, _ options: DialectOptions) {
    let rows = scan.rows
    guard columns >= 2, rows.count >= 3 else { return }
    if let padded = paddedRows(text, repairs: options.repairs) {
      dialect.skippedRows = rows[..<padded].count { !isComment(text, $0) }
      return
    }
    let fills = rows.filter { $0.count == columns }.map { scan.filled(text, $0) }.sorted()
    let usual = fills.isEmpty ? columns : fills[fills.count / 2]
    let first = rows.prefix(200).firstIndex { row in
      row.bad >= 1
        || row.count >= columns - 1 && Double(scan.filled(text, row)) >= max(2, 0.5 * Double(usual))
    }
    guard var count = first, count > 0 else { return }
    if dialect.comment.isEmpty {
      let line = Array(scan.values(text, rows[count - 1]).joined(separator: dialect.delimiter))
      if RecordReader.names(in: line, dialect, width: columns) != nil { count -= 1 }
    }
    let before = rows[..<count].filter { !isComment(text, $0) }
    let filled = before.filter { scan.filled(text, $0) > 0 }
    guard !before.isEmpty, count > 0 else { return }
    if filled.isEmpty, !dialect.comment.isEmpty { return }
    let isNarrow = filled.allSatisfy { Double(scan.filled(text, $0)) <= max(1, 0.34 * Double(columns)) }
    let isApart = before.count > filled.count || filled.allSatisfy { $0.count != columns }
    if isNarrow, isApart { dialect.skippedRows = before.count }
  }

  /// The number of records with two or more empty fields at their end, before one of different names that has none,
  /// above a column of other types; nil if there are none.
  private func paddedRows(_ text: Span<UInt8>, repairs: Bool) -> Int? {
    let rows = scan.rows.prefix(200)
    // Up to the last field that is not blank.
    let widths = rows.map { row in
      scan.fields(of: row).lastIndex { !scan.isBlank(text, $0) }.map { $0 + 1 - row.first } ?? 0
    }
    let width = zip(rows, widths).reduce(0) { $1.0.count == columns ? max($0, $1.1) : $0 }
    guard let first = widths.firstIndex(of: width), widths[..<first].contains(where: { $0 > 0 }),
      // Others may be a table of their own, which the user may want.
      (0..<first).allSatisfy({ widths[$0] + 2 <= width && (repairs || widths[$0] <= 2 || rows[$0].count == columns) })
    else { return nil }
    let names = scan.values(text, rows[first])[..<width], body = rows[(first + 1)...].filter { $0.count == columns }
    let areNames = names.allSatisfy { !CellKind.of($0).isTyped && CellKind.of($0) != .empty }
    let isHeader = (0..<columns).contains { column in
      body.count { scan.parser.kind(text, scan[$0, column]).isTyped } * 5 >= body.count * 4
    }
    return isHeader && areNames && body.count >= 2 && Set(names).count == width ? first : nil
  }

  /// A header is a record of text above columns of other types.
  private mutating func findHeader(_ text: Span<UInt8>, _ rows: [SampleScan.Row]) {
    dialect.headerRows = 1
    guard rows.count >= 2, let first = rows.first else { return }
    let good = rows.filter { $0.count == columns }
    let rest = first.count == columns ? Array(good.dropFirst()) : good
    guard !rest.isEmpty, first.count >= columns - 1 else { return }
    var typed: [Int] = []
    for column in 0..<columns {
      var count = 0, hard = 0
      for row in rest.prefix(DialectScore.rows) {
        let kind = scan.parser.kind(text, scan[row, column])
        if kind == .empty || kind == .null { continue }
        count += 1
        if kind.isTyped { hard += 1 }
      }
      if count > 0, Double(hard) >= 0.8 * Double(count) { typed.append(column) }
    }
    let names = scan.values(text, first)
    let known = typed.filter { $0 < first.count && !scan.isBlank(text, scan[first, $0]) }
    let same = known.filter { CellKind.of(names[$0]).isTyped }
    if !typed.isEmpty, same.count == known.count, Double(same.count) >= max(1, 0.6 * Double(known.count)) {
      // Years in sequence are names.
      let years = names.compactMap { name -> Int? in
        let name = ReadRecord.trimmed(name)
        return 1...4 ~= name.count && name.allSatisfy(CellKind.isDigit)
          ? Int(String(decoding: name, as: UTF8.self)) : nil
      }
      let isSequence =
        years.count >= 3 && years[0] != years[1]
        && zip(years, years.dropFirst()).allSatisfy { $1 - $0 == years[1] - years[0] }
      if !(isSequence && years.count >= same.count - 1) { dialect.headerRows = 0 }
    } else if typed.isEmpty, rest.count >= 8 {
      // All text: no header if the first record has the shapes of the columns.
      let profile = ColumnProfile(rest.suffix(ColumnProfile.rows).map { scan.values(text, $0) }, width: columns)
      let shaped = (0..<min(columns, first.count)).filter(profile.hasShapes)
      if !shaped.isEmpty, Double(shaped.count) >= 0.5 * Double(columns),
        shaped.allSatisfy({ profile.hasShape($0, names[$0]) }),
        shaped.contains(where: { CellKind.shape(of: names[$0]).contains(0x39) })
      {
        dialect.headerRows = 0
      }
    }
    guard dialect.headerRows == 1, typed.count >= 2 else { return }
    for row in rows.dropFirst().prefix(5) {
      guard row.count == columns, rows.count - dialect.headerRows >= 3 else { return }
      let values = typed.filter { !scan.isBlank(text, scan[row, $0]) }
      guard Double(values.count) >= max(2, 0.6 * Double(typed.count)),
        values.allSatisfy({ column in
          let kind = scan.parser.kind(text, scan[row, column])
          return !kind.isTyped && kind != .null
        })
      else { return }
      dialect.headerRows += 1
    }
  }

  /// Whether a record of the sample equals the header.
  func repeatsHeader(_ text: Span<UInt8>) -> Bool {
    guard dialect.headerRows == 1, scan.rows.count > dialect.skippedRows + 1 else { return false }
    let header = scan.rows[dialect.skippedRows]
    guard header.count >= 2, scan.filled(text, header) >= 2 else { return false }
    let start = scan.fields[header.first]
    for row in scan.rows.dropFirst(dialect.skippedRows + 1) where row.count == header.count {
      let field = scan.fields[row.first]
      guard field.end - field.start == start.end - start.start else { continue }
      let key = ReadRecord.key(scan.values(text, row))
      if key == ReadRecord.key(scan.values(text, header)),
        key.contains(where: { $0.contains { !CellKind.isDigit($0) } })
      {
        return true
      }
    }
    return false
  }

  /// What makes the profile of the last clean records of the sample; nil if they are few.
  func profileMaker(_ text: Span<UInt8>, _ dialect: CSVDialect) -> (@Sendable () -> ColumnProfile)? {
    let good = scan.rows.filter { $0.count == columns && $0.bad == 0 }, last = good.suffix(ColumnProfile.rows)
    guard good.count > dialect.headerRows + 4, columns > 0, let start = last.first?.start else { return nil }
    let width = columns, records = (start..<scan.end).map { text[$0] }
    var dialect = scan.parser.dialect
    dialect.separatorLine = 0
    return { [dialect] in
      let scan = SampleScan(records.span, dialect, limit: .max, isWhole: true)
      let good = scan.rows.filter { $0.count == width && $0.bad == 0 }
      return ColumnProfile(good.map { scan.values(records.span, $0) }, width: width)
    }
  }
}
