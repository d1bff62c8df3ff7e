public import Rows
internal import Synchronization

/// A text of any encoding as UTF-8 without a mark, converted while it is read.
///
/// It maps a run of whole lines to its bytes in the original.
public final class TranscodingSource: ByteSource {
  /// The name of the original.
  public let name: String
  /// Unknown.
  public var size: Int? { nil }
  let source: any ByteSource
  let encoding: CharacterEncoding, mark: Int
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var decoder: TextDecoder
    var input = ArenaBuilder(), isAtEnd = false
    /// The bytes of the mark that are still to come.
    var mark: Int
    var text: [UInt8] = [], taken = 0
    /// The original of what was not taken, from `first` on, which begins at `offset`; kept only on request.
    var original: [UInt8] = [], first = 0, offset = 0, keeps = false
  }

  /// - Parameter mark: the bytes at the beginning that only mark the encoding.
  /// - Throws: `unavailable` if the system cannot convert the encoding.
  public init(_ source: any ByteSource, _ encoding: CharacterEncoding, mark: Int) throws(Problem) {
    guard let decoder = TextDecoder(encoding) else {
      throw Problem(
        .unavailable, "the system cannot convert \(encoding.rawValue)", at: source.name,
        hint: "install the character conversions of glibc (libc6, gconv)")
    }
    self.source = source
    self.encoding = encoding
    self.mark = mark
    name = source.name
    state = Mutex(State(decoder: decoder, mark: mark, offset: mark))
  }

  /// Keeps the original of what is read from now on, until `original` takes it.
  func keepOriginal() { state.withLock { $0.keeps = true } }

  /// The original of the next lines of the text.
  /// - Parameters:
  ///   - text: whole lines, the next after those that were taken before.
  ///   - takes: whether they are taken now.
  /// - Returns: where they begin in the original, and their bytes.
  func original(of text: Span<UInt8>, takes: Bool) -> (offset: Int, bytes: ArraySlice<UInt8>) {
    let ending = text.count > 0 ? text[text.count - 1] : 0x0A, endsOpen = ending != 0x0A && ending != 0x0D
    var count = 0
    for index in 0..<text.count where text[index] == ending { count += 1 }
    let unit = encoding.unitBytes, low = encoding == .utf16be || encoding == .utf32be ? unit - 1 : 0
    return state.withLock { state in
      var at = state.first, found = 0
      while at < state.original.count, found < count {
        if at + unit <= state.original.count, state.original[at + low] == ending,
          (at..<at + unit).allSatisfy({ $0 == at + low || state.original[$0] == 0 })
        {
          found += 1
        }
        at += unit
      }
      at = endsOpen ? state.original.count : min(at, state.original.count)
      let result = (state.offset, state.original[state.first..<at])
      guard takes else { return result }
      state.offset += at - state.first
      state.first = at
      if state.first > 1 << 18 {
        state.original.removeFirst(state.first)
        state.first = 0
      }
      return (result.0, [])
    }
  }

  /// Appends converted bytes.
  public func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try state.withLock { (state) throws(Problem) in
      while state.taken == state.text.count {
        if state.isAtEnd, state.input.count == 0 { return 0 }
        state.text.removeAll(keepingCapacity: true)
        state.taken = 0
        if !state.isAtEnd {
          state.isAtEnd = try source.read(into: &state.input, limit: max(state.input.room, 4096)) == 0
        }
        let skipped = min(state.mark, state.input.count)
        state.input.removeFirst(skipped)
        state.mark -= skipped
        let bytes = unsafe Span(_unsafeStart: UnsafePointer(state.input.base), count: state.input.count)
        let used = state.decoder.decode(bytes, isAtEnd: state.isAtEnd, into: &state.text)
        if state.keeps { for index in 0..<used { state.original.append(bytes[index]) } }
        state.input.removeFirst(used)
      }
      let count = min(limit, state.text.count - state.taken)
      text.append(state.text[state.taken..<state.taken + count])
      state.taken += count
      return count
    }
  }

  /// The same text from its beginning; nil if it cannot be read again.
  public func reopened() throws(Problem) -> (any ByteSource)? {
    guard let again = try source.reopened() else { return nil }
    return try TranscodingSource(again, encoding, mark: mark)
  }
}
