internal import CMasks
import Rows

/// Cuts a document into pieces of whole records as it is read.
///
/// Only this is serial, so it examines brackets and line feeds and leaves everything else to the parsers of the pieces.
/// Memory is two texts, which grow only when a record is larger, up to twice the largest field.
struct JSONSplitter: ~Copyable, Sendable {
  private enum Phase { case opening, records, behind, done }

  private let source: any ByteSource
  private let pointer: JSONPointer
  /// The most bytes of a value or key; a record, and the text before and after the records, may have twice as many.
  private let maximumField: Int
  private var phase = Phase.opening
  private var text = ArenaBuilder()
  /// Where the text that was not given out yet begins in `text`.
  private var start = 0
  /// Bytes that `text` may hold before it is checked again.
  private var goal = Arena.usualCapacity
  private var place = JSONPlace()
  private var isAtEnd = false
  private var isFirst = true
  /// The closing brackets that must follow the array, innermost first.
  private var closers: [UInt8] = []
  /// `array` or `lines` once something was given out.
  private var form: JSONForm
  /// The text between two records of the array so far.
  private var seam: JSONRecordBoundary?
  /// Whether an array may be cut where a record probably ends, by the look of it, which saves counting brackets.
  var mayGuess = false
  private(set) var hasGuessed = false
  /// The lines after which the first piece may end; nil if it is as full as the others.
  var firstLines: Int?
  /// The line ends in the text so far, counted only for them.
  private var lineEnds = 0

