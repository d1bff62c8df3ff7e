import Codecs
import Rows
import Testing

/// Calls with a count, a position or a power: whatever the number, they return, refuse or stop the process.
@Suite("counts and positions of codecs") struct CodecBoundaryTests {
  private static let numbers = [Int.min, -1, 0, 1, 38, 39, .max]
  private static let schema = Schema("t", columns: [ColumnDescription("c", .text)])

  private static var batch: RowBatch {
    var builder = RowBatchBuilder(width: 1)
    builder.append(text: "2024-01-02")
    return builder.finish()
  }

  @Test("a number out of range is refused", arguments: numbers) func refused(number: Int) async throws {
    let list = try JSON.parse(Array("[1]".utf8), name: "list")
    #expect((list[number] != nil) == (number == 0))
    #expect(!list.indentedBytes(width: number).isEmpty)
    let decimal = try #require(DecimalNumber(Array("12".utf8)))
    #expect((decimal.unscaled(precision: number, scale: 0) != nil) == (number >= 2))
    #expect(decimal.isMultiple(ofPowerOfTen: number) == (number <= 0))
    if number != .min {
      #expect((NumberPattern.scaled(Array("12".utf8), by: number) != nil) == (abs(number) <= 300))
      #expect(ColumnWidths().percentile(number) >= 0)
      #expect(TableLayout(Self.schema, [], width: number, isChosen: false).columns == [0])
    }
    var text = ArenaBuilder(capacity: 1)
    let source = try DecompressingSource(MemoryByteSource([UInt8](), name: "none"), .gzip)
    #expect((try? source.read(into: &text, limit: number)) ?? 0 == 0)
  }

  @Test("a power, a scale or a share without end stops the process") func endless() async {
    await #expect(processExitsWith: .failure) { _ = NumberPattern.scaled(Array("12".utf8), by: .min) }
    await #expect(processExitsWith: .failure) { _ = ColumnWidths().percentile(.min) }
    await #expect(processExitsWith: .failure) { _ = TableLayout(Self.schema, [], width: .min, isChosen: false) }
    for number in [Int.min, .max] {
      await #expect(processExitsWith: .failure) { [number = number as Int] in
        // The sum of exponent and scale.
        _ = DecimalNumber(Array("0.001e9".utf8))?.unscaled(precision: 38, scale: number)
        if number < 0 { _ = DecimalNumber(Array("1e-9".utf8))?.unscaled(precision: 38, scale: number) }
      }
    }
  }

  @Test("a column that does not exist stops the process", arguments: [Int.min, -1, 1, .max]) func column(position: Int)
    async
  {
    await #expect(processExitsWith: .failure) { [position = position as Int] in
      _ = EpochTime.isNative(position, of: Self.schema, in: [Self.batch])
    }
    await #expect(processExitsWith: .failure) { [position = position as Int] in
      _ = EpochTime.Storage.automatic.unit([.days], for: position, in: [Self.batch])
    }
  }
}
