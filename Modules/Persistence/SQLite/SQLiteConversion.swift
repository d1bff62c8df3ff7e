import Codecs
import Domain

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
  private let isOwn: [Bool]
  /// The batch, converted; of use after `run` found no fault.
  private(set) var result: RowBatch

  /// - Parameter isOwn: by column, whether bb wrote its values, so that JSON, literals and truth values have bb's form.
  init(_ batch: RowBatch, _ types: [ColumnType], isOwn: [Bool]) {
    self.batch = batch
    self.types = types
    self.isOwn = isOwn
    result = batch
  }

  /// Converts; gives the first value that does not fit.
  mutating func run() -> Fault? {
    let isPlain = !zip(types, isOwn).contains { $1 ? !Self.isKeptAsIs($0) : $0 == .json }
    if let fault = firstBadText() { return fault }
    return isPlain ? check() : convert()
  }

  private static func isKeptAsIs(_ type: ColumnType) -> Bool {
    switch type {
    case .integer, .text, .bytes, .date, .timestamp, .url: true
    case .real, .decimal, .boolean, .list, .json: false
    }
  }

  /// Text must be UTF-8; SQLite does not see to that.
  private func firstBadText() -> Fault? {
    let isASCII = batch.chunk.read { bytes in
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
      guard case .text(let start, let length) = unsafe batch.cells.base[position] else { continue }
      let text = unsafe UnsafeRawBufferPointer(start: batch.chunk.base + Int(start), count: Int(length))
      if let offset = unsafe TextEncoding.firstInvalidByte(text) {
        return Fault(
          row: position / batch.width, column: position % batch.width,
          found: "text that is not UTF-8 (byte \(offset) of it)", isBroken: true)
      }
    }
    return nil
  }

  private func check() -> Fault? {
    for row in 0..<batch.count {
      for column in types.indices {
        let fits =
          switch (types[column], unsafe batch.cells.base[row &* batch.width &+ column]) {
          case (_, .null): true
          case (.integer, .integer), (.real, .real), (.decimal, .integer), (.decimal, .real), (.bytes, .bytes): true
          case (.text, .text), (.date, .text), (.timestamp, .text), (.url, .text): true
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
      case .null, .number, .json, .boolean: "of another kind"
      }
    return Fault(row: row, column: column, found: found)
  }

  private mutating func convert() -> Fault? {
    let block = CellBlock(capacity: batch.count * batch.width)
    var extra: [UInt8] = []
    let base = batch.chunk.count
    /// Bytes behind those that are there.
    func added(_ bytes: [UInt8]) -> (UInt32, UInt32) {
      let start = base + extra.count
      extra += bytes
      return (UInt32(truncatingIfNeeded: start), UInt32(truncatingIfNeeded: bytes.count))
    }
    for row in 0..<batch.count {
      for column in types.indices {
        let cell = batch[row, column]
        let converted: Cell?
        switch (types[column], cell) {
        case (_, .null): converted = .null
        case (.integer, .integer), (.real, .real), (.decimal, .integer), (.decimal, .real), (.bytes, .bytes):
          converted = cell
        case (.text, .text), (.date, .text), (.timestamp, .text), (.url, .text): converted = cell
        case (.real, .text(let start, let length)) where isOwn[column],
          (.decimal, .text(let start, let length)) where isOwn[column]:
          converted = .number(start, length)
        case (.boolean, .integer(let value)) where isOwn[column] && (value == 0 || value == 1):
          converted = .boolean(value == 1)
        case (.list, .text(let start, let length)) where isOwn[column],
          (.json, .text(let start, let length)) where isOwn[column]:
          converted = .json(start, length)
        case (.json, .integer(let value)):
          let range = added(Array(String(value).utf8))
          converted = .json(range.0, range.1)
        case (.json, .real(let value)) where value.isFinite:
          let range = added(value.canonicalText)
          converted = .json(range.0, range.1)
        case (.json, .text(let start, let length)):
          let range = added(JSON.string(batch.bytes(start, length)).canonicalBytes)
          converted = .json(range.0, range.1)
        case (.json, .bytes(let start, let length)):
          let range = added(JSON.string(Base64.encoded(batch.bytes(start, length))).canonicalBytes)
          converted = .json(range.0, range.1)
        default: converted = nil
        }
        guard let converted else { return fault(row, column) }
        block.put(row * batch.width + column, converted)
      }
    }
    let chunk: Chunk
    if extra.isEmpty {
      chunk = batch.chunk
    } else {
      guard base + extra.count < Int(UInt32.max) else {
        return Fault(row: 0, column: 0, found: "too large as JSON", isBroken: true)
      }
      chunk = Chunk(capacity: max(base + extra.count, Chunk.usualCapacity))
      unsafe chunk.base.update(from: batch.chunk.base, count: base)
      for (index, byte) in extra.enumerated() { unsafe chunk.base[base + index] = byte }
      chunk.count = base + extra.count
    }
    result = RowBatch(width: batch.width, count: batch.count, cells: block, chunk: chunk)
    return nil
  }
}