  /// A splitter that has read nothing yet; `pointer` leads to the array.
  init(_ source: any ByteSource, _ reading: JSONReading) {
    self.source = source
    form = reading.form
    pointer = reading.records
    maximumField = reading.maximumField
    if reading.isJoined { place.offset = -1 }
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
        return start == text.count ? nil : cut(at: text.count, isLast: true)
      }
      var end = text.count
      while end > start, unsafe text.base[end - 1] != 0x0A { end -= 1 }
      if end > start { return cut(at: end, isLast: false) }
      try grow()
    }
  }

  private mutating func nextElements() throws(Problem) -> JSONPiece? {
    try fill()
    if mayGuess, !isAtEnd, let border = unsafe seam?.lastBorder(text.base, from: start, to: text.count) {
      hasGuessed = true
      return cut(at: border, isLast: false)
    }
    var borders = JSONRecordFraming(at: start)
    while true {
      try fill()
      unsafe borders.scan(text.base, to: text.count)
      if let border = borders.border {
        if border.isEnd {
          phase = .behind
        } else {
          seam = unsafe JSONRecordBoundary(behind: border.offset, text.base, to: text.count)
        }
        if border.isEnd || !isAtEnd { return cut(at: border.offset, isLast: border.isEnd) }
      }
      if isAtEnd {
        phase = .done
        return cut(at: text.count, isLast: true)
      }
      let moved = start
      try grow()
      borders.move(by: -moved)
    }
  }

  /// Returns the text up to `end`, and moves the rest to a new text.
  private mutating func cut(at end: Int, isLast: Bool) -> JSONPiece {
    let count = text.count - end
    var rest = ArenaBuilder(capacity: max(Arena.usualCapacity, count * 2))
    unsafe rest.append(RawSpan(_unsafeStart: text.base + end, byteCount: count))
    text.truncate(to: end)
    text.seal()
    let after = place.advanced(over: text, from: start, to: end)
    let context = JSONPiece.Context(
      start: start, form: form, isFirst: isFirst, isLast: isLast, place: place, lines: after.lines - place.lines,
      isCertain: !hasGuessed)
    swap(&text, &rest)
    isFirst = false
    place = after
    start = 0
    goal = text.capacity
    return JSONPiece(text: rest, context: context)
  }

  /// Reads until the text is as full as it may be or the source ends.
  private mutating func fill() throws(Problem) {
    while !isAtEnd, text.count < goal {
      if isFirst, form == .lines, let firstLines, lineEnds >= firstLines { return }
      let known = text.count
      if try source.read(into: &text, limit: goal - known) == 0 { isAtEnd = true }
      if isFirst, firstLines != nil { lineEnds += (known..<text.count).count { unsafe text.base[$0] == 0x0A } }
    }
  }

  /// Makes room for a record larger than the text so far, after checking that it is a record and within the limits, so
  /// that a missing quote or an endless value does not fill the memory. Beyond half the largest field it checks every
  /// MiB.
  private mutating func grow() throws(Problem) {
    if phase == .records {
      text.seal()
      var probe = unsafe JSONProbe(JSONScanner(text.base, at: start), form, isFirst: isFirst)
      if let fault = probe.fault(before: text.count - 16, end: text.count, maximumField) { throw problem(fault) }
    }
    let count = text.count - start
    guard count < 2 * maximumField else {
      let what =
        switch phase {
        case .opening: "the array of records does not begin within the first"
        case .records: "the record is larger than"
        case .behind, .done: "the text after the records is larger than"
        }
      let hint = Remedy.raise(.maximumField).after("a record may have twice the size of a value")
      throw problem(JSONSyntaxError("\(what) \(2 * maximumField >> 20) MiB", at: start, hint: hint))
    }
    if start > 0 || text.count == text.capacity {
      let room = count < maximumField / 2 ? count * 2 : 2 * maximumField + Arena.usualCapacity
      text.removeFirst(start)
      text.reserve(room)
      start = 0
    }
    goal = count < maximumField / 2 ? text.capacity : min(text.capacity, count + 1 << 20)
  }

  private func problem(_ fault: JSONSyntaxError, hint: Remedy = "") -> Problem {
    let place = place.advanced(over: text, from: start, to: max(start, min(fault.offset, text.count)))
    return Problem(.badData, fault.message, at: "\(source.name):\(place)", hint: hint.isEmpty ? fault.hint : hint)
  }

  // MARK: - Before and after the records

  /// Finds where the records begin.
  private mutating func open() throws(Problem) {
    try fill()
    text.seal()
    var scanner = unsafe JSONScanner(text.base)
    if scanner.byte == 0xEF, scanner.byte(1) == 0xBB, scanner.byte(2) == 0xBF { scanner.at = 3 }
    if form != .lines { scanner.skipSpace() }
    advance(to: scanner.at)
    if form != .lines { try skipSpace() }
    while form != .lines, phase == .opening {
      let opening = unsafe JSONOpening(JSONScanner(text.base, at: start), end: text.count, isWhole: isAtEnd)
      let finding: JSONOpening.Finding
      do throws(JSONSyntaxError) {
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
        text.seal()
      }
    }
    phase = .records
  }

  /// Passes over white space that fills the whole text, however long it is.
  private mutating func skipSpace() throws(Problem) {
    while start == text.count, !isAtEnd {
      text.removeAll()
      (start, goal) = (0, text.capacity)
      try fill()
      text.seal()
      var scanner = unsafe JSONScanner(text.base)
      scanner.skipSpace()
      advance(to: scanner.at)
    }
  }

  private mutating func advance(to offset: Int) {
    place = place.advanced(over: text, from: start, to: offset)
    start = offset
  }

  /// Reads the text after the array, which must only close open brackets.
  private mutating func readBehind() throws(Problem) {
    while true {
      try fill()
      text.seal()
      var scanner = unsafe JSONScanner(text.base, at: start)
      scanner.skipSpace()
      advance(to: scanner.at)
      try skipSpace()
      scanner = unsafe JSONScanner(text.base, at: start)
      var probe = JSONProbe(scanner, .array, isFirst: false)
      guard let fault = probe.faultBehind(closers, end: text.count) else {
        if isAtEnd { break }
        closers = []
        advance(to: text.count)
        try grow()
        continue
      }
      if isAtEnd || fault.offset < text.count - 16 { throw problem(fault) }
      try grow()
    }
    phase = .done
  }
}

extension ArenaBuilder {
  /// Writes NULs after the bytes, which stop scanners.
  func seal() { unsafe (base + count).update(repeating: 0, count: 64) }
}
