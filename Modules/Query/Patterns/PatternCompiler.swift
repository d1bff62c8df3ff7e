indirect enum PatternNode {
  case empty
  case characters([ClosedRange<UInt32>])
  case sequence([PatternNode])
  case choice([PatternNode])
  /// `most` is nil for any number.
  case repeated(PatternNode, least: Int, most: Int?, isLazy: Bool)
  case group(Int, PatternNode)
  case assertion(PatternProgram.Place)
}

/// A pattern as instructions over bytes.
struct PatternProgram: Sendable {
  enum Place: Sendable { case start, end, boundary, noBoundary }
  enum Instruction: Sendable {
    case match
    case bytes(UInt8, UInt8, next: Int32)
    case split(Int32, Int32)
    case assert(Place, next: Int32)
    /// Notes the place where a group begins, or ends: twice its number, and one more.
    case mark(Int, next: Int32)
  }
  let instructions: [Instruction]
  let start: Int32
  /// The class of each byte: bytes of one class are never told apart.
  let classes: [UInt8]
  let classCount: Int
  let hasBoundaries: Bool

  init(_ instructions: [Instruction], start: Int32) {
    self.instructions = instructions
    self.start = start
    var begins = [Bool](repeating: false, count: 257), hasBoundaries = false
    for instruction in instructions {
      switch instruction {
      case .bytes(let low, let high, _):
        begins[Int(low)] = true
        begins[Int(high) + 1] = true
      case .assert(.boundary, _), .assert(.noBoundary, _): hasBoundaries = true
      case .assert, .match, .split, .mark: break
      }
    }
    if hasBoundaries {
      for byte in 1..<256 where Self.isWord(UInt8(byte)) != Self.isWord(UInt8(byte - 1)) { begins[byte] = true }
    }
    var classes: [UInt8] = [], count = 0
    for byte in 0..<256 {
      if byte > 0, begins[byte] { count += 1 }
      classes.append(UInt8(count))
    }
    self.classes = classes
    classCount = count + 1
    self.hasBoundaries = hasBoundaries
  }

  static func isWord(_ byte: UInt8) -> Bool {
    byte | 0x20 &- 97 < 26 && byte >= 65 || byte &- 48 < 10 || byte == 95
  }
}

/// Makes the instructions of a pattern, from its end to its beginning.
struct PatternCompiler {
  private var instructions: [PatternProgram.Instruction] = [.match]
  private let marking: Bool
  private static let most = 20_000
  private var isTooLarge = false

  /// - Parameter marking: whether the places of groups are noted.
  init(marking: Bool) { self.marking = marking }

  /// Nil if the program would be too large.
  mutating func compile(_ node: PatternNode) -> PatternProgram? {
    let start = emit(node, then: 0)
    return isTooLarge ? nil : PatternProgram(instructions, start: start)
  }

  private mutating func append(_ instruction: PatternProgram.Instruction) -> Int32 {
    if instructions.count >= Self.most {
      isTooLarge = true
      return 0
    }
    instructions.append(instruction)
    return Int32(instructions.count - 1)
  }

  /// Emits a node that is followed by `next`; returns where it begins.
  private mutating func emit(_ node: PatternNode, then next: Int32) -> Int32 {
    if isTooLarge { return 0 }
    switch node {
    case .empty: return next
    case .assertion(let place): return append(.assert(place, next: next))
    case .sequence(let nodes):
      var next = next
      for node in nodes.reversed() { next = emit(node, then: next) }
      return next
    case .choice(let nodes):
      return choice(nodes.map { emit($0, then: next) })
    case .characters(let ranges):
      var starts: [Int32] = []
      for range in ranges {
        for bytes in UTF8Ranges.sequences(of: range) {
          var next = next
          for byte in bytes.reversed() { next = append(.bytes(byte.lowerBound, byte.upperBound, next: next)) }
          starts.append(next)
        }
      }
      return choice(starts)
    case .group(let number, let node):
      if !marking { return emit(node, then: next) }
      return append(.mark(number * 2, next: emit(node, then: append(.mark(number * 2 + 1, next: next)))))
    case .repeated(let node, let least, let most, let isLazy):
      var next = next
      func split(_ body: Int32, _ end: Int32) -> PatternProgram.Instruction {
        isLazy ? .split(end, body) : .split(body, end)
      }
      if let most {
        let end = next
        for _ in 0..<max(most - least, 0) { next = append(split(emit(node, then: next), end)) }
      } else {
        let loop = append(.match)
        let body = emit(node, then: loop)
        if isTooLarge { return 0 }
        instructions[Int(loop)] = split(body, next)
        next = loop
      }
      for _ in 0..<least { next = emit(node, then: next) }
      return next
    }
  }

  /// Where one of several ways is taken; without any, nothing matches.
  private mutating func choice(_ starts: [Int32]) -> Int32 {
    guard var result = starts.last else { return append(.bytes(1, 0, next: 0)) }
    for start in starts.dropLast().reversed() { result = append(.split(start, result)) }
    return result
  }
}

/// Ranges of characters as ranges of bytes.
enum UTF8Ranges {
  /// Sequences of byte ranges that stand for a range of characters, without surrogates.
  static func sequences(of range: ClosedRange<UInt32>) -> [[ClosedRange<UInt8>]] {
    var result: [[ClosedRange<UInt8>]] = []
    for limits: ClosedRange<UInt32> in [0...0x7F, 0x80...0x7FF, 0x800...0xD7FF, 0xE000...0xFFFF, 0x10000...0x10FFFF]
    where range.overlaps(limits) {
      append(range.clamped(to: limits), to: &result)
    }
    return result
  }

  private static func append(_ range: ClosedRange<UInt32>, to result: inout [[ClosedRange<UInt8>]]) {
    let low = bytes(range.lowerBound), high = bytes(range.upperBound)
    // Below a byte that differs, the bytes must run from the first to the last.
    for place in 0..<low.count {
      let bits = UInt32(6 * (low.count - 1 - place))
      guard bits > 0, low[place] != high[place] else { continue }
      let mask = UInt32(1) << bits - 1
      if range.lowerBound & mask != 0 {
        append(range.lowerBound...(range.lowerBound | mask), to: &result)
        append((range.lowerBound | mask) + 1...range.upperBound, to: &result)
        return
      }
      if range.upperBound & mask != mask {
        let start = range.upperBound & ~mask
        append(range.lowerBound...(start - 1), to: &result)
        append(start...range.upperBound, to: &result)
        return
      }
      break
    }
    result.append(zip(low, high).map { $0...$1 })
  }

  private static func bytes(_ code: UInt32) -> [UInt8] {
    switch code {
    case ..<0x80: [UInt8(code)]
    case ..<0x800: [0xC0 | UInt8(code >> 6), tail(code)]
    case ..<0x10000: [0xE0 | UInt8(code >> 12), tail(code >> 6), tail(code)]
    default: [0xF0 | UInt8(code >> 18), tail(code >> 12), tail(code >> 6), tail(code)]
    }
  }
  private static func tail(_ code: UInt32) -> UInt8 { 0x80 | UInt8(code & 0x3F) }
}
