import Domain
import Rows

/// An exporter damaged on purpose, to see that the laws notice.
struct Mutant: ByteFormat {
  enum Damage: String, CaseIterable {
    case addsLinePerBatch, remembersCalls, losesFinalLineEnd, writesLatin1, writesNothingWhenEmpty, mixesUpNullAndEmpty,
      cutsAtNUL, passesEscapes, swallowsNaN, cutsLongCells, overstatesLimit, dropsLiterals
  }
  let base: any ByteFormat
  let damage: Damage

  var descriptor: ExporterDescriptor {
    let known = base.descriptor
    guard damage == .overstatesLimit else { return known }
    return ExporterDescriptor(
      known.name, fileExtensions: known.fileExtensions, mediaType: known.mediaType, summary: known.summary,
      isExact: known.isExact, limits: ExporterDescriptor.Limits(columns: 10_001))
  }
  func measuring(with options: ExportOptions) -> ExporterDescriptor.Measuring { base.measuring(with: options) }
  func measure(_ batch: RowBatch, of schema: Schema, options: ExportOptions, into layout: inout ColumnMetrics) {
    base.measure(batch, of: schema, options: options, into: &layout)
  }
  func makeEncoder(for schema: Schema, options: ExportOptions, layout: ColumnMetrics) throws(Problem) -> any RowEncoder
  {
    MutantEncoder(base: try base.makeEncoder(for: schema, options: options, layout: layout), damage: damage)
  }
}

private final class Calls: @unchecked Sendable { var count = 0 }

private struct MutantEncoder: RowEncoder {
  let base: any RowEncoder
  let damage: Mutant.Damage
  let calls = Calls()

  func begin(_ out: inout ByteBuffer) throws(Problem) {
    if damage != .writesNothingWhenEmpty { try base.begin(&out) }
  }

  var separator: StaticString { base.separator }

  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    if damage == .writesNothingWhenEmpty, calls.count == 0 {
      calls.count = 1
      try base.begin(&out)
    }
    var inner = ByteBuffer(capacity: 1024)
    let part = try base.encode(changed(batch), &inner)
    var bytes = inner.bytes()
    switch damage {
    case .addsLinePerBatch: bytes.append(0x0A)
    case .remembersCalls:
      calls.count += 1
      bytes += Array("\(calls.count)\n".utf8)
    case .losesFinalLineEnd: if bytes.last == 0x0A { bytes.removeLast() }
    case .writesLatin1: bytes = bytes.map { $0 == 0xC3 ? 0xE9 : $0 }
    case .passesEscapes: bytes += [0x1B, 0x0A]
    default: break
    }
    out.append(bytes: bytes)
    return part
  }

  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem) {
    if damage == .writesNothingWhenEmpty, all.rows == 0 { return }
    var inner = ByteBuffer(capacity: 64)
    try base.finish(all, &inner)
    var bytes = inner.bytes()
    if damage == .losesFinalLineEnd, bytes.last == 0x0A { bytes.removeLast() }
    out.append(bytes: bytes)
  }

  private func changed(_ batch: RowBatch) -> RowBatch {
    var builder = RowBatchBuilder(width: batch.width)
    for row in 0..<batch.count {
      for column in 0..<batch.width { builder.append(value: changed(batch.value(row, column))) }
    }
    return builder.finish()
  }

  private func changed(_ value: Value) -> Value {
    switch (damage, value) {
    case (.mixesUpNullAndEmpty, .null): .text([])
    case (.cutsAtNUL, .text(let bytes)): .text(Array(bytes.prefix { $0 != 0 }))
    case (.cutsLongCells, .text(let bytes)): .text(Array(bytes.prefix(1 << 16)))
    case (.swallowsNaN, .real(let value)) where !value.isFinite: .null
    case (.dropsLiterals, .number): .null
    default: value
    }
  }
}
