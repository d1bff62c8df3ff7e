import Codecs
import Rows

/// From values as SQLite keeps them to values of bb's types.
struct SQLiteConversion {
  /// A value that does not fit.
  struct Fault {
    let row: Int, column: Int
    let found: String
    /// Whether no type would hold it.
    var isBroken = false
  }

  private let batch: RowBatch
  private let types: [ColumnType]
  private let meanings: [Meaning]
  /// The digits after the point of decimals that an exported table has as Doubles; nil for others.
  private let scales: [Int?]
  /// The batch, converted; of use after `run` found no fault.
  private(set) var result: RowBatch

  /// Where the type of a column comes from.
  enum Meaning {
    case found
    /// From a store, or from the user: text may be JSON, the literal of a number and the like.
    case declared
    /// From the comment of an exported table: as declared, but JSON is kept by value.
    case hinted
  }

  init(_ batch: RowBatch, _ types: [ColumnType], _ meanings: [Meaning], _ scales: [Int?]) {
    self.scales = scales
    self.batch = batch
    self.types = types
    self.meanings = meanings
    result = batch
  }

  /// Converts; gives the first value that does not fit.
  mutating func run() -> Fault? {
    let isPlain = !zip(types, meanings).contains {
      $1 == .found ? $0 == .json || $0.isTemporal : !Self.isKeptAsIs($0)
    }
    if let fault = firstBadText() { return fault }
    return isPlain ? check() : convert()
  }

  private static func isKeptAsIs(_ type: ColumnType) -> Bool {
    switch type {
    case .integer, .bytes, .url: true
    case .real, .decimal, .boolean, .text, .date, .timestamp, .datetime, .list, .json: false
    }
  }

