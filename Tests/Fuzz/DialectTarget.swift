import Dialects
import Rows

/// Any bytes at all, as a damaged table. What must hold: nothing traps; every byte is in a row that needs no repair or
/// in a reject; the rows and rejects do not depend on the portions in which the bytes come; what was read is clean.
func dialect(_ bytes: [UInt8]) {
  guard let whole = repaired(bytes, portion: 1 << 16) else { return }
  precondition(repaired(bytes, portion: 7) == whole, "other rows in other portions")
}

private struct Reading: Equatable {
  var text: [UInt8] = []
  var rejects: [RejectLog.Kind: Int] = [:]
}

private func repaired(_ bytes: [UInt8], portion: Int) -> Reading? {
  do throws(Problem) {
    let log = RejectLog(scratch: NoScratch())
    var options = DialectOptions()
    options.repairs = true
    let input = try CSVInput(
      Portions(bytes, portion), sample: bytes.span, isWhole: true, options, isTabbed: bytes.first == 0x09,
      maximumField: 1 << 16, log: log)
    var reading = Reading()
    try input.source.forEachPiece { piece in
      unsafe piece.withUnsafeBytes { unsafe reading.text.append(contentsOf: $0) }
    }
    // Either line end ends a record.
    reading.text.removeAll { $0 == 0x0D }
    _ = try log.verify()
    for (kind, records) in log.counts.flatMap(\.kinds) { reading.rejects[kind, default: 0] += records }
    return reading
  } catch {
    precondition(error.kind == .badData, "\(error)")
    return nil
  }
}

/// Bytes in portions of one size.
private final class Portions: ByteSource {
  let name = "fuzz"
  var size: Int? { nil }
  private let inner: MemoryByteSource
  private let bytes: [UInt8], portion: Int

  init(_ bytes: [UInt8], _ portion: Int) {
    (self.bytes, self.portion) = (bytes, portion)
    inner = MemoryByteSource(bytes, name: "fuzz")
  }
  func read(into text: inout ArenaBuilder, limit: Int) throws(Problem) -> Int {
    try inner.read(into: &text, limit: min(limit, portion))
  }
  func reopened() throws(Problem) -> (any ByteSource)? { Portions(bytes, portion) }
}
