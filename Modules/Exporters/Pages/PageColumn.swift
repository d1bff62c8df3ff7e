import Codecs
import Documents
import Rows

/// A column of a table page, with its place and its widths.
struct PageColumn: Sendable {
  /// The kind of a column for the style sheet and the script.
  enum Kind: Sendable {
    case image, number, date, boolean, list, text, identifier

    /// The value of `data-t`.
    var letter: StaticString {
      switch self {
      case .image: "p"
      case .number: "n"
      case .date: "d"
      case .boolean: "b"
      case .list: "l"
      case .text: "t"
      case .identifier: "k"
      }
    }
  }

  let kind: Kind
  let isTitle: Bool
  /// Whether the column is not shown at first.
  private(set) var isFolded: Bool
  let written: HTMLRowWriter.Column
  /// Whether no row of the head has a value.
  let isEmpty: Bool
  /// Tenths of the width of a digit.
  private let least: Int
  /// Tenths of a share of the room that is left; 0 for a column of fixed width.
  private let share: Int
  /// Tenths of the width of a digit on paper: of numbers and dates the widest, of texts the least.
  private let paper: Int

  /// The columns in the order of the page: images, the title, the others, identifiers; if the user chose the columns,
  /// in their order.
  static func columns(
    of schema: Schema, _ head: [RowBatch], showsImages: Bool, isChosen: Bool
  ) -> [PageColumn] {
    let roles = schema.roles, measured = HTMLMetrics.measure(head, schema)
    let image = roles.firstIndex(of: .image)
    func rank(_ position: Int) -> Int {
      if isChosen { return 0 }
      switch roles[position] {
      case .thumbnail where showsImages: return 0
      case .image where showsImages: return 1
      case .title: return 2
      case .identifier, .audit: return 4
      default: return schema.key.contains(position) && schema.columns[position].name == "id" ? 4 : 3
      }
    }
    let hasThumbnail = roles.contains(.thumbnail)
    var columns = schema.columns.indices.sorted { (rank($0), $0) < (rank($1), $1) }.map { position in
      let role = roles[position], column = schema.columns[position]
      let isImage = showsImages && role?.isImage == true && (measured[position].isEmpty || measured[position].hasImages)
      let isFolded =
        !isChosen
        && (role == .identifier || role == .audit || isImage && role == .image && hasThumbnail && position == image)
      return PageColumn(
        column, measured[position], isImage: isImage, role: role, isFolded: isFolded,
        HTMLRowWriter.Column(
          position: position, label: column.name.split(separator: "_").joined(separator: " "), isImage: isImage,
          full: role == .thumbnail ? image : nil))
    }
    if isChosen { return columns }
    // Of the others as many are shown as fit, in the order in which a terminal takes them.
    let order = TableLayout.order(schema, measured.map(\.widths))
    let places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.written.position, $0) })
    var room = Self.room
    for column in columns where column.written.isImage && !column.isFolded { room -= Self.imageRoom }
    for position in order {
      guard let index = places[position], !columns[index].isFolded,
        !columns[index].written.isImage, !columns[index].isEmpty
      else { continue }
      columns[index].isFolded = columns[index].least > room && room < Self.room
      if !columns[index].isFolded { room -= columns[index].least }
    }
    return columns
  }

  /// The room of a page of 1280 px, and that of an image, in tenths of the width of a digit.
  private static let room = 1380, imageRoom = 100

  private init(
    _ column: ColumnDescription, _ measured: HTMLMetrics, isImage: Bool, role: ColumnRole?, isFolded: Bool,
    _ written: HTMLRowWriter.Column
  ) {
    self.written = written
    self.isFolded = isFolded
    isTitle = role == .title
    isEmpty = measured.isEmpty
    kind = Self.kind(column.type, isImage: isImage, role: role)
    let word = min(column.name.split(separator: "_").map(\.unicodeScalars.count).max() ?? 1, 24)
    let usual = measured.widths.percentile(90)
    switch kind {
    case .image: (least, share, paper) = (0, 0, Self.imageRoom)
    case .number, .date, .boolean:
      let widest = min(measured.widths.widest, 40)
      (least, share) = (max(widest, word) * 10 + 32, 0)
      paper = max(widest * 10, word * 11, kind == .number ? 60 : 0) + 16
    case .list, .text, .identifier:
      let text = max(word, min(measured.widths.longestWord, 24), min(usual, usual >= 80 ? 24 : 12))
      (least, share) = (text * 11 + 32, max(10, min(usual, 60)))
      paper = max(min(measured.widths.longestWord, 12) * 10, word * 11, 50) + 16
    }
  }

  private static func kind(_ type: ColumnType, isImage: Bool, role: ColumnRole?) -> Kind {
    if isImage { return .image }
    if role == .identifier { return .identifier }
    switch type {
    case .integer, .real, .decimal: return .number
    case .date, .timestamp, .datetime: return .date
    case .boolean: return .boolean
    case .list: return .list
    case .text, .bytes, .url, .json: return .text
    }
  }

  // MARK: - Style

  static func style(_ columns: [PageColumn], isWhole: Bool) -> StyleSheet {
    var sheet = StyleSheet()
    sheet.append(PageAsset.tableStyle)
    sheet.append(":root { --w: calc(1.2rem")
    for index in columns.indices {
      sheet.append(" + var(--m")
      sheet.append(index + 1)
      sheet.append(")")
    }
    sheet.append("); --g:")
    for index in columns.indices {
      sheet.append(" var(--g")
      sheet.append(index + 1)
      sheet.append(")")
    }
    sheet.append("; ")
    for (index, column) in columns.enumerated() { column.putWidths(index + 1, &sheet) }
    sheet.append("}\n")
    for (index, column) in columns.enumerated() { column.putRules(index + 1, isWhole: isWhole, &sheet) }
    var cards = StyleSheet()
    cards.append(PageAsset.cardStyle)
    for (index, column) in columns.enumerated() { column.putCardRule(index + 1, &cards) }
    sheet.append("@media screen { body:has(#vc:checked) {\n")
    sheet.append(cards)
    sheet.append("} }\n@media screen and (max-width: 46rem) { body {\n")
    sheet.append(cards)
    sheet.append("} }\n@media print {\n")
    putPaper(columns, &sheet)
    sheet.append("}\n")
    return sheet
  }

  /// The tenths of a digit of 8 points that fit on a line of A4 paper.
  private static let line = 1060

  /// The widths on paper: numbers and dates are never cut. If many columns need it, the text is smaller.
  private static func putPaper(_ columns: [PageColumn], _ sheet: inout StyleSheet) {
    let shown = columns.filter { !$0.isFolded && !$0.isEmpty }, needed = shown.reduce(0) { $0 + $1.paper }
    let size = min(max(80 * line / max(needed, 1), 50), 80), room = max(line * 80 / size, needed)
    let shares = max(shown.reduce(0) { $0 + $1.share }, 1)
    sheet.append("body { font-size: ")
    sheet.append(tenths: size)
    sheet.append("pt }\n")
    for (index, column) in columns.enumerated() {
      sheet.append("thead th:nth-child(")
      sheet.append(index + 1)
      sheet.append(") { width: ")
      if column.kind == .image {
        sheet.append("44pt }\n")
      } else if column.share > 0 {
        sheet.append(tenths: (column.paper + (room - needed) * column.share / shares) * 1000 / room)
        sheet.append("% }\n")
      } else {
        sheet.append(tenths: column.paper)
        sheet.append("ch }\n")
      }
      guard [.number, .date, .boolean].contains(column.kind) else { continue }
      sheet.append("body tbody tr:nth-child(n) :is(td, th):nth-child(")
      sheet.append(index + 1)
      sheet.append(") { white-space: normal; overflow: visible; overflow-wrap: anywhere }\n")
    }
  }

  private func putWidths(_ number: Int, _ sheet: inout StyleSheet) {
    func put(_ name: StaticString, _ value: (inout StyleSheet) -> Void) {
      sheet.append(name)
      sheet.append(number)
      sheet.append(": ")
      value(&sheet)
      sheet.append("; ")
    }
    func width(_ sheet: inout StyleSheet) {
      if kind == .image { return sheet.append("5rem") }
      sheet.append(tenths: least)
      sheet.append("ch")
    }
    put("--m", width)
    put("--g") { sheet in
      if share == 0 { return width(&sheet) }
      sheet.append("minmax(")
      width(&sheet)
      sheet.append(", ")
      sheet.append(tenths: share)
      sheet.append("fr)")
    }
  }

  private func putRules(_ number: Int, isWhole: Bool, _ sheet: inout StyleSheet) {
    func rule(_ before: StaticString, _ after: StaticString) {
      sheet.append(before)
      sheet.append(number)
      sheet.append(after)
    }
    switch kind {
    case .number:
      rule(
        "tbody :is(td, th):nth-child(",
        ") { white-space: nowrap; font-variant-numeric: tabular-nums; overflow-wrap: normal; text-align: right }\n")
      rule("thead th:nth-child(", ") { text-align: right }\n")
      rule("thead th:nth-child(", ") svg { margin-left: auto }\n")
    case .date, .boolean:
      rule(
        "tbody :is(td, th):nth-child(",
        ") { white-space: nowrap; font-variant-numeric: tabular-nums; overflow-wrap: normal }\n")
    default: break
    }
    if isTitle {
      rule("tbody :is(td, th):nth-child(", ") { font-weight: 600 }\n")
      rule(
        "@media screen and (min-width: 46.01rem) { body:not(:has(#vc:checked)) :is(td, th):nth-child(",
        ") { position: sticky; left: 0; z-index: 1; background: inherit } }\n")
    }
    // Hidden if its box is not ticked, or if the end of the page says that it has no value.
    rule("body:has(#k", ":not(:checked)) ")
    rule(":is(td, th):nth-child(", ") { display: none }\n")
    rule(":root:has(#k", ":not(:checked)) { ")
    rule("--g", ": ; ")
    rule("--m", ": 0px }\n")
    guard isEmpty || !isWhole else { return }
    rule("body:has(#e", ") ")
    rule(":is(td, th):nth-child(", "), ")
    rule("body:has(#e", ") ")
    rule("label.k", " { display: none }\n")
    rule(":root:has(#e", ") { ")
    rule("--g", ": ; ")
    rule("--m", ": 0px }\n")
  }

  private func putCardRule(_ number: Int, _ sheet: inout StyleSheet) {
    if kind == .image { return }
    sheet.append("  & tbody :is(td, th):nth-child(")
    sheet.append(number)
    guard !isTitle else { return sheet.append(") { font-size: 1.1rem; padding-top: .45rem; text-align: left }\n") }
    sheet.append(") { text-align: left }\n  & tbody :is(td, th):nth-child(")
    sheet.append(number)
    sheet.append(")::before { content: ")
    sheet.append(quoted: written.label)
    sheet.append(" }\n")
  }
}
