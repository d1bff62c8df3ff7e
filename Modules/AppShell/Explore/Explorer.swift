package import CommandLineKit
import Rows

/// The state of a table to walk through: views, each a selection, and what a key does to them. Knows no terminal.
package struct Explorer: Sendable {
  /// The options that a view adds to the command line.
  package struct Query: Sendable, Hashable {
    /// Conditions, as `--where` reads them.
    package var filters: [String] = []
    package var sort: String?
    /// Whether the order is descending.
    package var isDescending = false
    /// The column whose values are counted.
    package var counted: String?

    package init() {}
  }

  /// A view, and the place of the cursor in it.
  package struct View: Sendable {
    package var query = Query()
    /// The columns that are shown; nil for all.
    package var columns: [String]?
    /// The row and the column of the cursor; the first row and the first column after the title on the screen.
    var row = 0, column = 0, top = 0, left = 0

    package init(query: Query = Query(), columns: [String]? = nil) { (self.query, self.columns) = (query, columns) }
  }

  enum Mode: Sendable, Hashable { case table, record, prompt, help }

  /// The effect of a key besides another state.
  package enum Effect: Sendable, Hashable {
    case none
    /// The rows of the last view are wanted.
    case load
    /// The last view was closed.
    case back
    /// The next row with some words is wanted, forward or backward.
    case find(isForward: Bool)
    /// The command of the view is wanted.
    case copy
    case suspend, quit, interrupt
  }

  /// The facts about the rows of the last view.
  package struct Facts {
    /// The columns; nil before they are known.
    var schema: Schema?
    /// The number of rows so far, and of the rows on the screen.
    var count: Int, lines: Int
    /// The value in the first of the columns that are shown from `left` on which does not fit.
    var fitting: Int
    var value: (_ row: Int, _ column: Int) -> Value?
  }

  /// The views, the last on the screen.
  package private(set) var views = [View()]
  private(set) var mode = Mode.table
  /// The words of the search, and those that are being typed.
  private(set) var words = "", typed = ""
  package var message = ""
  /// The first line of a record on the screen.
  private(set) var scroll = 0

  package init() {}

  package internal(set) var view: View {
    get { views[views.count - 1] }
    set { views[views.count - 1] = newValue }
  }

  /// The columns that are shown, by their positions: the title, then the others.
  static func columns(of schema: Schema, _ view: View) -> [Int] {
    let all = view.columns?.compactMap(schema.position) ?? Array(schema.columns.indices)
    guard let title = schema.title, all.contains(title), view.columns == nil else { return all }
    return [title] + all.filter { $0 != title }
  }

  package mutating func go(to row: Int, _ facts: Facts) {
    view.row = max(0, min(row, facts.count - 1))
    view.top = max(0, min(view.top, view.row, facts.count - facts.lines), view.row - facts.lines + 1)
  }

  /// Keeps the cursor on a screen of another size, and the screen full.
  package mutating func fit(_ facts: Facts) {
    go(to: view.row, facts)
    setColumn(view.column, facts)
  }

  package mutating func press(_ key: TerminalKey, _ facts: Facts) -> Effect {
    if mode != .prompt { message = "" }
    switch key {
    case .closed: return .quit
    case .control("C"): return .interrupt
    case .control("Z"): return .suspend
    default: break
    }
    switch mode {
    case .prompt: return prompt(key)
    case .help:
      mode = .table
      return .none
    case .record: return record(key, facts)
    case .table: return table(key, facts)
    }
  }

  private mutating func prompt(_ key: TerminalKey) -> Effect {
    switch key {
    case .character(let text): typed += text
    case .backspace: typed = String(typed.dropLast())
    case .escape: mode = .table
    case .enter:
      mode = .table
      if !typed.isEmpty { words = typed }
      return words.isEmpty ? .none : .find(isForward: true)
    default: break
    }
    return .none
  }

  /// Moves the cursor up or down; returns false for other keys.
  private mutating func move(_ key: TerminalKey, _ facts: Facts) -> Bool {
    switch key {
    case .up, .character("k"): go(to: view.row - 1, facts)
    case .down, .character("j"): go(to: view.row + 1, facts)
    case .pageUp, .control("B"): go(to: view.row - facts.lines, facts)
    case .pageDown, .control("F"), .character(" "): go(to: view.row + facts.lines, facts)
    case .home, .character("g"): go(to: 0, facts)
    case .end, .character("G"): go(to: facts.count - 1, facts)
    default: return false
    }
    return true
  }

  private mutating func record(_ key: TerminalKey, _ facts: Facts) -> Effect {
    switch key {
    case .escape, .enter, .character("q"): mode = .table
    case .pageUp: scroll = max(0, scroll - facts.lines)
    case .pageDown, .character(" "): scroll += facts.lines
    default:
      let isBack = [.left, .character("h")].contains(key), isNext = [.right, .character("l")].contains(key)
      if move(isBack ? .up : isNext ? .down : key, facts) { scroll = 0 }
    }
    return .none
  }

  private mutating func table(_ key: TerminalKey, _ facts: Facts) -> Effect {
    if move(key, facts) { return .none }
    switch key {
    case .character("q"): return .quit
    case .character("?"): mode = .help
    case .character("/"): (mode, typed) = (.prompt, "")
    case .character("n"), .character("N"):
      if !words.isEmpty { return .find(isForward: key == .character("n")) }
      message = "no search; use /"
    case .character("y"): return .copy
    case .character("+"):
      if view.columns != nil {
        push { $0.columns = nil }
        return .load
      }
    case .escape:
      guard views.count > 1 else {
        message = "nothing to undo; q quits"
        return .none
      }
      views.removeLast()
      return .back
    default: return facts.schema.map { cell(key, $0, facts) } ?? .none
    }
    return .none
  }

  private mutating func cell(_ key: TerminalKey, _ schema: Schema, _ facts: Facts) -> Effect {
    let columns = Self.columns(of: schema, view)
    guard !columns.isEmpty else { return .none }
    view.column = min(view.column, columns.count - 1)
    let column = columns[view.column], name = schema.columns[column].name
    switch key {
    case .left, .character("h"): setColumn(view.column - 1, facts)
    case .right, .character("l"): setColumn(view.column + 1, facts)
    case .enter:
      if view.query.counted != nil { return filter(schema, 0, isExcluding: false, facts) }
      if facts.count > 0 { (mode, scroll) = (.record, 0) }
    case .character("s"):
      push { view in
        let isSorted = view.query.sort == name, isLast = isSorted && view.query.isDescending
        (view.query.sort, view.query.isDescending) = (isLast ? nil : name, isSorted && !isLast)
        (view.row, view.top) = (0, 0)
      }
      return .load
    case .character("-"):
      guard columns.count > 1 else {
        message = "the last column cannot be hidden"
        return .none
      }
      let names = columns.filter { $0 != column }.map { schema.columns[$0].name }
      push { $0.columns = names }
      view.column = min(view.column, names.count - 1)
      return .load
    case .character("F"):
      guard view.query.counted == nil else {
        message = "this is the frequency sheet already"
        return .none
      }
      push { view in
        view = View(query: view.query)
        (view.query.counted, view.query.sort) = (name, nil)
      }
      return .load
    case .character("f"), .character("x"):
      return filter(schema, column, isExcluding: key == .character("x"), facts)
    default: break
    }
    return .none
  }

  private mutating func setColumn(_ column: Int, _ facts: Facts) {
    view.column = max(0, min(column, (facts.schema.map { Self.columns(of: $0, view).count } ?? 0) - 1))
    if view.column > 0 { view.left = min(view.left, view.column - 1) }
    view.left = max(view.left, view.column - max(facts.fitting, 1))
  }

  private mutating func push(_ change: (inout View) -> Void) {
    var next = view
    change(&next)
    views.append(next)
  }

  /// Keeps or excludes the rows with the value under the cursor; in a frequency sheet, of the column that is counted.
  private mutating func filter(_ schema: Schema, _ column: Int, isExcluding: Bool, _ facts: Facts) -> Effect {
    guard let value = facts.value(view.row, column) else { return .none }
    let counted = view.query.counted, name = counted ?? schema.columns[column].name
    guard counted == nil || column == 0 else {
      message = "only values can be filtered by"
      return .none
    }
    guard let condition = Self.condition(name, value, isExcluding: isExcluding) else {
      message = "a \(schema.columns[column].type.name) cannot be filtered by; F shows its values"
      return .none
    }
    if counted != nil, let below = views.dropLast().last {
      // The rows that were counted, not their counts.
      views.append(View(query: below.query, columns: below.columns))
    } else {
      push { ($0.row, $0.top) = (0, 0) }
    }
    view.query.filters.append(condition)
    return .load
  }

  /// A condition on a value; nil for a value that has none.
  static func condition(_ name: String, _ value: Value, isExcluding: Bool) -> String? {
    let column = "\"\(name.replacing("\"", with: "\"\""))\"", text: String
    switch value {
    case .null: return "\(column) is \(isExcluding ? "not null" : "null")"
    case .text(let bytes), .number(let bytes):
      guard !bytes.contains(0) else { return nil }
      text = String(decoding: bytes, as: UTF8.self)
    case .integer(let number): text = String(number)
    case .real(let number): text = number.description
    case .boolean(let value): text = value ? "true" : "false"
    case .json, .bytes: return nil
    }
    let quoted = "'\(text.replacing("'", with: "''"))'"
    // A comparison with null is not true: its rows are not excluded.
    return isExcluding ? "\(column) != \(quoted) or \(column) is null" : "\(column) = \(quoted)"
  }
}
