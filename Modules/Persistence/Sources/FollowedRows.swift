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
  /// The format of the rows.
  public let format: FileFormat
  private let options: FileInputOptions, name: String
  private let tail: Tail
  private var ready: [RowBatch]
  private var dialect: CSVInput?
  /// Whether the columns have no names in the input.
  public var lacksHeader: Bool { dialect.map { !$0.hasHeader && $0.names == nil } ?? false }
  private var hasFailed = false

  /// Bytes of standard input up to the end of a record.
  private final class Tail {
    private var held: [UInt8] = []
    /// The lines that were given out.
    private(set) var lines = 0
    /// Whether a line end in quotes is part of a field; nil until the first byte tells.
    private var mayQuote: Bool?
    private let input: Int32, name: String

    init(_ input: Int32, _ name: String, mayQuote: Bool?) {
      (self.input, self.name, self.mayQuote) = (input, name, mayQuote)
    }
    deinit { if input != 0 { close(input) } }

    /// The next bytes; nil at the end.
    /// - Parameter pause: milliseconds without bytes after which those that are there are enough; 0 for none.
    func next(pause: Int32) throws(Problem) -> [UInt8]? {
      while true {
        var descriptor = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        let hasRecord = end != nil
        if unsafe poll(&descriptor, 1, hasRecord ? pause : 100) == 0 {
          if hasRecord { break }
          // A failure of the rows that were given out ends the wait.
          if Task.isCancelled { throw Problem(.cancelled, "interrupted") }
          continue
        }
        var block = [UInt8](repeating: 0, count: 1 << 18)
        let count = unsafe read(input, &block, block.count)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        guard count >= 0 else { throw Problem.posix(errno, "read", name) }
        if count == 0 { break }
        held += block[..<count]
        if held.count >= 1 << 20, end != nil { break }
        if held.count > 1 << 28 { throw Problem(.badData, "a record is larger than 256 MiB", at: name) }
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
      if mayQuote == nil { mayQuote = held.first { $0 > 0x20 }.map { $0 != UInt8(ascii: "{") } }
      let mayQuote = mayQuote ?? true
      var isQuoted = false, last: Int?
      for (at, byte) in held.enumerated() {
        if mayQuote, byte == UInt8(ascii: "\"") { isQuoted.toggle() }
        if byte == UInt8(ascii: "\n"), !isQuoted { last = at + 1 }
      }
      return last
    }
  }

  /// Waits for the first rows.
  /// - Parameters:
  ///   - path: a pipe, or `-` for standard input.
  ///   - format: nil to detect it by the first bytes.
  ///   - options: how text is read.
  /// - Throws: `usage` for a file, and for a format that is not read line by line; `badData`.
  public init(_ path: String, _ format: FileFormat?, _ options: FileInputOptions) async throws(Problem) {
    name = path == "-" ? "standard input" : path
    tail = Tail(try Self.opened(path), name, mayQuote: format.map { $0 != .ndjson })
    let first = try tail.next(pause: 100) ?? []
    if FileCompression(beginning: first, of: name) != nil {
      throw Problem(
        .usage, "cannot follow compressed rows", at: name,
        hint: "decompress them first, with gzip -dc")
    }
    let format = format ?? FileFormat(beginning: first, suffix: nil) ?? .csv
    guard [.csv, .tsv, .ndjson].contains(format) else {
      throw Problem(
        .usage, "rows as they arrive can be read only from csv, tsv and ndjson",
        hint: .set(.inputFormat, to: "csv", "tsv", "ndjson"))
    }
    (self.format, self.options) = (format, options)
    let source = MemoryByteSource(first, name: name), table = options.table ?? "input"
    let read: (Schema?) throws(Problem) -> any RowStream
    if format == .ndjson {
      read = { (known) throws(Problem) in
        let way = JSONReading(form: .lines, types: options.types)
        guard let known else { return try JSONRowStream.inferring(source, table: table, way) }
        return JSONRowStream(try source.reopened() ?? source, schema: known, way)
      }
    } else {
      let input = try CSVInput(
        source, sample: first.span, isWhole: true, options.dialect, isTabbed: format == .tsv,
        maximumField: options.maximumField ?? 16 << 20, replacesBadEncoding: options.csv.replacesBadEncoding, log: nil)
      guard input.encoding.encoding == .utf8, input.finding.dialect.isPlain, !options.dialect.repairs else {
        throw Problem(
          .usage, "rows in other encodings, or with other quotes, headers or repairs, cannot be read as they arrive",
          at: name, hint: "read all of them at once, or write UTF-8 with usual quotes")
      }
      dialect = input
      var way = options.csv
      (way.delimiter, way.hasHeader, way.names) = (input.delimiter, input.hasHeader, input.names)
      way.nullTexts = options.nullTexts
      read = { (known) throws(Problem) in
        var way = way
        way.types = known.map { ColumnTypes($0.columns) } ?? options.types
        return try CSVRowStream.inferring(try input.source.reopened() ?? input.source, table: table, way)
      }
    }
    var columns = try await read(nil).withWidening { (rows) throws(Problem) in
      _ = try await rows.collect()
      return rows.schema
    }.columns
    // Other spellings of times may follow.
    for column in columns.indices where options.types[columns[column].name] == nil && columns[column].mayBeSpelledAnew {
      columns[column].spelling = .each
    }
    schema = Schema(table, columns: columns)
    ready = try await read(schema).collect().reversed()
  }

  private static func opened(_ path: String) throws(Problem) -> Int32 {
    var status = stat()
    let input = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard input >= 0, unsafe fstat(input, &status) == 0 else { throw Problem.posix(errno, "open", path) }
    guard path == "-" || status.st_mode & S_IFMT != S_IFREG else {
      close(input)
      throw Problem(
        .usage, "rows as they arrive are read only from pipes and standard input", at: path,
        hint: .advice("read the output of: tail -n +1 -f \(Remedy.shellWord(path))"))
    }
    return input
  }

  /// The rows that have arrived; waits for some.
  public func next() async throws(Problem) -> BatchTask? {
    while true {
      if let batch = ready.popLast() { return BatchTask(ready: batch) }
      if hasFailed { return nil }
      let lines = tail.lines
      guard let bytes = try tail.next(pause: 0) else { return nil }
      do throws(Problem) {
        let rows: any RowStream
        if format == .ndjson {
          rows = JSONRowStream(
            MemoryByteSource(bytes, name: name), schema: schema, JSONReading(form: .lines))
        } else {
          var way = options.csv
          (way.delimiter, way.hasHeader, way.names) = (dialect?.delimiter ?? 44, false, schema.columns.map(\.name))
          (way.types, way.nullTexts) = (ColumnTypes(schema.columns), options.nullTexts)
          rows = try CSVRowStream.inferring(MemoryByteSource(bytes, name: name), table: schema.name, way)
        }
        ready = try await rows.collect().reversed()
      } catch {
        hasFailed = true
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
