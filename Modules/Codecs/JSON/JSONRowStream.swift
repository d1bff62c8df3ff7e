public import Rows
internal import Synchronization

/// The options for reading a JSON document as a table.
public struct JSONReading: Sendable {
  /// The arrangement of the records in the document.
  var form: JSONForm
  /// Where the array of records is; the empty pointer is the document itself.
  var records: JSONPointer
  /// Types of columns, by name, that are not to be inferred.
  var types: ColumnTypes
  /// The names of the required columns; nil for all. Unknown names are ignored.
  var columns: [String]?
  /// The most bytes that one value or key may have; a record may have twice as many.
  public var maximumField: Int
  /// Whether keys that a given schema does not have are skipped; else they are `badData`.
  var ignoresOtherKeys: Bool

  /// Whether times in several spellings have a type: the cells then end with the spellings.
  public var keepsSpellings = false

  /// Whether the bracket that opens the array was put before the document.
  public var isJoined = false

  /// The usual way: everything, as it is found.
  public init(
    form: JSONForm = .automatic, records: JSONPointer = JSONPointer(steps: []), types: ColumnTypes = [:],
    columns: [String]? = nil, maximumField: Int = 16 << 20, ignoresOtherKeys: Bool = false
  ) {
    self.form = form
    self.records = records
    self.types = types
    self.columns = columns
    self.maximumField = maximumField
    self.ignoresOtherKeys = ignoresOtherKeys
  }
}

/// The records of a JSON document: an array of objects, or one object per line.
///
/// `next` only splits the document into pieces; the returned work parses them, on any core. Strings are ranges of the
/// input, numbers keep their literal, nested values are canonical; a missing key is null. Throws `badData` with
/// `name:line:column` (columns in bytes) and the record for anything that is not JSON in UTF-8, duplicate keys,
/// unpaired surrogates, and values that do not fit their column's type. Memory does not depend on the size of the
/// document, only on that of its largest record.
public final class JSONRowStream: ExactRowStream {
  /// The columns that are needed.
  public let schema: Schema

  private let source: any ByteSource
  private let table: String
  private let reading: JSONReading
  private let layout: JSONLayout
  private let state: Mutex<State>
  /// The data for inferring the schema; nil if it was given.
  private let inference: Inference?
  private let failure = Mutex<Failure?>(nil)

  private struct State: ~Copyable, Sendable {
    var splitter: JSONSplitter
    /// Pieces that were read to infer the schema.
    var ahead: [PieceTask<JSONPiece>] = []
  }

  private struct Inference: Sendable {
    let found: JSONInference
    /// Positions of the columns whose type it says.
    let columns: Set<Int>
    /// Streams that were contradicted before this one.
    let contradictions: Int
  }
  /// The reason for a restart. The first failure in document order decides: later pieces may have been split
  /// incorrectly.
  private struct Failure: Sendable {
    let offset: Int
    /// The piece that holds a value or a key that was not foreseen; nil when the text was perhaps cut in a wrong place.
    let contradiction: PieceTask<JSONPiece>?
  }
  /// The number of restarts with the contents of the contradicting pieces; after that the whole document is read first.
  private static let patience = 3

  /// The records of a document whose columns are known. A key that `schema` does not have is `badData` unless `reading`
  /// ignores it; `types` is not looked at.
  public convenience init(_ source: any ByteSource, schema: Schema, _ reading: JSONReading = JSONReading()) {
    let splitter = JSONSplitter(source, reading)
    self.init(source, schema, reading, State(splitter: splitter), nil)
  }

