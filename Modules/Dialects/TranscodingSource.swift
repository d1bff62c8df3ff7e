internal import Codecs
public import Rows
internal import Synchronization

/// A text of any encoding as UTF-8 without a mark, converted while it is read.
///
/// It maps a run of whole lines to its bytes in the original.
public final class TranscodingSource: ByteSource {
  /// The treatment of bytes that are not valid: an error with a hint, U+FFFD, or a byte that is not UTF-8 either.
  public enum InvalidBytes: Sendable {
    case refused(Remedy), replaced, marked

    /// The treatment that the options for CSV files ask for.
    public init(repairs: Bool, replaces: Bool) {
      let hint = Remedy.repairing.or(.set(.invalidUTF8, to: "replace"))
      self = repairs ? .marked : replaces ? .replaced : .refused(hint)
    }
  }

  /// The name of the original.
  public let name: String
  /// Unknown.
  public var size: Int? { nil }
  let source: any ByteSource
  let encoding: CharacterEncoding, mark: Int
  private let invalid: InvalidBytes
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var decoder: TextDecoder
    var input = ArenaBuilder(), isAtEnd = false
    /// The bytes of the mark that are still to come.
    var mark: Int
    var text: [UInt8] = [], taken = 0, lines = 0
    /// The original of what was not taken: `stored`, then `original` from `first` on. It begins at `offset`, and is
    /// kept only if there is a place for long records.
    var original = ArenaBuilder(), first = 0, offset = 0
    var stored: StoredText?, scratch: (any ScratchSpace)?

    mutating func store() throws(Problem) {
      guard let scratch, first < original.count else { return }
      stored = try original.read { (bytes) throws(Problem) in
        try StoredText(bytes.extracting(first...), after: stored, in: scratch)
      }
      original.removeAll()
      first = 0
    }
  }

  /// - Parameter mark: the bytes at the beginning that only mark the encoding.
  /// - Throws: `unavailable` if the system cannot convert the encoding.
  public init(
    _ source: any ByteSource, _ encoding: CharacterEncoding, mark: Int, invalid: InvalidBytes = .refused([])
  ) throws(Problem) {
    guard var decoder = TextDecoder(encoding) else {
      throw Problem(
        .unavailable, "the system cannot convert \(encoding.rawValue)", at: source.name,
        hint: "install the character conversions of glibc (libc6, gconv)")
    }
    self.source = source
    self.encoding = encoding
    self.mark = mark
    self.invalid = invalid
    if case .marked = invalid { decoder.substitute = [0xFF] }
    name = source.name
    state = Mutex(State(decoder: decoder, mark: mark, offset: mark))
  }

  /// Keeps the original of what is read from now on, until `takeOriginal` takes it; much of it in `scratch`.
  func keepOriginal(in scratch: any ScratchSpace) { state.withLock { $0.scratch = scratch } }

  /// Takes the original of the next lines of the text.
  /// - Parameters:
  ///   - text: whole lines, the next after those that were taken before.
  ///   - wantsBytes: whether the bytes are wanted, and not only their place.
  /// - Returns: where they begin in the original, and their bytes.
  func takeOriginal(
    of text: Span<UInt8>, wantsBytes: Bool
  ) throws(Problem) -> (offset: Int, bytes: [UInt8], stored: StoredText?) {
    let ending = text.count > 0 ? text[text.count - 1] : 0x0A, endsOpen = ending != 0x0A && ending != 0x0D
    var left = ByteText.count(of: ending, in: text)
    return try state.withLock { (state) throws(Problem) in
      let offset = state.offset
      guard state.stored != nil else {
        let start = state.first
        let count = state.original.read { lines(Span(_bytes: $0.extracting(start...)), &left, ending) }
        state.first = endsOpen ? state.original.count : start + count
        state.offset += state.first - start
        let taken = start..<(wantsBytes ? state.first : start)
        let bytes = state.original.read { bytes in taken.map { Span<UInt8>(_bytes: bytes)[$0] } }
        if state.first > 1 << 18 {
          state.original.removeFirst(state.first)
          state.first = 0
        }
        return (offset, bytes, nil)
      }
      try state.store()
      guard var taken = state.stored else { return (offset, [], nil) }
      var rest = taken, count = 0
      try taken.forEachPart { part in
        count += lines(Span(_bytes: part), &left, ending)
        return left > 0 ? part.byteCount : 0
      }
      if endsOpen { count = taken.range.count }
      state.offset += count
      taken.range = taken.range.prefix(count)
      rest.range = rest.range.dropFirst(count)
      state.stored = rest
      var bytes: [UInt8] = []
      if wantsBytes, count < TableConverter.longRecord {
        try taken.forEachPart { part in
          bytes += part.byteOffsets.map { Span<UInt8>(_bytes: part)[$0] }
          return part.byteCount
        }
      }
      if rest.range.count < TableConverter.longRecord {
        state.stored = nil
        try rest.forEachPart { part in
          state.original.append(part)
          return part.byteCount
        }
      }
      return (offset, bytes, bytes.isEmpty ? taken : nil)
    }
  }

  /// The bytes of the next `left` lines, or all; reduces `left` by their number.
  private func lines(_ bytes: Span<UInt8>, _ left: inout Int, _ ending: UInt8) -> Int {
    let unit = encoding.unitBytes, low = encoding == .utf16be || encoding == .utf32be ? unit - 1 : 0
    var at = 0
    while at < bytes.count, left > 0 {
      if at + unit <= bytes.count, bytes[at + low] == ending,
        (at..<at + unit).allSatisfy({ $0 == at + low || bytes[$0] == 0 })
      {
        left -= 1
      }
      at += unit
    }
    return min(at, bytes.count)
  }

  /// Appends converted bytes.
  public func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try state.withLock { (state) throws(Problem) in
      while state.taken == state.text.count {
        if state.isAtEnd, state.input.count == 0 { return 0 }
        state.lines += state.text.count { $0 == 0x0A }
        state.text.removeAll(keepingCapacity: true)
        state.taken = 0
        if !state.isAtEnd {
          state.isAtEnd = try source.read(into: &state.input, limit: max(state.input.room, 4096)) == 0
        }
        let skipped = min(state.mark, state.input.count)
        state.input.removeFirst(skipped)
        state.mark -= skipped
        let used = state.input.read { bytes in
          state.decoder.decode(Span(_bytes: bytes), isAtEnd: state.isAtEnd, into: &state.text)
        }
        if case .refused(let hint) = invalid, let bad = state.decoder.firstInvalid {
          let line = state.text[..<bad.place].reduce(state.lines + 1) { $1 == 0x0A ? $0 + 1 : $0 }
          throw Problem(
            .badData, "invalid \(encoding.rawValue) at byte \(mark + bad.offset)", at: "\(name):\(line)",
            hint: hint.isEmpty ? .set(.inputEncoding) : hint)
        }
        if state.scratch != nil {
          state.input.read { state.original.append($0.extracting(..<used)) }
          if state.original.count - state.first > TableConverter.longRecord { try state.store() }
        }
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
    return try TranscodingSource(again, encoding, mark: mark, invalid: invalid)
  }
}
