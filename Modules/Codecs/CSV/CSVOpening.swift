import Rows

/// A file whose header was read, and its pieces up to where its types are known.
struct CSVOpening {
  var splitter: CSVSplitter
  var ahead: [PieceTask<CSVPiece>] = []
  let header: CSVHeader
  /// Unquoted names in the header that contain a quote.
  let strays: Int
  /// Whether the search for types ended at a quote inside an unquoted field.
  private(set) var hasStrayQuote = false
  /// The caller's choices, completed now that the number of columns is known.
  private(set) var reading: CSVReading

  /// Reads the header.
  /// - Throws: `badData` for a file without one, or one that is malformed or too large.
  /// - Parameter part: the bytes of the file in which the records begin that are given; nil for all.
  init(
    _ source: any ByteSource, _ reading: CSVReading, _ strayQuotes: CSVStrayQuotes, part: Range<Int>? = nil
  ) throws(Problem) {
    splitter = CSVSplitter(source, reading, strayQuotes)
    var first = CSVHeader.First(end: 0)
    let piece = try Self.firstRecord(&splitter, reading, name: source.name, &first)
    strays = first.strays
    let fields = first.fields
    self.reading = reading
    if fields.count == 1, reading.nullTexts.isEmpty, let null = reading.loneNullText { self.reading.nullTexts = [null] }
    if reading.hasHeader {
      header = CSVHeader(fields.map { String(decoding: $0, as: UTF8.self) }, keepsEmpty: reading.types[""] != nil)
    } else {
      let names = reading.names ?? fields.indices.map { "column\($0 + 1)" }
      guard names.count == fields.count else {
        throw Problem(
          .badData, "expected \(names.count) column\(names.count == 1 ? "" : "s") as named, found \(fields.count)",
          at: "\(source.name):1")
      }
      header = CSVHeader(names, keepsEmpty: names.contains(""))
    }
    splitter.names = header.names
    let start = reading.hasHeader ? first.end : piece.start
    splitter.part = part
    guard let part else {
      ahead = [PieceTask(piece.dropping(before: start))]
      return
    }
    let records = piece.dropping(before: start), begin = records.place.offset
    if reading.areLines, let file = source as? any RandomAccessSource {
      splitter.follow(try FileRange.lines(of: file, in: max(begin, part.lowerBound)..<max(begin, part.upperBound)))
    } else if let found = records.records(in: part, reading.delimiter) {
      ahead = [PieceTask(found)]
    }
  }

  /// The first record that is not a blank line, and its piece. In a file of one column without a header, a blank line
  /// is a record.
  private static func firstRecord(
    _ splitter: inout CSVSplitter, _ reading: CSVReading, name: String, _ first: inout CSVHeader.First
  ) throws(Problem) -> CSVPiece {
    while let next = try splitter.next() {
      let piece = reading.replacesBadEncoding ? repaired(next) : next
      do throws(CSVSyntaxError) {
        first = try CSVHeader.firstRecord(piece, reading.delimiter, isStrict: splitter.strayQuotes == .refused)
        if first.fields.isEmpty, !reading.hasHeader, reading.names?.count == 1 { first.fields = [[]] }
        if !first.fields.isEmpty { return piece }
      } catch {
        throw problem(error, in: piece, name: name)
      }
    }
    throw Problem(.badData, "the file is empty (no header row)", at: name)
  }

  /// Types by the first MiB, which stays to be parsed for good.
  mutating func typesOfBeginning() throws(Problem) -> [InferredType] {
    var inference = CSVInference(header.names, reading.inferred, keepsSpellings: reading.keepsSpellings)
    let layout = textLayout
    var bytes = 0, position = 0
    // A field that is too large is reported before anything is written.
    if inference.isDecided, let piece = try splitter.next() { ahead.append(PieceTask(piece)) }
    while bytes < 1 << 20, !inference.isDecided {
      if position == ahead.count {
        guard let piece = try splitter.next() else { break }
        ahead.append(PieceTask(piece))
      }
      position += 1
      do throws(CSVSyntaxError) {
        try ahead[position - 1].inspect { (piece) throws(CSVSyntaxError) in
          bytes += piece.text.count
          try infer(&inference, from: piece, layout)
        }
      } catch {
        // The fault is reported when the piece is parsed again, with its record.
        hasStrayQuote = error.isStrayQuote
        break
      }
    }
    return inference.types
  }

  /// Types by all there is; nothing is left to be parsed.
  mutating func typesOfWholeFile(named name: String) throws(Problem) -> [InferredType] {
    var inference = CSVInference(header.names, reading.inferred, keepsSpellings: reading.keepsSpellings)
    let layout = textLayout
    while let task = try next() {
      try task.inspect { (piece) throws(Problem) in
        do throws(CSVSyntaxError) { try infer(&inference, from: piece, layout) } catch {
          throw Self.problem(error, in: piece, name: name)
        }
      }
    }
    return inference.types
  }

  private var textLayout: CSVLayout {
    let all = Schema("", columns: header.names.map { ColumnDescription($0, .text) })
    return CSVLayout(all, wanted: Array(all.columns.indices), inferred: [], reading: reading, splitter.strayQuotes)
  }

  /// The next piece, still to be parsed; nil at the end.
  mutating func next() throws(Problem) -> PieceTask<CSVPiece>? {
    if !ahead.isEmpty { return ahead.removeFirst() }
    guard let piece = try splitter.next() else { return nil }
    return PieceTask(piece)
  }

  private func infer(
    _ inference: inout CSVInference, from piece: borrowing CSVPiece, _ layout: CSVLayout
  ) throws(CSVSyntaxError) {
    if reading.replacesBadEncoding { return try Self.infer(&inference, Self.repaired(piece), layout) }
    try Self.infer(&inference, piece, layout)
  }

  private static func infer(
    _ inference: inout CSVInference, _ piece: borrowing CSVPiece, _ layout: CSVLayout
  ) throws(CSVSyntaxError) {
    var parser = unsafe CSVRecordParser(piece, layout)
    try parser.parse()
    // A text that would have to be decoded cannot be a number.
    parser.infer(&inference)
  }

  static func problem(_ fault: CSVSyntaxError, in piece: borrowing CSVPiece, name: String) -> Problem {
    Problem(.badData, fault.message, at: "\(name):\(piece.place(of: fault.offset))", hint: fault.hint)
  }

  /// The same text with U+FFFD for what is not UTF-8.
  static func repaired(_ piece: borrowing CSVPiece) -> CSVPiece {
    let bytes = unsafe UnsafeBufferPointer(start: piece.text.base + piece.start, count: piece.text.count - piece.start)
    let repaired = unsafe Array(String(decoding: bytes, as: UTF8.self).utf8)
    var text = ArenaBuilder(capacity: max(repaired.count, Arena.usualCapacity))
    text.append(repaired)
    return CSVPiece(text: text, start: 0, place: piece.place)
  }
}