  /// The records of a document whose columns are inferred from its first MiB: in order of first appearance, with the
  /// narrowest types that preserve every value. `widened` handles later values that contradict them.
  ///
  /// - Throws: `badData` for a document that is not a table; `usage` for an unknown column name in `types`.
  public static func inferring(
    _ source: any ByteSource, table: String, _ reading: JSONReading = JSONReading()
  ) throws(Problem) -> JSONRowStream {
    var state = State(splitter: JSONSplitter(source, reading))
    var inference = JSONInference(keepsSpellings: reading.keepsSpellings)
    var bytes = 0
    var isWhole = false
    let isReadOnce = try source.reopened() == nil
    if isReadOnce, !reading.types.isEmpty { state.splitter.firstLines = 500 }
    while bytes < 1 << 20 {
      guard let piece = try state.splitter.next() else {
        isWhole = true
        break
      }
      bytes += piece.text.count
      do throws(JSONSyntaxError) {
        try inference.read(piece)
      } catch {
        throw problem(error, in: piece, name: source.name)
      }
      let isLast = piece.context.isLast
      state.ahead.append(PieceTask(piece))
      // Rows of a pipe whose types are all given do not wait for others.
      if isReadOnce, !isLast, !reading.types.isEmpty, reading.form == .lines {
        let (schema, inferred) = try inference.schema(table, types: reading.types, isWhole: false)
        if inferred.isEmpty { return JSONRowStream(source, schema, reading, state, nil) }
      }
    }
    if !isWhole { state.splitter.mayGuess = !isReadOnce }
    return try inferred(source, table, reading, state, inference, isWhole: isWhole, contradictions: 0)
  }

  private static func inferred(
    _ source: any ByteSource, _ table: String, _ reading: JSONReading, _ state: consuming State, _ found: JSONInference,
    isWhole: Bool, contradictions: Int
  ) throws(Problem) -> JSONRowStream {
    let (schema, columns) = try found.schema(table, types: reading.types, isWhole: isWhole)
    let inference = Inference(found: found, columns: columns, contradictions: contradictions)
    return JSONRowStream(source, schema, reading, state, inference)
  }

  private init(
    _ source: any ByteSource, _ whole: Schema, _ reading: JSONReading, _ state: consuming State, _ inference: Inference?
  ) {
    let wanted = reading.columns.map { names in
      whole.columns.indices.filter { names.contains(whole.columns[$0].name) }
    }
    let slots = wanted ?? Array(whole.columns.indices)
    schema = whole.projected(to: slots)
    table = whole.name
    // A key that is missing so far may be one of those that are needed.
    let hasAll = reading.columns.map { $0.count == slots.count } ?? false
    layout = JSONLayout(
      whole, wanted: slots, inferred: inference?.columns ?? [], maximumField: reading.maximumField,
      ignoresOtherKeys: inference == nil ? reading.ignoresOtherKeys : hasAll, types: reading.types)
    self.source = source
    self.reading = reading
    self.inference = inference
    self.state = Mutex(state)
  }

  /// The warnings of the source.
  public var notes: [Warning] { source.notes }
  /// Whether types were found by looking at the beginning alone.
  public var mayWiden: Bool { inference != nil && !(source is FileRange) }

  /// The next piece of the document, still to be parsed.
  public func next() async throws(Problem) -> BatchTask? { try nextWork() }

  /// The same for who does not wait for others.
  public func nextWork() throws(Problem) -> BatchTask? {
    let task = try state.withLock { (state) throws(Problem) -> PieceTask<JSONPiece>? in
      if !state.ahead.isEmpty { return state.ahead.removeFirst() }
      do throws(Problem) {
        guard let piece = try state.splitter.next() else { return nil }
        return PieceTask(piece)
      } catch {
        if state.splitter.hasGuessed { note(Failure(offset: .max, contradiction: nil)) }
        throw error
      }
    }
    guard let task else { return nil }
    return BatchTask { [self] () throws(Problem) in try task.batch(parse) }
  }

  /// The records of the lines that begin in a part of the file's bytes, with the columns and types that the beginning
  /// of the file shows.
  /// - Parameter range: the part, given the size.
  /// - Returns: nil for an array, and for a source that cannot be read at any place.
  public func part(_ range: (_ size: Int) -> Range<Int>) throws(Problem) -> JSONRowStream? {
    guard reading.form == .lines, let inference, let file = source as? any RandomAccessSource else { return nil }
    (source as? any PlannedSource)?.willRead([[range(file.length)]], mayEnd: false)
    let lines = try FileRange.lines(of: file, in: range(file.length))
    return try Self.inferred(
      lines, table, reading, State(splitter: JSONSplitter(lines, reading)), inference.found, isWhole: false,
      contradictions: inference.contradictions)
  }

