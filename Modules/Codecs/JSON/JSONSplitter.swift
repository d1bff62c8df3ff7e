internal import CMasks
import Rows

/// Cuts a document into pieces of whole records as it is read. Only this is serial, so it looks at brackets and line feeds and leaves
/// everything else to whoever parses the pieces. Memory is two chunks, which grow only when a record is larger, up to
/// twice the largest field.
struct JSONSplitter: Sendable {
  private enum Phase { case opening, records, behind, done }

  private let source: any ByteSource
  private let pointer: JSONPointer
  /// The most bytes of a value or key; a record, and the text before and after the records, may have twice as many.
  private let maximumField: Int
  private var phase = Phase.opening
  private var chunk = Chunk()
  /// Where the text that was not given out yet begins in `chunk`.
  private var start = 0
  /// Bytes that `chunk` may hold before it is checked again.
  private var goal = Chunk.usualCapacity
  /// The same place in the document.
  private var place = JSONPlace()
  private var isAtEnd = false
  private var isFirst = true
  /// The closing brackets that must follow the array, innermost first.
  private var closers: [UInt8] = []
  /// `array` or `lines` once something was given out.
  private var form: JSONForm
  /// The text between two records of the array so far.
  private var seam: JSONSeam?
  /// Whether an array may be cut where a record probably ends, by the look of it, which saves counting brackets.
  var mayGuess = false
  /// Whether that was done.
  private(set) var hasGuessed = false

  /// A splitter that has read nothing yet; `pointer` leads to the array.
  init(_ source: any ByteSource, _ reading: JSONReading) {
    self.source = source
    form = reading.form
    pointer = reading.records
    maximumField = reading.maximumField
  }

  /// The next piece; nil at the end.
  mutating func next() throws(Problem) -> JSONPiece? {
    if phase == .opening { try open() }
    if phase == .records { return form == .lines ? try nextLines() : try nextElements() }
    if phase == .behind { try readBehind() }
    return nil
  }

  // MARK: - Pieces

  private mutating func nextLines() throws(Problem) -> JSONPiece? {
    while true {
      try fill()
      if isAtEnd {
        phase = .done
        return start == chunk.count ? nil : cut(at: chunk.count, isLast: true)
      }
      var end = chunk.count
      while end > start, unsafe chunk.base[end - 1] != 0x0A { end -= 1 }
      if end > start { return cut(at: end, isLast: false) }
      try grow()
    }
  }

  private mutating func nextElements() throws(Problem) -> JSONPiece? {
    try fill()
    if mayGuess, !isAtEnd, let border = unsafe seam?.lastBorder(chunk.base, from: start, to: chunk.count) {
      hasGuessed = true
      return cut(at: border, isLast: false)
    }
    var borders = JSONBorders(at: start)
    while true {
      try fill()
      unsafe borders.scan(chunk.base, to: chunk.count)
      if let border = borders.border {
        if border.isEnd {
          phase = .behind
        } else {
          seam = unsafe JSONSeam(behind: border.offset, chunk.base, to: chunk.count)
        }
        if border.isEnd || !isAtEnd { return cut(at: border.offset, isLast: border.isEnd) }
      }
      if isAtEnd {
        phase = .done
        return cut(at: chunk.count, isLast: true)
      }
      let moved = start
      try grow()
      borders.move(by: -moved)
    }
  }

  /// Returns the text up to `end`, and moves the rest to a new chunk.
  private mutating func cut(at end: Int, isLast: Bool) -> JSONPiece {
    let text = chunk
    let count = text.count - end
    let rest = Chunk(capacity: max(Chunk.usualCapacity, count * 2))
    unsafe rest.base.update(from: text.base + end, count: count)
    rest.count = count
    text.count = end
    text.seal()
    let after = unsafe place.advanced(over: text.base + start, count: end - start)
    let piece = JSONPiece(
      chunk: text, start: start, form: form, isFirst: isFirst, isLast: isLast, place: place,
      lines: after.lines - place.lines, isCertain: !hasGuessed)
    isFirst = false
    place = after
    chunk = rest
    start = 0
    goal = rest.capacity
    return piece
  }

  /// Reads until the chunk is as full as it may be or the source ends.
  private mutating func fill() throws(Problem) {
    while !isAtEnd, chunk.count < goal {
      if try source.read(into: chunk, limit: goal - chunk.count) == 0 { isAtEnd = true }
    }
  }

