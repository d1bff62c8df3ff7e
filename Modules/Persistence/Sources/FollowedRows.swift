import Codecs
import Dialects
public import Domain
import Files
import Glibc
public import Rows

/// The rows of standard input as they arrive: a batch for those at hand, which is given out at once.
///
/// Types are those that are given, else those of the rows before the first pause. A later value that does not fit them
/// is an error; the rows before it were given out.
public final class FollowedRows: ExactRowStream, @unchecked Sendable {
  /// The columns.
  public let schema: Schema
  private let format: FileFormat, options: FileInputOptions
  private let tail: Tail
  /// One task at a time reads.
  private var ready: [RowBatch]
  private var dialect: CSVInput?

  /// Bytes of standard input up to the end of a record.
  private final class Tail {
    private var held: [UInt8] = []
    /// The lines that were given out.
    private(set) var lines = 0
    private let mayQuote: Bool

    init(mayQuote: Bool) { self.mayQuote = mayQuote }

    /// The next bytes; nil at the end.
    /// - Parameter pause: milliseconds without bytes after which those that are there are enough; 0 for none.
    func next(pause: Int32) throws(Problem) -> [UInt8]? {
      while true {
        var descriptor = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        let isWaiting = end != nil
        if isWaiting, unsafe poll(&descriptor, 1, pause) == 0 { break }
        var block = [UInt8](repeating: 0, count: 1 << 18)
        let count = unsafe read(0, &block, block.count)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        guard count >= 0 else { throw Problem.posix(errno, "read", "standard input") }
        if count == 0 { break }
        held += block[..<count]
        if held.count >= 1 << 20, end != nil { break }
        if held.count > 1 << 28 { throw Problem(.badData, "a record is larger than 256 MiB", at: "standard input") }
      }
      // The last record may have no line end.
      let count = end ?? held.count
      if count == 0 { return nil }
      let bytes = Array(held[..<count])
      held.removeSubrange(..<count)
      lines += bytes.count { $0 == UInt8(ascii: "\n") }
      return bytes
    }

    /// The number of bytes up to the end of the last complete record; nil if there is none.
    private var end: Int? {
      var isQuoted = false, last: Int?
      for (at, byte) in held.enumerated() {
        if mayQuote, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        if byte == UInt8(ascii: "\n"), !isQuoted { last = at + 1 }
      }
      return last
    }
  }

  /// Waits for the first rows.
  /// - Throws: `usage` for a format that is not read line by line; `badData`.
  public init(_ format: FileFormat, _ options: FileInputOptions) async throws(Problem) {
    guard [.csv, .tsv, .ndjson].contains(format) else {
      throw Problem(
        .usage, "rows as they arrive can be read only from csv, tsv and ndjson",
        hint: .set(.inputFormat, to: "csv", "tsv", "ndjson"))
    }
    (self.format, self.options) = (format, options)
    tail = Tail(mayQuote: format != .ndjson)
    let first = try tail.next(pause: 100) ?? []
    let stream: any RowStream
    if format == .ndjson {
      stream = try JSONRowStream.inferring(
        MemoryByteSource(first, name: "standard input"), table: options.table ?? "input",
        JSONReading(form: .lines, types: options.types))
    } else {
      let source = MemoryByteSource(first, name: "standard input")
      let input = try CSVInput(
        source, sample: first.span, isWhole: true, options.dialect, isTabbed: format == .tsv,
        maximumField: options.maximumField ?? 16 << 20, replacesBadEncoding: false, log: nil)
      dialect = input
      var way = options.csv
      (way.delimiter, way.hasHeader, way.names) = (input.delimiter, input.hasHeader, input.names)
      (way.types, way.nullTexts) = (options.types, options.nullTexts)
      stream = try CSVRowStream.inferring(input.source, table: options.table ?? "input", way)
    }
    let (schema, batches) = try await stream.withWidening { (rows) throws(Problem) in
      (rows.schema, try await rows.collect())
    }
    (self.schema, ready) = (schema, batches.reversed())
  }

  /// The rows that have arrived; waits for some.
  public func next() async throws(Problem) -> BatchTask? {
    while true {
      if let batch = ready.popLast() { return BatchTask(ready: batch) }
      let lines = tail.lines
      guard let bytes = try tail.next(pause: 0) else { return nil }
      do throws(Problem) {
        let rows: any RowStream
        if format == .ndjson {
          rows = JSONRowStream(
            MemoryByteSource(bytes, name: "standard input"), schema: schema, JSONReading(form: .lines))
        } else {
          var way = options.csv
          (way.delimiter, way.hasHeader, way.names) = (dialect?.delimiter ?? 44, false, schema.columns.map(\.name))
          (way.types, way.nullTexts) = (ColumnTypes(schema.columns), options.nullTexts)
          rows = try CSVRowStream.inferring(MemoryByteSource(bytes, name: "standard input"), table: schema.name, way)
        }
        ready = try await rows.collect().reversed()
      } catch {
        throw Self.moved(error, by: lines)
      }
    }
  }

  /// A problem whose line is counted from the beginning of the input.
  private static func moved(_ problem: Problem, by lines: Int) -> Problem {
    var moved = problem,
      parts = problem.place.utf8.split(separator: UInt8(ascii: ":")).map { String(decoding: $0, as: UTF8.self) }
    guard parts.count > 1, let line = Int(parts[1]) else { return problem }
    parts[1] = String(line + lines)
    moved.place = parts.joined(separator: ":")
    moved.record = nil
    return moved
  }
}