  /// The document from its beginning, with the same types.
  public func reopened() async throws(Problem) -> (any RowStream)? {
    guard let inference, let again = try source.reopened() else { return nil }
    var state = State(splitter: JSONSplitter(again, reading))
    state.splitter.mayGuess = self.state.withLock { $0.splitter.mayGuess }
    return try Self.inferred(
      again, table, reading, state, inference.found, isWhole: false, contradictions: inference.contradictions)
  }

  /// After a value that contradicts the inferred types, if the document can be read again: the same records from the
  /// beginning, with columns and types that fit that value as well. The fourth time the whole document is read first,
  /// so there is no fifth. After any failure that a wrong split may have caused: split at brackets.
  public func widened() async throws(Problem) -> (any RowStream)? {
    guard let inference, let failure = failure.withLock({ $0 }), !(source is FileRange),
      let again = try source.reopened()
    else { return nil }
    var state = State(splitter: JSONSplitter(again, reading))
    guard let piece = failure.contradiction else {
      return try Self.inferred(
        again, table, reading, state, inference.found, isWhole: false, contradictions: inference.contradictions)
    }
    var found = inference.found
    let isWhole = inference.contradictions >= Self.patience
    if isWhole {
      guard let other = try source.reopened() else { return nil }
      var splitter = JSONSplitter(other, reading)
      while let piece = try splitter.next() {
        do throws(JSONSyntaxError) {
          try found.read(piece)
        } catch {
          throw Self.problem(error, in: piece, name: source.name)
        }
      }
    } else {
      // Later errors of the piece are reported when it is parsed again.
      do throws(JSONSyntaxError) {
        try piece.inspect { (piece) throws(JSONSyntaxError) in try found.read(piece) }
      } catch {}
    }
    state.splitter.mayGuess = self.state.withLock { $0.splitter.mayGuess }
    return try Self.inferred(
      again, table, reading, state, found, isWhole: isWhole, contradictions: inference.contradictions + 1)
  }

  private static func problem(
    _ fault: JSONSyntaxError, in piece: borrowing JSONPiece, name: String, record: Int? = nil, linesBefore: Int = 0
  ) -> Problem {
    var place = piece.place(of: fault.offset)
    place.lines += linesBefore
    return Problem(.badData, fault.message, at: "\(name):\(place)", hint: fault.hint, record: record)
  }

  private func parse(_ piece: consuming JSONPiece) -> Result<RowBatch, Problem> {
    var parser = unsafe JSONRecordParser(piece, layout)
    do throws(JSONSyntaxError) {
      try parser.parse()
    } catch {
      let before: Int
      do throws(Problem) { before = try (source as? FileRange)?.linesBefore() ?? 0 } catch { return .failure(error) }
      var problem = Self.problem(error, in: piece, name: source.name, record: parser.count, linesBefore: before)
      if let column = error.column, column >= 0, layout.columns[column].isGiven, problem.hint.description.isEmpty {
        problem.hint = .set(
          .columnTypes, to: "\(NameListParser.written(layout.columns[column].name))=text", for: "set the column type")
      }
      if inference == nil, !reading.types.isEmpty, error.column == -1 {
        problem.hint = .set(.columnTypes, for: "name a type for this key, too")
      }
      if inference != nil {
        let isContradiction = error.column.map { $0 < 0 || layout.columns[$0].isInferred } ?? false
        if isContradiction, let column = error.column, column >= 0 {
          problem.hint = .set(
            .columnTypes, to: "\(NameListParser.written(layout.columns[column].name))=json", for: "set the column type")
        }
        let offset = piece.context.place.offset
        if isContradiction {
          note(Failure(offset: offset, contradiction: PieceTask(piece)))
        } else if !piece.context.isCertain {
          note(Failure(offset: offset, contradiction: nil))
        }
      }
      return .failure(problem)
    }
    let cells = parser.finish(), tail = parser.tail
    if !tail.isEmpty { piece.text.append(tail) }
    return .success(
      unsafe RowBatch(width: layout.width, count: parser.count, uncheckedCells: cells, arena: piece.text.freeze()))
  }

  private func note(_ new: Failure) {
    failure.withLock { known in
      if let first = known, first.offset <= new.offset { return }
      known = new
    }
  }
}
