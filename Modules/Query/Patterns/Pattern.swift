public import Rows
import Synchronization

/// A regular expression whose search takes time proportional to the text, whatever the expression: no backtracking.
///
/// Literals, `.`, `[a-z]`, `[^a-z]`, `\d \w \s \b` (ASCII) and their opposites, `^ $` (of the text), groups, `|`,
/// `* + ? {m,n}`, and at the beginning `(?i)` to ignore case and `(?s)` to have `.` match line feeds. Texts are UTF-8.
public struct Pattern: Sendable, Hashable {
  let text: String
  let program: PatternProgram

  /// - Throws: `usage` with the place of what is wrong.
  public init(_ text: String) throws(Problem) {
    self.text = text
    var parser = PatternParser(text)
    program = try Self.program(of: try parser.parse(), marking: false, text)
  }

  /// The instructions of a node, which mark the places of groups or do not.
  static func program(of node: PatternNode, marking: Bool, _ text: String) throws(Problem) -> PatternProgram {
    var compiler = PatternCompiler(marking: marking)
    guard let program = compiler.compile(node) else {
      throw Problem(.usage, "the pattern “\(text)” is too large", hint: "use smaller repetition counts")
    }
    return program
  }

  /// Whether the expressions are the same text.
  public static func == (a: Pattern, b: Pattern) -> Bool { a.text == b.text }
  /// Hashes the expression.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// Searches texts for a pattern: a deterministic automaton whose states are made when they are first reached.
///
/// A state is a set of instructions, so there may be exponentially many; beyond a limit all are forgotten and made
/// again, which costs time proportional to the pattern for each byte.
final class PatternSearch {
  private let program: PatternProgram
  /// The classes of bytes that no instruction distinguishes; the last one is the end of the text.
  private let width: Int
  /// For each state and class the next state: -1 unknown.
  private var table: [Int32] = []
  private var states: [State] = []
  private var numbers: [State: Int32] = [:]

  private struct State: Hashable {
    /// The next instructions, ascending.
    var core: [Int32]
    var isAtStart = false
    var followsWord = false
  }
  private static let most = 1000
  /// The results: the pattern was found; the text has ended without it.
  private static let found: Int32 = -2, ended: Int32 = -3

  init(_ program: PatternProgram) {
    self.program = program
    width = program.classCount + 1
    _ = number(of: State(core: [program.start], isAtStart: true))
  }

  /// Whether a part of the text matches.
  func matches(_ text: UnsafeRawBufferPointer) -> Bool {
    var state: Int32 = 0
    for index in 0..<text.count {
      let byte = unsafe text[index]
      let symbol = Int(program.classes[Int(byte)])
      var next = table[Int(state) &* width &+ symbol]
      if next == -1 { next = transition(from: state, symbol, byte) }
      if next == Self.found { return true }
      state = next
    }
    var next = table[Int(state) &* width &+ width &- 1]
    if next == -1 { next = transition(from: state, width - 1, nil) }
    return next == Self.found
  }

  private func number(of state: State) -> Int32 {
    if let number = numbers[state] { return number }
    let number = Int32(states.count)
    states.append(state)
    numbers[state] = number
    table.append(contentsOf: repeatElement(-1, count: width))
    return number
  }

  /// Finds the state that follows on a byte, or on the end of the text.
  private func transition(from number: Int32, _ symbol: Int, _ byte: UInt8?) -> Int32 {
    let state = states[Int(number)]
    let isWord = byte.map(PatternProgram.isWord) ?? false
    guard let reached = closure(of: state, byte, isWord) else {
      table[Int(number) * width + symbol] = Self.found
      return Self.found
    }
    guard let byte else {
      table[Int(number) * width + symbol] = Self.ended
      return Self.ended
    }
    // A match may begin at any byte.
    var core: Set<Int32> = [program.start]
    for instruction in reached {
      if case .bytes(let low, let high, let next) = program.instructions[Int(instruction)], byte >= low, byte <= high {
        core.insert(next)
      }
    }
    if states.count >= Self.most {
      let start = states[0]
      (states, numbers, table) = ([], [:], [])
      _ = self.number(of: start)
      return self.number(of: State(core: core.sorted(), followsWord: program.hasBoundaries && isWord))
    }
    let next = self.number(of: State(core: core.sorted(), followsWord: program.hasBoundaries && isWord))
    table[Int(number) * width + symbol] = next
    return next
  }

  /// The instructions that read a byte, reached from a state before a byte or the end; nil if the pattern is found.
  private func closure(of state: State, _ byte: UInt8?, _ isWord: Bool) -> [Int32]? {
    var seen = Set<Int32>(), stack = state.core, reached: [Int32] = []
    while let at = stack.popLast() {
      guard seen.insert(at).inserted else { continue }
      switch program.instructions[Int(at)] {
      case .match: return nil
      case .bytes: reached.append(at)
      case .split(let first, let second): stack += [first, second]
      case .mark(_, let next): stack.append(next)
      case .assert(let place, let next):
        let holds =
          switch place {
          case .start: state.isAtStart
          case .end: byte == nil
          case .boundary: state.followsWord != isWord
          case .noBoundary: state.followsWord == isWord
          }
        if holds { stack.append(next) }
      }
    }
    return reached
  }
}

/// Searches of one pattern, each used by one task at a time.
final class PatternSearches: Sendable {
  private let pattern: Pattern
  private let free = Mutex<[Unshared]>([])
  private struct Unshared: @unchecked Sendable { let search: PatternSearch }

  init(_ pattern: Pattern) { self.pattern = pattern }

  /// Calls `body` with a search that no other task uses.
  func with<Result>(_ body: (PatternSearch) -> Result) -> Result {
    let one = free.withLock { $0.popLast() } ?? Unshared(search: PatternSearch(pattern.program))
    defer { free.withLock { $0.append(one) } }
    return body(one.search)
  }
}

/// A pattern that texts are compared with outside of conditions.
package struct TextPattern: Sendable {
  private let searches: PatternSearches

  package init(_ pattern: Pattern) { searches = PatternSearches(pattern) }

  /// Whether a part of a text matches.
  package func matches(_ text: [UInt8]) -> Bool {
    searches.with { search in unsafe text.withUnsafeBytes { unsafe search.matches($0) } }
  }
}
