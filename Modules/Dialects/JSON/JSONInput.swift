internal import Codecs
public import Rows
internal import Synchronization

/// JSON as people write it: where its records are, and its text as JSON.
public struct JSONInput: Sendable {
  /// The text, converted if necessary.
  public let source: any ByteSource
  /// Where the records are, if they are in a member; nil for the whole text.
  public let records: [String]?
  /// Whether several documents, or one that is a record, became one array.
  public let isJoined: Bool
  /// The warnings for the user.
  public let warnings: [Warning]

  /// Determines how a file deviates from JSON.
  /// - Parameters:
  ///   - sample: its first bytes.
  ///   - isWhole: whether they are all there is.
  ///   - findsRecords: whether the records may be in a member.
  /// - Throws: `badData` if `repairs` is needed.
  public init(
    _ source: any ByteSource, sample: [UInt8], isWhole: Bool, findsRecords: Bool, repairs: Bool
  ) throws(Problem) {
    var scan = JSONConverter(joins: false)
    for byte in sample.dropFirst(sample.starts(with: CharacterEncoding.mark) ? 3 : 0) { scan.add(byte) }
    if isWhole { scan.end() }
    let isOther = scan.isForeign && !repairs
    var found = isOther ? [] : JSONDeviation.allCases.filter(scan.deviations.contains)
    let isRecord = findsRecords && !isOther && scan.isRecord(isWhole: isWhole)
    isJoined = isRecord || scan.hasDocuments && !isOther
    if isJoined, !isRecord { found.insert(.documents, at: 0) }
    records = findsRecords && !isOther ? scan.records : nil
    if !repairs, !isOther { try scan.refuseGuesses(in: source.name) }
    // The parser knows the places of what is not converted.
    self.source =
      found.isEmpty && !isJoined && !repairs
      ? source : JSONConvertingSource(source, joins: isJoined, repairs: repairs, known: Set(found))
    var words = found.map(\.rawValue), hint = Remedy()
    if let records {
      let pointer = "\(JSONPointer(steps: records))"
      words.append("records at \(pointer)")
      hint = .set(.recordsPointer, to: pointer)
    }
    if isRecord { words.insert("one object as one record", at: 0) }
    if isRecord, !isWhole { hint = .set(.recordsPointer, for: "read an array in it") }
    warnings =
      words.isEmpty ? [] : [Warning("\(source.name): read with \(words.joined(separator: ", "))", hint: hint)]
  }
}

/// Text that resembles JSON as JSON, converted while it is read.
private final class JSONConvertingSource: ByteSource {
  let name: String
  var size: Int? { nil }
  private let source: any ByteSource, joins: Bool, repairs: Bool
  /// The deviations that were reported before.
  private let known: Set<JSONDeviation>
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var converter: JSONConverter
    var input = ArenaBuilder(), output: [UInt8] = [], taken = 0
    var isFirst = true, isAtEnd = false
  }

  init(_ source: any ByteSource, joins: Bool, repairs: Bool, known: Set<JSONDeviation>) {
    (name, self.source, self.joins) = (source.name, source, joins)
    (self.repairs, self.known) = (repairs, known)
    state = Mutex(State(converter: JSONConverter(joins: joins)))
  }

  func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try state.withLock { (state) throws(Problem) in
      while state.taken == state.output.count {
        if state.isAtEnd { return 0 }
        state.input.removeAll()
        var count = try source.read(into: &state.input, limit: 1 << 16)
        // A byte order mark may come in pieces.
        while state.isFirst, count > 0, state.input.count < 3 {
          count = try source.read(into: &state.input, limit: 3)
        }
        var bytes = state.input.bytes[...]
        if state.isFirst, bytes.starts(with: CharacterEncoding.mark) { bytes.removeFirst(3) }
        state.isFirst = false
        for byte in bytes { state.converter.add(byte) }
        if state.input.count == 0 {
          state.converter.end()
          state.isAtEnd = true
        }
        if !repairs { try state.converter.refuseGuesses(in: name) }
        state.output = state.converter.takeOutput()
        state.taken = 0
      }
      let count = min(limit, state.output.count - state.taken)
      text.append(state.output[state.taken..<state.taken + count])
      state.taken += count
      return count
    }
  }

  /// The deviations after the sample.
  var notes: [Warning] {
    let found = state.withLock { $0.converter.deviations.subtracting(known) }
    let words = JSONDeviation.allCases.filter(found.contains).map(\.rawValue).joined(separator: ", ")
    return source.notes + (words.isEmpty ? [] : [Warning("\(name): read with \(words)")])
  }

  func reopened() throws(Problem) -> (any ByteSource)? {
    try source.reopened().map { JSONConvertingSource($0, joins: joins, repairs: repairs, known: known) }
  }
}
