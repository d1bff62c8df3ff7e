import Rows

/// Finds where a pattern matches and what its groups match, in time proportional to the text: no backtracking.
struct PatternGroups: Sendable {
  private let program: PatternProgram
  /// The number of groups; group 0 is the whole match.
  let count: Int

  /// - Throws: `usage` with the place of what is wrong.
  init(_ text: String) throws(Problem) {
    var parser = PatternParser(text)
    let node = try parser.parse()
    count = parser.groups + 1
    program = try Pattern.program(of: .group(0, node), marking: true, text)
  }

  /// A way through the pattern: the next instruction, and the places where groups begin and end.
  private struct Thread {
    let at: Int32
    var marks: [Int]
  }

  /// The ranges of the groups of the first match that begins at `start` or later; nil if there is none.
  func first(in text: [UInt8], from start: Int) -> [Range<Int>?]? {
    var threads: [Thread] = [], found: [Int]?, place = start
    var seen = [Int](repeating: -1, count: program.instructions.count)
    // Adds the instructions that are reached without reading a byte; earlier ones are preferred.
    func add(_ thread: Thread, to threads: inout [Thread]) {
      var stack = [thread]
      while var thread = stack.popLast() {
        guard seen[Int(thread.at)] != place else { continue }
        seen[Int(thread.at)] = place
        switch program.instructions[Int(thread.at)] {
        case .match, .bytes: threads.append(thread)
        case .split(let first, let second):
          stack += [Thread(at: second, marks: thread.marks), Thread(at: first, marks: thread.marks)]
        case .mark(let mark, let next):
          thread.marks[mark] = place
          stack.append(Thread(at: next, marks: thread.marks))
        case .assert(let assertion, let next):
          let before = place > 0 && PatternProgram.isWord(text[place - 1])
          let after = place < text.count && PatternProgram.isWord(text[place])
          let holds =
            switch assertion {
            case .start: place == 0
            case .end: place == text.count
            case .boundary: before != after
            case .noBoundary: before == after
            }
          if holds { stack.append(Thread(at: next, marks: thread.marks)) }
        }
      }
    }
    while place <= text.count {
      if found == nil {
        add(Thread(at: program.start, marks: Array(repeating: -1, count: count * 2)), to: &threads)
      }
      if threads.isEmpty, found != nil { break }
      var next: [Thread] = []
      let byte = place < text.count ? text[place] : nil
      place += 1
      for thread in threads {
        if case .bytes(let low, let high, let after) = program.instructions[Int(thread.at)] {
          if let byte, byte >= low, byte <= high { add(Thread(at: after, marks: thread.marks), to: &next) }
        } else {
          // The rest is less preferred.
          found = thread.marks
          break
        }
      }
      threads = next
    }
    return found.map { marks in
      (0..<count).map { marks[$0 * 2] < 0 || marks[$0 * 2 + 1] < 0 ? nil : marks[$0 * 2]..<marks[$0 * 2 + 1] }
    }
  }

  /// The text with a replacement in place of the first match, or of all: `\1` is what the first group matches.
  /// - Throws: `badData` for a result that is much longer.
  func replacing(in text: [UInt8], with replacement: [UInt8], all: Bool) throws(Problem) -> [UInt8] {
    var result: [UInt8] = [], place = 0
    while place <= text.count, let groups = first(in: text, from: place), let match = groups[0] {
      result += text[place..<match.lowerBound]
      var at = 0
      while at < replacement.count {
        let next = at + 1 < replacement.count ? replacement[at + 1] : 0
        if replacement[at] == UInt8(ascii: "\\"), next &- 48 < 10 || next == UInt8(ascii: "\\") {
          if next == UInt8(ascii: "\\") {
            result.append(next)
          } else if Int(next) - 48 < groups.count, let group = groups[Int(next) - 48] {
            result += text[group]
          }
          at += 2
        } else {
          result.append(replacement[at])
          at += 1
        }
      }
      place = match.upperBound
      guard result.count <= place + ExpressionFunction.mostGrowth else { throw ExpressionFunction.tooLong }
      if !all { break }
      if match.isEmpty {
        // A match of nothing is followed by a whole character.
        guard place < text.count else { break }
        repeat {
          result.append(text[place])
          place += 1
        } while place < text.count && text[place] & 0xC0 == 0x80
      }
    }
    return place < text.count ? result + text[place...] : result
  }
}
