import Codecs
import Rows

/// Decompresses literals and references to earlier bytes: Snappy, and blocks of LZ4. Stored bytes are one literal.
///
/// The output keeps its last `window` bytes.
final class ParquetMatches: Decompressor, @unchecked Sendable {
  /// `lz4OrHadoop`: a block of LZ4, or those that Hadoop writes: the size of a block, and its parts, each after its
  /// compressed size.
  enum Format { case stored, snappy, lz4, lz4OrHadoop, hadoop }

  /// As far back as compressors refer in pages that are not decompressed at once.
  static let window = ParquetBatchLimit.bytes

  private var state: State

  init(_ format: Format) { state = State(format: format) }

  func restart() {}

  func step(_ input: ByteRun, into output: inout ArenaBuilder, limit: Int) -> DecompressionStep {
    var step = DecompressionStep(), state = self.state, cursor = ParquetCursor(input)
    let before = output.count
    step.made = unsafe output.appendBytes(atMost: limit) { free in
      guard let base = unsafe free.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
      var made = 0
      while made < limit || state.literals == 0 && state.match == 0 {
        let start = cursor
        do throws(ParquetFailure) {
          if state.literals > 0 {
            let part = try cursor.take(min(state.literals, limit - made, cursor.left))
            if part.count == 0 { break }
            unsafe (base + made).update(from: part.start, count: part.count)
            state.literals -= part.count
            made += part.count
          } else if state.match > 0 {
            let count = min(state.match, limit - made), distance = state.distance
            guard distance > 0, distance <= before + made else {
              step.damage = "a page refers to bytes that are too far away"
              break
            }
            if distance >= count {
              unsafe (base + made).update(from: base + made - distance, count: count)
            } else {
              for place in made..<made + count { unsafe base[place] = base[place - distance] }
            }
            state.match -= count
            made += count
          } else {
            try state.next(&cursor, made)
          }
        } catch {
          // An element needs fewer than 16 bytes: the others may come later.
          if start.left >= 16 { step.damage = "a page cannot be decompressed" }
          cursor = start
          break
        }
      }
      return made
    }
    step.taken = cursor.at
    state.made += step.made
    state.used += step.taken
    step.isDone = cursor.left == 0 && state.isComplete
    self.state = state
    return step
  }

  private struct State {
    var format: Format
    /// The bytes of the current literal, or of the current match, that are not written yet.
    var literals = 0, match = 0
    /// The distance of the match.
    var distance = 0
    /// The bytes of earlier steps.
    var made = 0, used = 0
    private var item = Item.start
    /// The length of the literal or match that is read, and that of the match after it.
    private var length = 0, after = 0
    /// Where the current block ends in the output, and its current part in the input.
    private var blockEnd = 0, partEnd = Int.max

    /// The next item of the input.
    private enum Item { case start, token, literalLength, distance, matchLength }

    init(format: Format) { self.format = format }

    /// Whether the data may end here.
    var isComplete: Bool { literals == 0 && match == 0 && (format != .hadoop || made == blockEnd) }

    /// Reads what comes next. Nothing changes if the bytes are too few.
    @inline(__always) mutating func next(_ cursor: inout ParquetCursor, _ new: Int) throws(ParquetFailure) {
      switch format {
      case .snappy: try nextSnappy(&cursor)
      case .stored:
        guard cursor.left > 0 else { throw .short }
        literals = cursor.left
      default: try nextLZ4(&cursor, new)
      }
    }

    /// The format: <https://github.com/google/snappy/blob/main/format_description.txt>.
    @inline(__always) private mutating func nextSnappy(_ cursor: inout ParquetCursor) throws(ParquetFailure) {
      if item == .start {
        _ = try cursor.count()
        return item = .token
      }
      let tag = Int(try cursor.byte())
      switch tag & 3 {
      case 0:
        let short = tag >> 2
        literals = short < 60 ? short + 1 : Int(try cursor.littleEndian(short - 59)) + 1
      case 1:
        distance = (tag >> 5) << 8 | Int(try cursor.byte())
        match = (tag >> 2 & 7) + 4
      default:
        distance = Int(try cursor.littleEndian(tag & 3 == 2 ? 2 : 4))
        match = (tag >> 2) + 1
      }
    }

    /// The format: <https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md>.
    private mutating func nextLZ4(_ cursor: inout ParquetCursor, _ new: Int) throws(ParquetFailure) {
      if item == .start {
        // A block begins with a literal.
        if format == .lz4OrHadoop, cursor.left > 1 { format = cursor.bytes[cursor.at] < 16 ? .hadoop : .lz4 }
        if format == .hadoop { partEnd = 0 }
        item = .token
      }
      if used + cursor.at == partEnd, item == .token || item == .distance {
        guard made + new <= blockEnd else { throw .damage("a block is larger than its header says") }
        let isNew = made + new == blockEnd, header = try cursor.take(isNew ? 8 : 4)
        func number(_ start: Int) -> Int { (0..<4).reduce(0) { $0 << 8 | Int(header[start + $1]) } }
        if isNew { blockEnd += number(0) }
        partEnd = used + cursor.at + number(isNew ? 4 : 0)
        return item = .token
      }
      switch item {
      case .start, .token:
        let token = Int(try cursor.byte())
        (length, after) = (token >> 4, token & 15)
        item = length == 15 ? .literalLength : .distance
        if length < 15 { literals = length }
      case .distance:
        distance = Int(try cursor.littleEndian(2))
        length = after + 4
        item = after == 15 ? .matchLength : .token
        if after < 15 { match = length }
      case .literalLength, .matchLength:
        let more = Int(try cursor.byte())
        length += more
        if more == 255 { return }
        if item == .literalLength { (literals, item) = (length, .distance) } else { (match, item) = (length, .token) }
      }
    }
  }
}
