internal import Codecs
internal import Rows

/// A file that was converted to its end.
struct ReadInput: Sendable {
  /// The file, its encoding if it is not UTF-8, and its byte order mark.
  let source: any ByteSource, encoding: CharacterEncoding?, mark: Int
  /// The plan by which it was converted, and the number of records that resulted, with the header.
  let plan: TableConverter.Plan, records: Int
}

/// Reads a file again, without the records that repair changed or dropped: the rest needs no repair.
struct InputVerification: ~Copyable {
  private let source: any ByteSource
  private var bytes = ArenaBuilder(), offset = 0
  private var decoder: TextDecoder?
  private var converter: TableConverter
  private var digest = SHA256()

  /// - Parameter headers: the records of the header among the rejects.
  private init(_ source: any ByteSource, _ input: ReadInput, headers: Int) {
    self.source = source
    var plan = input.plan
    plan.repairs = false
    plan.dialect.headerRows = max(0, plan.dialect.headerRows - headers)
    (plan.dialect.skippedRows, plan.dialect.skippedFooter, plan.dialect.comment) = (0, 0, [])
    (plan.dialect.ragged, plan.dialect.table, plan.dialect.names) = (.error, nil, nil)
    if let encoding = input.encoding { decoder = TextDecoder(encoding) }
    converter = TableConverter(plan, name: source.name, mark: input.encoding == nil ? input.mark : 0)
    converter.hasBegun = true
  }

  /// The SHA-256 digest of a file, all of whose bytes are in `rejects` or in a record that needs no repair.
  static func digest(
    of source: any ByteSource, _ input: ReadInput, _ rejects: SpillBuffer
  ) throws(Problem) -> String {
    let heading = Value.text("header")
    var headers = 0, changed = 0
    var first = rejects.batches()
    while let batch = try first.nextTask()?.batch() {
      for row in 0..<batch.count where batch.value(row, 6) == heading { headers += 1 }
    }
    first = rejects.batches()
    var rest = InputVerification(source, input, headers: headers)
    if input.encoding != nil { try rest.take(input.mark, keeps: false) }
    var last = -1, blank = 0
    while let batch = try first.nextTask()?.batch() {
      for row in 0..<batch.count {
        guard case .integer(let start) = batch.value(row, 2), Int(start) != last else { continue }
        last = Int(start)
        try rest.take(last - rest.offset, keeps: true)
        // In a table of one column, empty lines count as records only after the header.
        if batch.value(row, 6) == heading, input.plan.columns == 1 { blank = rest.converter.output.records }
        guard try rest.takeRecord(batch, row) else { throw rest.problem("other bytes than the rejects say") }
        let uncounted = [Reject.Action.dropped, .continued].map { Value.text($0.rawValue) }
        if !uncounted.contains(batch.value(row, 5)), batch.value(row, 6) != heading { changed += 1 }
      }
    }
    try rest.take(nil, keeps: true)
    let isHeaderless = headers > 0 && headers >= input.plan.dialect.headerRows
    let found = rest.converter.output.records + changed + (isHeaderless ? 1 - blank : 0)
    guard found == input.records else {
      throw rest.problem("\(found) records, but \(input.records) were read")
    }
    return rest.digest.hexDigest()
  }

  private func problem(_ what: String) -> Problem {
    Problem(.io, "the rows and rejects are not the file: found \(what)", at: "\(source.name): byte \(offset)")
  }

  /// Takes the bytes of a reject; false if the file has others.
  private mutating func takeRecord(_ batch: RowBatch, _ row: Int) throws(Problem) -> Bool {
    let raw: [UInt8]
    switch (batch.value(row, 7), batch.value(row, 8)) {
    case (.text(let text), _): raw = text
    case (_, .text(let code)): raw = Base64.decode(code) ?? []
    default: return false
    }
    return try next(raw.count) == raw
  }

  /// The next bytes of the file, at most 256 KiB.
  private mutating func next(_ count: Int) throws(Problem) -> [UInt8] {
    while bytes.count < count, try source.read(into: &bytes, limit: max(bytes.room, 1 << 16)) > 0 {}
    let taken = min(count, bytes.count)
    let next = unsafe Array(UnsafeBufferPointer(start: bytes.base, count: taken))
    bytes.removeFirst(taken)
    offset += taken
    digest.update(next)
    return next
  }

  /// Reads the next `count` bytes, nil for all of them, as records if `keeps`.
  private mutating func take(_ count: Int?, keeps: Bool) throws(Problem) {
    var left = count ?? .max
    guard left >= 0 else { throw problem("a reject twice") }
    while left > 0 {
      let piece = try next(min(left, 1 << 16))
      if piece.isEmpty { break }
      left -= piece.count
      if keeps { try convert(piece) }
    }
    if count == nil {
      converter.isAtEnd = true
      try convert([])
    } else if left > 0 {
      throw problem("the end")
    }
  }

  private var undecoded: [UInt8] = []

  private mutating func convert(_ piece: [UInt8]) throws(Problem) {
    var text = piece
    if decoder != nil {
      let encoded = undecoded + piece, isAtEnd = converter.isAtEnd
      text = []
      let used = decoder?.decode(encoded.span, isAtEnd: isAtEnd, into: &text) ?? 0
      undecoded = Array(encoded[used...])
    }
    converter.window.append(text)
    do throws(Problem) {
      while try !converter.convert(), !converter.isFinished { converter.takeOutput() }
    } catch { throw problem(error.message) }
    converter.takeOutput()
  }
}
