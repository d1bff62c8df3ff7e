import Codecs
package import CommandLineKit
import Query
package import Rows

/// A table on the terminal, with the windows of its views. `run` waits for keys on a thread of its own.
@safe package final class ExploreSession: @unchecked Sendable {
  /// Begins to read the rows of a view; `first` has those of the first view, unless it is that.
  package typealias Load = @Sendable (Explorer.Query, _ window: RowWindow, _ first: RowWindow?) -> Task<Void, Never>

  private struct Loaded {
    let query: Explorer.Query
    let window: RowWindow, task: Task<Void, Never>
  }

  private let terminal: RawTerminal
  private let scratch: any ScratchSpace
  private let load: Load
  private let command: (Explorer.View, _ first: Schema?) -> String
  private var screen: ExplorerScreen
  private var explorer = Explorer()
  /// One for each view; views of the same rows share them.
  private var loaded: [Loaded] = []
  /// The row from which a search continues, and its direction; nil if there is none.
  private var search: (row: Int, isForward: Bool)?
  /// Keys that wait for the rows of the view.
  private var held: [TerminalKey] = []

  package private(set) var commands: [String] = []
  /// Whether Ctrl-C ended it.
  package private(set) var isInterrupted = false

  /// A session that shows nothing yet.
  /// - Parameters:
  ///   - command: the command that gives the rows of a view, given the columns of the first view.
  package init(
    _ terminal: RawTerminal, _ screen: ExplorerScreen, _ scratch: any ScratchSpace, load: @escaping Load,
    command: @escaping (Explorer.View, _ first: Schema?) -> String
  ) {
    (self.terminal, self.screen, self.scratch, self.load, self.command) = (terminal, screen, scratch, load, command)
  }

  /// Begins to read, and waits for the first rows.
  /// - Throws: the error of reading, if there are no rows.
  package func open() async throws(Problem) {
    begin()
    let window = loaded[0].window
    while window.count == 0, !window.isComplete { try? await Task.sleep(for: .milliseconds(2)) }
    if window.count == 0, let problem = window.problem { throw problem }
  }

  private func begin() {
    let window = RowWindow(scratch), query = explorer.view.query
    loaded.append(Loaded(query: query, window: window, task: load(query, window, loaded.first?.window)))
  }

  /// Shows the table until the user quits.
  package func run() {
    var last = (columns: 0, lines: 0)
    while true {
      let size = terminal.size, window = loaded[loaded.count - 1].window, isLoading = !window.isComplete
      let work =
        search.map { "searching row \($0.row + 1); Escape cancels" }
        ?? (isLoading && window.count == 0 ? "reading; Escape cancels" : "")
      if size != last { explorer.fit(ExplorerScreen.facts(explorer, window, size)) }
      last = size
      // Of keys that came together, only the last one is shown.
      if !terminal.hasKeys {
        let frame = screen.frame(explorer, window, size: size, work: work)
        if !frame.isEmpty { terminal.write(frame) }
      }
      let isReady = window.count > 0 || !isLoading
      let next = isReady && search == nil && !held.isEmpty ? held.removeFirst() : nil
      guard let key = next ?? terminal.key(within: search != nil ? 0 : isLoading ? 50 : 250) else {
        find(window, size)
        continue
      }
      if search != nil {
        search = nil
        if key == .escape { continue }
      }
      if !isReady, ![.escape, .character("q"), .control("C"), .control("Z"), .closed].contains(key) {
        held.append(key)
        continue
      }
      if next == nil, key == .escape { held = [] }
      if !press(key, window, size) { break }
    }
    for view in loaded { end(view) }
  }

  /// Does what a key says; returns false if that ends the session.
  private func press(_ key: TerminalKey, _ window: RowWindow, _ size: (columns: Int, lines: Int)) -> Bool {
    switch explorer.press(key, ExplorerScreen.facts(explorer, window, size)) {
    case .none: break
    case .load:
      if let same = loaded.last(where: { $0.query == explorer.view.query }) {
        loaded.append(same)
      } else {
        begin()
      }
    case .back:
      let last = loaded.removeLast()
      if !loaded.contains(where: { $0.window === last.window }) { end(last) }
    case .find(let isForward): search = (explorer.view.row + (isForward ? 1 : -1), isForward)
    case .copy:
      let text = command(explorer.view, loaded[0].window.schema)
      let line = window.problem == nil ? text : text + "  # fails after these rows: the data have an error"
      if commands.last != line { commands.append(line) }
      explorer.message = line
      // The clipboard of the terminal (OSC 52).
      terminal.write(Array("\u{1B}]52;c;".utf8) + Base64.encoded(Array(text.utf8)) + [7])
    case .suspend:
      do throws(Problem) { try terminal.suspend() } catch { return false }
      screen.forget()
    case .interrupt:
      isInterrupted = true
      return false
    case .quit: return false
    }
    return true
  }

  private func end(_ view: Loaded) {
    view.window.close()
    view.task.cancel()
  }

  /// Looks through some rows for the words of the search.
  private func find(_ window: RowWindow, _ size: (columns: Int, lines: Int)) {
    guard let place = search, let schema = window.schema else { return }
    let matcher = SearchMatcher(explorer.words, for: schema)
    guard let (batch, position) = window.row(place.row) else {
      // Rows that are still read may have it.
      if place.isForward, !window.isComplete { return }
      search = nil
      explorer.message = "not found: \(explorer.words)"
      return
    }
    let rows = matcher.rows(of: batch), first = place.row - position
    if let row = place.isForward ? rows.first(where: { $0 >= position }) : rows.last(where: { $0 <= position }) {
      search = nil
      explorer.go(to: first + row, ExplorerScreen.facts(explorer, window, size))
    } else {
      search?.row = place.isForward ? first + batch.count : first - 1
    }
  }
}
