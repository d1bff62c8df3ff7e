import Rows

/// Parquet's encoding `DELTA_BINARY_PACKED`: differences of successive integers in as few bits as each group needs.
enum DeltaBinaryPacking {
  private static let blockSize = 128, groupSize = 32

  /// Appends `values`; differences wrap around.
  static func append(_ values: UnsafeBufferPointer<Int64>, to out: inout ByteBuffer) {
    out.append(variable: UInt64(blockSize))
    out.append(variable: UInt64(blockSize / groupSize))
    out.append(variable: UInt64(values.count))
    out.append(variable: zigzag(values.isEmpty ? 0 : unsafe values[0]))
    var start = 1
    while start < values.count {
      let count = min(blockSize, values.count - start)
      unsafe append(block: values, start, count, to: &out)
      start += count
    }
  }

  private static func append(
    block values: UnsafeBufferPointer<Int64>, _ start: Int, _ count: Int, to out: inout ByteBuffer
  ) {
    func delta(_ place: Int) -> Int64 { unsafe values[start + place] &- values[start + place - 1] }
    var least = delta(0)
    for place in 1..<max(count, 1) { least = min(least, delta(place)) }
    out.append(variable: zigzag(least))
    var widths: [Int] = []
    for group in stride(from: 0, to: blockSize, by: groupSize) {
      var all: UInt64 = 0
      for place in group..<max(group, min(group + groupSize, count)) {
        all |= UInt64(bitPattern: delta(place) &- least)
      }
      widths.append(64 - all.leadingZeroBitCount)
    }
    for width in widths { out.append(byte: UInt8(width)) }
    for (number, width) in widths.enumerated() where width > 0 {
      let group = number * groupSize
      BitPacking.append(min(groupSize, count - group), filledTo: groupSize, bits: width, to: &out) {
        UInt64(bitPattern: delta(group + $0) &- least)
      }
    }
  }

  private static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }
}
