internal import Codecs
public import Rows

/// A CSV file of which the dialect is known: what a reader of RFC 4180 needs to read it.
public struct CSVInput: Sendable {
  /// The text, converted if necessary.
  public let source: any ByteSource
  /// The byte between its fields.
  public let delimiter: UInt8
  /// Whether it begins with the names of the columns, and the names if it does not.
  public let hasHeader: Bool, names: [String]?
  /// The dialect and what led to it.
  public let finding: DialectFinding
  /// The encoding of the original.
  public let encoding: CharacterEncoding.Finding
  /// The warnings for the user.
  public let warnings: [Warning]

  /// Determines the dialect of a file.
  /// - Parameters:
  ///   - source: the file.
  ///   - sample: its first bytes, up to `DialectSniffer.sampleSize`.
  ///   - isWhole: whether they are all there is.
  ///   - isTabbed: whether the name of the file says that tabs separate the fields.
  ///   - log: where records go that are changed or dropped.
  /// - Throws: `badData` if something must be decided by the user.
  public init(
    _ source: any ByteSource, sample: Span<UInt8>, isWhole: Bool, _ options: DialectOptions, isTabbed: Bool,
    maximumField: Int, replacesBadEncoding: Bool = false, log: RejectLog?
  ) throws(Problem) {
    let (encoding, finding) = try Self.sniff(
      sample, isWhole: isWhole, options, isTabbed: isTabbed, name: source.name)
    var doubts = finding.doubts
    if !encoding.isSure, options.encoding == nil, !replacesBadEncoding {
      doubts.insert(
        DialectFinding.Note(
          message: "the text is not UTF-8, and may be \(encoding.encoding.rawValue)", setting: .inputEncoding,
          value: encoding.encoding.rawValue), at: 0)
    }
    if !doubts.isEmpty, !options.repairs {
      // All of them are needed.
      let hint = Remedy.repairing.or(.together(doubts.map { Remedy.Choice($0.setting, $0.value) }))
      let isUTF8 = encoding.isSure || options.encoding != nil || replacesBadEncoding
      let place = isUTF8 ? source.name : source.name + Self.placeOfBadText(in: sample)
      throw Problem(.badData, doubts.map(\.message).joined(separator: "; "), at: place, hint: hint)
    }
    if let quote = options.quote?.byte, finding.dialect.delimiter.contains(quote) {
      throw Problem(.inputQuote, "is the same as the delimiter", hint: [.set(.inputQuote, to: "none")])
    }
    self.encoding = encoding
    self.finding = finding
    let dialect = finding.dialect
    let isUTF8 = encoding.encoding == .utf8 || replacesBadEncoding && !encoding.isSure && options.encoding == nil
    let decoded: any ByteSource =
      isUTF8
      ? source
      : try TranscodingSource(
        source, encoding.encoding, mark: encoding.mark,
        invalid: .init(repairs: options.repairs, replaces: replacesBadEncoding))
    if dialect.isPlain, !options.repairs {
      self.source = decoded
      delimiter = dialect.delimiter[0]
    } else {
      var plan = TableConverter.Plan(dialect: dialect)
      plan.repairs = options.repairs
      // The sample may show another table than the wanted one.
      if options.table == nil { (plan.columns, plan.makeProfile) = (finding.width, finding.makeProfile) }
      plan.maximumField = maximumField
      plan.maximumRejects = options.maximumRejects
      plan.skips = [Setting.skippedRows, .skippedFooter, .commentPrefix, .headerRows].filter(options.settings.contains)
      if options.skippedRows != nil { plan.expected.insert(.preamble) }
      if options.skippedFooter != nil { plan.expected.insert(.footer) }
      if options.table != nil { plan.expected.formUnion([.anotherTable, .repeatedHeader]) }
      if options.comment != nil { plan.expected.insert(.comment) }
      if options.ragged == .drop || options.ragged == .cut || options.ragged == .both {
        plan.expected.formUnion([.shortRow, .longRow])
      }
      self.source = ConvertingSource(decoded, plan, mark: isUTF8 ? encoding.mark : 0, log: log)
      delimiter = dialect.plainDelimiter
    }
    hasHeader = dialect.headerRows > 0
    names = hasHeader ? nil : options.names
    var warnings =
      finding.notes.map { note in
        Warning("\(source.name): \(note.message)", hint: .set(note.setting, to: note.value ?? ""))
      } + Self.summary(source.name, finding.settings(encoding, options))
    if dialect.repeatsReturns {
      warnings.append(Warning("\(source.name): lines end in several carriage returns, which are in no field"))
    }
    let mark = CharacterEncoding.mark, start = encoding.mark
    if start > 0, isUTF8, sample.count >= start + 3, mark.indices.allSatisfy({ sample[start + $0] == mark[$0] }) {
      warnings.append(Warning("\(source.name): a second byte order mark is part of the first name"))
    }
    self.warnings = warnings
  }

