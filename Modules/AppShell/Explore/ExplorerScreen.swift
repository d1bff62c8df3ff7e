package import Codecs
import CommandLineKit
import Rows

/// The lines of an explorer on a terminal. A frame has only the lines that changed.
package struct ExplorerScreen {
  private let style: TerminalStyle
  private var shown: [[UInt8]] = []
  private var size = (columns: 0, lines: 0)

  /// A screen that shows nothing yet.
  package init(_ style: TerminalStyle) { self.style = style }

  /// The lines of the screen that are not rows: the header, its rule, and the last line.
  private static let others = 3
  private static let widest = 40, gap = 2
  private static let least = (columns: 20, lines: 4)

  /// Forgets what is on the screen, which something else wrote to.
  package mutating func forget() { shown = [] }

  /// The facts about the last view of an explorer on a terminal of a size.
  package static func facts(_ explorer: Explorer, _ window: RowWindow, _ size: (columns: Int, lines: Int))
    -> Explorer.Facts
  {
    let schema = window.schema
    let fitting = schema.map { places(explorer.view, $0, window.widths, size.columns).count - 1 } ?? 0
    return Explorer.Facts(
      schema: schema, count: window.count, lines: max(size.lines - others, 1), fitting: fitting
    ) { row, column in window.row(row).map { $0.batch.value($0.position, column) } }
  }

  /// The columns on the screen: the first one, then those from `left` on that fit.
  private static func places(_ view: Explorer.View, _ schema: Schema, _ widths: [Int], _ room: Int)
    -> [(column: Int, number: Int, width: Int)]
  {
    let columns = Explorer.columns(of: schema, view)
    var places: [(column: Int, number: Int, width: Int)] = [], used = 0
    for number in [0] + (columns.isEmpty ? 0..<0 : min(view.left + 1, columns.count)..<columns.count) {
      guard number < columns.count else { break }
      let position = columns[number], column = schema.columns[position]
      let name = TableWriter.nameWidth(column) + (view.query.sort == column.name ? 1 : 0)
      let most = number == 0 ? max(room / 2, 3) : widest, measured = position < widths.count ? widths[position] : 0
      let isRigid = TableLayout.isRigid(column.type)
      let wanted = isRigid ? min(max(min(name, most), measured, 3), room) : min(max(name, measured, 3), most)
      var left = room - used - (places.isEmpty ? 0 : gap)
      if isRigid, places.count == 1, wanted > left, !TableLayout.isRigid(schema.columns[places[0].column].type) {
        // A text gives way to a number.
        used = max(used + left - wanted, 3)
        (places[0].width, left) = (used, room - used - gap)
      }
      // A column that does not fit is cut, if much of it does.
      guard places.isEmpty || wanted <= left || left >= 8 && places.count == 1 else { break }
      places.append((position, number, min(wanted, max(left, 1))))
      used += places[places.count - 1].width + (places.count == 1 ? 0 : gap)
    }
    return places
  }

  /// The bytes that make the terminal show an explorer; none if nothing changed.
  /// - Parameter work: what is being done, for the last line; empty if nothing.
  package mutating func frame(
    _ explorer: Explorer, _ window: RowWindow, size: (columns: Int, lines: Int), work: String
  ) -> [UInt8] {
    var lines: [[UInt8]]
    if size.columns < Self.least.columns || size.lines < Self.least.lines {
      lines = [Self.plain("too small: 20 × 4", size.columns)]
    } else {
      switch explorer.mode {
      case .help: lines = Self.help.map { Self.plain($0, size.columns) }
      case .record: lines = record(explorer, window, size)
      case .table, .prompt: lines = table(explorer, window, size)
      }
      lines = Array(lines.prefix(size.lines - 1))
      while lines.count < size.lines - 1 { lines.append([]) }
      lines.append(Self.plain(Self.status(explorer, window, work), size.columns))
    }
    var out: [UInt8] = []
    if self.size != size { shown = [] }
    if shown.isEmpty { out += Array("\u{1B}[2J".utf8) }
    for (number, line) in lines.enumerated() where number >= shown.count || shown[number] != line {
      out += Array("\u{1B}[\(number + 1);1H".utf8) + line + Array("\u{1B}[0m\u{1B}[K".utf8)
    }
    (shown, self.size) = (lines, size)
    return out
  }

  private func table(_ explorer: Explorer, _ window: RowWindow, _ size: (columns: Int, lines: Int)) -> [[UInt8]] {
    guard let schema = window.schema else { return [] }
    let view = explorer.view
    window.measure(view.top..<min(view.top + size.lines - Self.others, max(window.count, view.top)))
    let places = Self.places(view, schema, window.widths, size.columns)
    var header = ByteBuffer(capacity: 1024), rule = ByteBuffer(capacity: 1024)
    for (index, place) in places.enumerated() {
      if index > 0 {
        header.append(blanks: Self.gap)
        for _ in 0..<Self.gap { rule.append("─") }
      }
      for _ in 0..<place.width { rule.append("─") }
      let column = schema.columns[place.column]
      let mark = view.query.sort == column.name ? (view.query.isDescending ? "▼" : "▲") : ""
      style.begin(.strong, &header)
      Self.put(Array((column.name + mark).utf8), place.width, isRight: column.type.isNumeric, &header)
      style.end(.strong, &header)
    }
    var lines = [header.bytes(), rule.bytes()]
    // The counts of a frequency sheet are also bars.
    let used = places.reduce(-Self.gap) { $0 + $1.width + Self.gap }, room = size.columns - used - Self.gap
    let isCounted = view.query.counted != nil && schema.width > 1
    let most = isCounted ? Self.number(window, 0, schema.width - 1) : 0
    for row in view.top..<min(view.top + size.lines - Self.others, window.count) {
      guard let (batch, position) = window.row(row) else { break }
      var line = ByteBuffer(capacity: 1024), text = ByteBuffer(capacity: 256)
      for (index, place) in places.enumerated() {
        if index > 0 { line.append(blanks: Self.gap) }
        let column = schema.columns[place.column], isHere = row == view.row && place.number == view.column
        text.removeAll()
        _ = TableWriter.append(batch[position, place.column], batch.arena, column, true, to: &text)
        if isHere { line.append("\u{1B}[7m") } else { style.begin(TerminalStyle.Part(column.type), &line) }
        Self.put(text.bytes(), place.width, isRight: column.type.isNumeric, &line)
        line.append("\u{1B}[0m")
      }
      if isCounted, room > 2, most > 0 {
        line.append(blanks: Self.gap)
        for _ in 0..<Int(Self.number(window, row, schema.width - 1) / most * Double(room)) { line.append("█") }
      }
      lines.append(line.bytes())
    }
    return lines
  }

  private static func number(_ window: RowWindow, _ row: Int, _ column: Int) -> Double {
    guard let (batch, position) = window.row(row), case .integer(let value) = batch[position, column] else { return 0 }
    return Double(value)
  }

  private func record(_ explorer: Explorer, _ window: RowWindow, _ size: (columns: Int, lines: Int)) -> [[UInt8]] {
    guard let schema = window.schema, let (batch, position) = window.row(explorer.view.row) else { return [] }
    let writer = RecordWriter(schema, terminal: .init(width: size.columns, style: style, showsAll: true))
    var out = ByteBuffer(capacity: 4096)
    _ = writer.write(batch.selecting([position]), &out)
    let lines = out.bytes().split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
    return Array(lines.dropFirst(min(explorer.scroll, max(lines.count - 1, 0))))
  }

  /// The position, the selection and the state of the work.
  private static func status(_ explorer: Explorer, _ window: RowWindow, _ work: String) -> String {
    if explorer.mode == .prompt { return "/" + explorer.typed + "▏" }
    let count = window.count, query = explorer.view.query
    var parts = [
      "row \(count == 0 ? 0 : explorer.view.row + 1) of \(Progress.grouped(count))\(window.isComplete ? "" : "+")"
    ]
    if !work.isEmpty { parts.append(work) }
    if !explorer.message.isEmpty {
      parts.append(explorer.message)
    } else if let problem = window.problem {
      parts.append((problem.place.isEmpty ? "" : "\(problem.place): ") + problem.message)
    } else {
      parts += query.filters
      if let counted = query.counted { parts.append("values of \(counted)") }
      if parts.count == 1 { parts.append("? help  q quit") }
    }
    return parts.joined(separator: " · ")
  }

  private static let help = [
    "arrows, h j k l    move             PgUp, PgDn, Home, End, g, G",
    "/ words Enter      search           n, N  next, previous",
    "s                  sort by the column: ascending, descending, off",
    "f, x               keep, exclude rows with this value",
    "F                  values of the column, most frequent first; Enter keeps one",
    "-, +               hide the column, show all",
    "Enter              the record       arrows  next, previous",
    "Escape             undo the last step, cancel",
    "y                  show and copy the command of this view",
    "q                  quit             Ctrl-Z  suspend",
  ]

  private static func plain(_ text: String, _ width: Int) -> [UInt8] {
    var out = ByteBuffer(capacity: 256)
    put(Array(text.utf8), width, isRight: false, &out)
    return out.bytes()
  }

  /// Appends a text with nothing that drives the terminal, in exactly `width` cells.
  private static func put(_ text: [UInt8], _ width: Int, isRight: Bool, _ out: inout ByteBuffer) {
    var visible = ByteBuffer(capacity: text.count + 16)
    let arena = Arena(text)
    _ = VisibleText.append(ByteRun(arena, 0, UInt32(text.count)), to: &visible)
    visible.run { run in
      let all = DisplayWidth.of(run)
      let kept = all > width ? DisplayWidth.prefix(of: run, width: width - 1) : (run.count, all)
      let blanks = max(width - kept.1 - (all > width ? 1 : 0), 0)
      if isRight { out.append(blanks: blanks) }
      out.append(run.slice(from: 0, atMost: kept.0))
      if all > width { out.append("…") }
      if !isRight { out.append(blanks: blanks) }
    }
  }
}