  /// Text must be UTF-8; SQLite does not see to that.
  private func firstBadText() -> Fault? {
    let isASCII = batch.arena.read { bytes in
      unsafe bytes.withUnsafeBytes { bytes in
        let words = bytes.count / 8
        var high: UInt64 = 0
        for word in 0..<words { unsafe high |= bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self) }
        for at in words * 8..<bytes.count { unsafe high |= UInt64(bytes[at]) }
        return high & 0x8080_8080_8080_8080 == 0
      }
    }
    if isASCII { return nil }
    for position in 0..<batch.count * batch.width {
      guard case .text(let start, let length) = batch.cells[position] else { continue }
      let text = unsafe UnsafeRawBufferPointer(start: batch.arena.base + Int(start), count: Int(length))
      if let offset = unsafe TextEncoding.firstInvalidByte(text) {
        return Fault(
          row: position / batch.width, column: position % batch.width,
          found: "invalid UTF-8 in text (byte \(offset))", isBroken: true)
      }
    }
    return nil
  }

  private func check() -> Fault? {
    for row in 0..<batch.count {
      for column in types.indices {
        let fits =
          switch (types[column], batch.cells[row &* batch.width &+ column]) {
          case (_, .null): true
          case (.integer, .integer), (.real, .real), (.decimal, .integer), (.decimal, .real), (.bytes, .bytes): true
          case (.text, .text), (.url, .text): true
          default: false
          }
        if !fits { return fault(row, column) }
      }
    }
    return nil
  }

  private func fault(_ row: Int, _ column: Int) -> Fault {
    let found =
      switch batch[row, column] {
      case .integer: "an integer"
      case .real: "a real"
      case .text: "text"
      case .bytes: "bytes"
      case .null, .number, .json, .boolean: "of another type"
      }
    return Fault(row: row, column: column, found: found)
  }

  private enum Form {
    case same, boolean(Bool), number([UInt8]), text([UInt8]), json([UInt8])
  }

  /// A value of a column whose type was found by looking: mixed values are JSON, each by itself.
  private func found(_ cell: Cell, _ type: ColumnType) -> Form? {
    switch (type, cell) {
    case (_, .null), (.integer, .integer), (.real, .real), (.decimal, .integer), (.decimal, .real): .same
    case (.text, .text), (.bytes, .bytes): .same
    case (.json, .integer(let value)): .json(Array(String(value).utf8))
    // Writers refuse what JSON does not have: infinities, and bytes, which in base64 would be a text like any other.
    case (.json, .real(let value)): value.isFinite ? .json(value.canonicalText) : .same
    case (.json, .text(let start, let length)): .json(JSON.string(batch.bytes(start, length)).canonicalBytes)
    case (.json, .bytes): .same
    case (.date, .text), (.datetime, .text), (.timestamp, .text): declared(cell, type)
    default: nil
    }
  }

  /// A value of a column of an exported table.
  private func hinted(_ cell: Cell, _ type: ColumnType, _ scale: Int?) -> Form? {
    switch (type, cell) {
    case (.json, .text(let start, let length)): .json(JSONByValue.canonical(batch.bytes(start, length)))
    case (.json, .bytes): nil
    case (.text, .integer): nil
    case (.decimal, .real(let value)):
      scale.flatMap { DecimalShape.literal(value, scale: $0) }.map { .number($0) } ?? .same
    default: declared(cell, type)
    }
  }

  /// A value of a column whose type was declared: any spelling of a value of the type is accepted.
  private func declared(_ cell: Cell, _ type: ColumnType) -> Form? {
    switch (type, cell) {
    case (_, .null), (.integer, .integer), (.real, .real), (.decimal, .integer), (.decimal, .real): return .same
    case (.text, .text), (.url, .text), (.bytes, .bytes): return .same
    case (.boolean, .integer(let value)): return value == 0 || value == 1 ? .boolean(value == 1) : nil
    case (.text, .integer(let value)): return .text(Array(String(value).utf8))
    case (.date, .text(let start, let length)): return Dates.isDate(batch.bytes(start, length)) ? .same : nil
    case (.timestamp, .text(let start, let length)): return Dates.isTimestamp(batch.bytes(start, length)) ? .same : nil
    case (.datetime, .text(let start, let length)):
      var text = batch.bytes(start, length)
      if Dates.isDatetime(text) { return .same }
      if text.count > 10, text[10] == UInt8(ascii: " ") { text[10] = UInt8(ascii: "T") }
      return Dates.isDatetime(text) ? .text(text) : nil
    case (.json, .integer), (.json, .real): return found(cell, type)
    case (.real, .text(let start, let length)), (.decimal, .text(let start, let length)):
      let literal = batch.bytes(start, length)
      return json(literal)?.numberLiteral == literal ? .number(literal) : nil
    case (.json, .text(let start, let length)): return json(batch.bytes(start, length)).map { .json($0.canonicalBytes) }
    case (.list(let element), .text(let start, let length)):
      guard let list = json(batch.bytes(start, length)), let values = list.arrayValue else { return nil }
      let fits = values.allSatisfy { element == .integer ? $0.integerValue != nil : $0.stringBytes != nil }
      return fits ? .json(list.canonicalBytes) : nil
    default: return nil
    }
  }

  /// Text as JSON; nil when it is none.
  private func json(_ text: [UInt8]) -> JSON? {
    do throws(Problem) { return try JSON.parse(text, name: "") } catch { return nil }
  }

  private mutating func convert() -> Fault? {
    var cells = CellsBuilder(capacity: batch.count * batch.width)
    var extra: [UInt8] = []
    let base = batch.arena.count
    /// The range of bytes added after the existing ones.
    func added(_ bytes: [UInt8]) -> (UInt32, UInt32) {
      let start = base + extra.count
      extra += bytes
      return (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: bytes.count))
    }
    for row in 0..<batch.count {
      for column in types.indices {
        let cell = batch[row, column]
        var converted: Cell?
        let form =
          switch meanings[column] {
          case .found: found(cell, types[column])
          case .declared: declared(cell, types[column])
          case .hinted: hinted(cell, types[column], scales[column])
          }
        switch form {
        case .same: converted = cell
        case .boolean(let truth): converted = .boolean(truth)
        case .number(let literal):
          let range = added(literal)
          converted = .number(range.0, range.1)
        case .text(let text):
          let range = added(text)
          converted = .text(range.0, range.1)
        case .json(let text):
          let range = added(text)
          converted = .json(range.0, range.1)
        case nil: converted = nil
        }
        guard let converted else { return fault(row, column) }
        cells.append(converted)
      }
    }
    var arena = batch.arena
    if !extra.isEmpty {
      guard base + extra.count < Int(UInt32.max) else {
        return Fault(row: 0, column: 0, found: "too large as JSON", isBroken: true)
      }
      var extended = ArenaBuilder(capacity: max(base + extra.count, Arena.usualCapacity))
      arena.read { extended.append($0) }
      extended.append(extra)
      arena = extended.freeze()
    }
    result = unsafe RowBatch(
      width: batch.width, count: batch.count, uncheckedCells: cells.freeze(), arena: arena)
    return nil
  }
}