  /// `:line:column` of the first byte of a sample that is not UTF-8; empty if there is none.
  public static func placeOfBadText(in sample: Span<UInt8>) -> String {
    let bad = ByteText.firstInvalid(sample)
    guard bad < sample.count else { return "" }
    var line = 1, start = 0
    for index in 0..<bad where sample[index] == 0x0A { (line, start) = (line + 1, index + 1) }
    return ":\(line):\(bad - start + 1)"
  }

  /// Finds the encoding and the dialect of a sample.
  static func sniff(
    _ sample: Span<UInt8>, isWhole: Bool, _ options: DialectOptions, isTabbed: Bool, name: String
  ) throws(Problem) -> (CharacterEncoding.Finding, DialectFinding) {
    let encoding = CharacterEncoding.finding(sample, isWhole: isWhole, options.encoding)
    let body = sample.extracting(encoding.mark...)
    let mayBeArchive = encoding.encoding == .utf8 && ByteText.contains(body, [0])
    if !encoding.isSure || mayBeArchive, options.encoding == nil {
      var controls = 0
      for index in 0..<body.count where ByteText.isControl(body[index]) { controls += 1 }
      // Text may have null bytes in fields, but does not consist of them.
      guard controls < 4 || controls * (encoding.isSure ? 2 : 32) < body.count else {
        throw Problem(
          .badData, "is not text: \(controls) of its first \(body.count) bytes are control characters", at: name)
      }
    }
    guard encoding.encoding != .utf8 else {
      return (encoding, DialectSniffer.finding(body, options, isTabbed: isTabbed, isWhole: isWhole))
    }
    guard var decoder = TextDecoder(encoding.encoding) else {
      throw Problem(.unavailable, "the system cannot convert \(encoding.encoding.rawValue)", at: name)
    }
    var text: [UInt8] = []
    _ = decoder.decode(body, isAtEnd: isWhole, into: &text)
    return (encoding, DialectSniffer.finding(text.span, options, isTabbed: isTabbed, isWhole: isWhole))
  }

  /// One line that says how the file is read, if not as usual.
  private static func summary(_ name: String, _ settings: [DialectFinding.Note]) -> [Warning] {
    guard !settings.isEmpty else { return [] }
    let hint = Remedy.together(settings.map { Remedy.Choice($0.setting, $0.value) })
    let list = settings.map(\.message).joined(separator: ", ")
    return [Warning("\(name): read \(list.hasPrefix("with") ? "" : "as ")\(list)", hint: hint)]
  }
}

extension DialectFinding {
  /// What differs from the usual dialect and was not given: the settings that reproduce the reading.
  public func settings(_ encoding: CharacterEncoding.Finding, _ options: DialectOptions) -> [Note] {
    var notes: [Note] = [], usual = options.dialect
    func add(_ message: String, _ setting: Setting, _ value: String?) {
      notes.append(Note(message: message, setting: setting, value: value))
    }
    if encoding.encoding != .utf8, options.encoding == nil {
      add(encoding.encoding.rawValue, .inputEncoding, encoding.encoding.rawValue)
    }
    if options.delimiter == nil { usual.delimiter = isTabbed ? [0x09] : usual.delimiter }
    if dialect.delimiter != usual.delimiter, dialect.positions.isEmpty {
      let name = DialectSniffer.name(dialect.delimiter)
      add("\(name)-separated", .inputDelimiter, name)
    }
    if dialect.quote != usual.quote {
      let quote = dialect.quote.map { String(decoding: CollectionOfOne($0), as: UTF8.self) }
      add(quote.map { "quoted by \($0)" } ?? "without quotes", .inputQuote, quote ?? "none")
    }
    if dialect.escape != usual.escape {
      add("with \(dialect.escape.rawValue) escapes", .inputEscape, dialect.escape.rawValue)
    }
    if dialect.comment != usual.comment {
      let mark = String(decoding: dialect.comment, as: UTF8.self)
      add("with \(mark) comments", .commentPrefix, mark)
    }
    if dialect.skippedRows != usual.skippedRows {
      let rows = dialect.skippedRows
      // The line that names the delimiter is not counted; with the option, it is.
      let count = rows + (dialect.separatorLine > 0 ? 1 : 0)
      add("\(rows) record\(rows == 1 ? "" : "s") skipped", .skippedRows, "\(count)")
    }
    if dialect.headerRows != usual.headerRows {
      if dialect.headerRows == 0 {
        add("without a header", .noHeader, nil)
      } else {
        add("\(dialect.headerRows) header rows", .headerRows, "\(dialect.headerRows)")
      }
    }
    return notes
  }
}
