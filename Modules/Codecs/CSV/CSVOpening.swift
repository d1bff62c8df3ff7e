import Rows

/// A file whose header was read, and its pieces up to where its types are known.
struct CSVOpening {
  var splitter: CSVSplitter
  var ahead: [CSVPiece] = []
  let header: CSVHeader
  /// Unquoted names in the header that contain a quote.
  let strays: Int
  /// Whether the search for types ended at a quote inside an unquoted field.
  private(set) var hasStrayQuote = false
  /// The caller's choices, completed now that the number of columns is known.
  private(set) var reading: CSVReading

  /// Reads the header.
  /// - Throws: `badData` for a file without one, or one that is malformed or too large.
  init(_ source: any ByteSource, _ reading: CSVReading, _ strayQuotes: CSVStrayQuotes) throws(Problem) {
    splitter = CSVSplitter(source, reading, strayQuotes)
    let (piece, first) = try Self.firstRecord(&splitter, reading, name: source.name)
    strays = first.strays
    let fields = first.fields
    self.reading = reading
    if fields.count == 1, reading.nullText == nil { self.reading.nullText = reading.loneNullText }
    let advice = fields.count == 1 ? CSVHeader.otherDelimiter(piece, reading.delimiter) : nil
    if reading.hasHeader {
      header = CSVHeader(
        fields.map { String(decoding: $0, as: UTF8.self) }, advice, keepsEmpty: reading.types[""] != nil)
    } else {
      let names = reading.names ?? fields.indices.map { "column\($0 + 1)" }
      guard names.count == fields.count else {
        throw Problem(
          .badData, "expected \(names.count) columns as in the metadata, found \(fields.count)",
          at: "\(source.name):1", hint: advice ?? "")
      }
      header = CSVHeader(names, advice, keepsEmpty: names.contains(""))
    }
    splitter.names = header.names
    let start = reading.hasHeader ? first.end : piece.start
    ahead = [CSVPiece(chunk: piece.chunk, start: start, place: piece.place(of: start))]
  }

  /// The first record that is not a blank line, and its piece. In a file of one column without a header, a blank line
  /// is a record.
  private static func firstRecord(
    _ splitter: inout CSVSplitter, _ reading: CSVReading, name: String
  ) throws(Problem) -> (CSVPiece, CSVHeader.First) {
    while let next = try splitter.next() {
      let piece = reading.replacesBadEncoding ? repaired(next) : next
      do throws(CSVFault) {
        var first = try CSVHeader.firstRecord(piece, reading.delimiter, isStrict: splitter.strayQuotes == .refused)
        if first.fields.isEmpty, !reading.hasHeader, reading.names?.count == 1 { first.fields = [[]] }
        if !first.fields.isEmpty { return (piece, first) }
      } catch {
        var problem = problem(error, in: piece, name: name)
        if let advice = CSVHeader.otherDelimiter(piece, reading.delimiter) { problem.hint = advice }
        throw problem
      }
    }
    throw Problem(.badData, "the file is empty (no header row)", at: name)
  }

  /// Types by the first MiB, which stays to be parsed for good.
  mutating func typesOfBeginning() throws(Problem) -> [ColumnType] {
    var inference = CSVInference(width: header.names.count)
    let layout = textLayout
    var bytes = 0, position = 0
    while bytes < 1 << 20 {
      if position == ahead.count {
        guard let piece = try splitter.next() else { break }
        ahead.append(piece)
      }
      let piece = ahead[position]
      bytes += piece.chunk.count
      position += 1
      do throws(CSVFault) { try look(at: piece, layout, &inference) } catch {
        // The fault is reported when the piece is parsed again, with its record.
        hasStrayQuote = error.isStrayQuote
        break
      }
    }
    return inference.types
  }

  /// Types by all there is; nothing is left to be parsed.
  mutating func typesOfWholeFile(named name: String) throws(Problem) -> [ColumnType] {
    var inference = CSVInference(width: header.names.count)
    let layout = textLayout
    while let piece = try ahead.isEmpty ? splitter.next() : ahead.removeFirst() {
      do throws(CSVFault) { try look(at: piece, layout, &inference) } catch {
        throw Self.problem(error, in: piece, name: name)
      }
    }
    return inference.types
  }

  /// All columns as text.
  private var textLayout: CSVLayout {
    let all = Schema("", columns: header.names.map { ColumnDescription($0, .text) })
    return CSVLayout(all, wanted: Array(all.columns.indices), inferred: [], reading: reading, splitter.strayQuotes)
  }

  private func look(at piece: CSVPiece, _ layout: CSVLayout, _ inference: inout CSVInference) throws(CSVFault) {
    var parser = CSVRecordParser(reading.replacesBadEncoding ? Self.repaired(piece) : piece, layout)
    // A text that would have to be decoded is no number either way.
    inference.read(try parser.batch(decoding: false))
  }

  static func problem(_ fault: CSVFault, in piece: CSVPiece, name: String) -> Problem {
    Problem(.badData, fault.message, at: "\(name):\(piece.place(of: fault.offset))", hint: fault.hint)
  }

  /// The same text with U+FFFD for what is not UTF-8.
  static func repaired(_ piece: CSVPiece) -> CSVPiece {
    let text = unsafe String(
      decoding: UnsafeBufferPointer(start: piece.chunk.base + piece.start, count: piece.chunk.count - piece.start),
      as: UTF8.self)
    let bytes = Array(text.utf8)
    let chunk = Chunk(capacity: max(bytes.count, Chunk.usualCapacity))
    for (index, byte) in bytes.enumerated() { unsafe chunk.base[index] = byte }
    chunk.count = bytes.count
    return CSVPiece(chunk: chunk, start: 0, place: piece.place)
  }
}
