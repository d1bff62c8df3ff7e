public import Rows
internal import Synchronization

/// A table of any dialect as RFC 4180 text, converted while it is read.
public final class ConvertingSource: ByteSource {
  /// The name of the original file.
  public let name: String
  /// Unknown.
  public var size: Int? { nil }
  private let source: any ByteSource
  private let plan: TableConverter.Plan
  private let mark: Int
  private let log: RejectLog?
  private let state: Mutex<State>

  private struct State: ~Copyable {
    var converter: TableConverter
    /// The next byte of the output.
    var taken = 0
    var reader: Int?
    var isDone = false
  }

  /// - Parameters:
  ///   - mark: the bytes before the text.
  ///   - log: where changed and dropped records go.
  init(_ source: any ByteSource, _ plan: TableConverter.Plan, mark: Int, log: RejectLog?) {
    var plan = plan
    plan.isConverted = source is TranscodingSource
    self.source = source
    self.plan = plan
    self.mark = mark
    self.log = log
    name = source.name
    let original = log == nil ? nil : source as? TranscodingSource
    if let log { original?.keepOriginal(in: log.scratch) }
    state = Mutex(
      State(
        converter: TableConverter(plan, name: source.name, mark: mark, original: original, scratch: log?.scratch)))
  }

  /// Converts with a dialect that is known.
  public convenience init(
    _ source: any ByteSource, _ dialect: CSVDialect, repairs: Bool, maximumField: Int, log: RejectLog?
  ) {
    var plan = TableConverter.Plan(dialect: dialect)
    plan.repairs = repairs
    plan.maximumField = maximumField
    if dialect.columns > 0 { plan.columns = dialect.columns }
    self.init(source, plan, mark: 0, log: log)
  }

  /// Appends converted bytes.
  public func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try state.withLock { (state) throws(Problem) in
      if state.reader == nil { state.reader = log?.begin(name) ?? 0 }
      while state.taken == state.converter.output.bytes.count {
        if state.isDone { return 0 }
        state.converter.takeOutput()
        state.taken = 0
        let needsMore = try state.converter.convert()
        let rejects = state.converter.rejects
        state.converter.rejects = []
        if let log, let reader = state.reader { try log.add(rejects, of: reader) }
        if needsMore {
          if state.converter.isAtEnd { throw Problem(.bug, "internal error: a record has no end", at: name) }
          let room = min(max(state.converter.window.room, 1 << 16), TableConverter.longRecord)
          state.converter.isAtEnd = try source.read(into: &state.converter.window, limit: room) == 0
        } else if state.converter.isFinished {
          try state.converter.checkEnd()
          state.isDone = true
          if let log, let reader = state.reader {
            let original = source as? TranscodingSource
            var rest = plan
            rest.columns = state.converter.width
            log.end(
              reader,
              ReadInput(
                source: original?.source ?? source, encoding: original?.encoding, mark: original?.mark ?? mark,
                plan: rest, records: state.converter.output.records))
          }
        }
      }
      let count = min(limit, state.converter.output.bytes.count - state.taken)
      text.append(state.converter.output.bytes[state.taken..<state.taken + count])
      state.taken += count
      // The memory of long text is free before the rows are made.
      if state.taken == state.converter.output.bytes.count, state.taken > TableConverter.longRecord {
        state.converter.takeOutput()
        state.taken = 0
      }
      return count
    }
  }

  /// Warnings about changed and dropped records.
  public var notes: [Warning] { log?.notes(on: name) ?? [] }

  /// The same text from its beginning; nil if it cannot be read again.
  public func reopened() throws(Problem) -> (any ByteSource)? {
    try source.reopened().map { ConvertingSource($0, plan, mark: mark, log: log) }
  }
}