  /// Makes room for a record larger than the chunk, after checking that it is a record and within the limits, so that a
  /// missing quote or an endless value does not fill the memory. Beyond half the largest field it checks every MiB.
  private mutating func grow() throws(Problem) {
    if phase == .records {
      chunk.seal()
      var probe = unsafe JSONProbe(JSONScanner(chunk.base, at: start), form, isFirst: isFirst)
      if let fault = probe.fault(before: chunk.count - 16, end: chunk.count, maximumField) { throw problem(fault) }
    }
    let count = chunk.count - start
    guard count < 2 * maximumField else {
      let what =
        switch phase {
        case .opening: "the array of records does not begin within the first"
        case .records: "the record is larger than"
        case .behind, .done: "the text after the records is larger than"
        }
      let hint = "raise the limit with --max-field: a record may have twice as much"
      throw problem(JSONFault("\(what) \(2 * maximumField >> 20) MiB", at: start, hint: hint))
    }
    if start > 0 || chunk.count == chunk.capacity {
      let room = count < maximumField / 2 ? count * 2 : 2 * maximumField + Chunk.usualCapacity
      let larger = Chunk(capacity: max(Chunk.usualCapacity, room))
      unsafe larger.base.update(from: chunk.base + start, count: count)
      larger.count = count
      chunk = larger
      start = 0
    }
    goal = count < maximumField / 2 ? chunk.capacity : min(chunk.capacity, count + 1 << 20)
  }

  private func problem(_ fault: JSONFault, hint: String = "") -> Problem {
    let place = unsafe place.advanced(over: chunk.base + start, count: fault.offset - start)
    return Problem(.badData, fault.message, at: "\(source.name):\(place)", hint: hint.isEmpty ? fault.hint : hint)
  }

  // MARK: - Before and after the records

  /// Finds where the records begin.
  private mutating func open() throws(Problem) {
    try fill()
    chunk.seal()
    var scanner = unsafe JSONScanner(chunk.base)
    if scanner.byte == 0xEF, scanner.byte(1) == 0xBB, scanner.byte(2) == 0xBF { scanner.at = 3 }
    if form != .lines { scanner.skipSpace() }
    advance(to: scanner.at)
    if form != .lines { try skipSpace() }
    while form != .lines, phase == .opening {
      let opening = unsafe JSONOpening(JSONScanner(chunk.base, at: start), end: chunk.count, isWhole: isAtEnd)
      let finding: JSONOpening.Finding
      do throws(JSONFault) {
        finding = try opening.records(at: pointer, form: form)
      } catch {
        throw problem(error, hint: opening.hint(pointer))
      }
      switch finding {
      case .lines: form = .lines
      case .array(let offset, let closers):
        form = .array
        self.closers = closers
        phase = .records
        advance(to: offset)
      case .notYet:
        try grow()
        try fill()
        chunk.seal()
      }
    }
    phase = .records
  }

  /// Passes over white space that fills the whole chunk, however long it is.
  private mutating func skipSpace() throws(Problem) {
    while start == chunk.count, !isAtEnd {
      chunk = Chunk()
      (start, goal) = (0, chunk.capacity)
      try fill()
      chunk.seal()
      var scanner = unsafe JSONScanner(chunk.base)
      scanner.skipSpace()
      advance(to: scanner.at)
    }
  }

  private mutating func advance(to offset: Int) {
    place = unsafe place.advanced(over: chunk.base + start, count: offset - start)
    start = offset
  }

  /// Reads the text after the array, which must only close open brackets.
  private mutating func readBehind() throws(Problem) {
    while true {
      try fill()
      chunk.seal()
      var scanner = unsafe JSONScanner(chunk.base, at: start)
      scanner.skipSpace()
      advance(to: scanner.at)
      try skipSpace()
      scanner = unsafe JSONScanner(chunk.base, at: start)
      var probe = JSONProbe(scanner, .array, isFirst: false)
      guard let fault = probe.faultBehind(closers, end: chunk.count) else {
        if isAtEnd { break }
        closers = []
        advance(to: chunk.count)
        try grow()
        continue
      }
      if isAtEnd || fault.offset < chunk.count - 16 { throw problem(fault) }
      try grow()
    }
    phase = .done
  }
}

extension Chunk {
  /// Writes NULs after the bytes, which stop scanners.
  func seal() { unsafe (base + count).update(repeating: 0, count: 64) }
}
