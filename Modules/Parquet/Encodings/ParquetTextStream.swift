import Codecs
import Rows

/// The texts of a large page in the encoding `PLAIN`, decompressed as they are read.
///
/// Readers that are copies of each other share it, and may go back as far as texts are not forgotten.
final class ParquetTextStream {
  private let packed: Arena
  private let decompressor: any Decompressor
  private let decoder: ParquetDecoder
  /// The position of the next compressed byte, and the number of bytes that are not decompressed yet.
  private var at: Int, left: Int
  /// Decompressed bytes, of which those before `start` were taken.
  private var plain = ArenaBuilder(capacity: 1 << 16), start = 0
  /// The texts that a reader may need, and the number of the first.
  private var texts: [Arena] = [], first = 0

  /// - Parameter size: the number of bytes when those of `packed` at `at` and after it are decompressed.
  /// - Returns: nil for a compression that cannot be undone in steps.
  init?(_ packed: Arena, at: Int, codec: Int, size: Int, _ decoder: ParquetDecoder) throws(ParquetFailure) {
    do throws(Problem) {
      switch codec {
      case 2: decompressor = try Inflate(isGzip: true)
      case 6: decompressor = try Unzstd()
      default: return nil
      }
    } catch {
      throw .problem(error)
    }
    (self.packed, self.at, left, self.decoder) = (packed, at, size, decoder)
  }

  /// The next bytes.
  func take(_ count: Int) throws(ParquetFailure) -> Arena {
    guard count <= left + plain.count - start else { throw .short }
    if plain.count - start < count {
      plain.removeFirst(start)
      start = 0
    }
    while plain.count - start < count {
      let room = min(left, max(count - plain.count, 1 << 16))
      let step = decompressor.step(ByteRun(packed, UInt32(at), UInt32(packed.count - at)), into: &plain, limit: room)
      at += step.taken
      left -= step.made
      guard step.damage == nil, step.taken > 0 || step.made > 0 else { throw .damage("a page cannot be decompressed") }
      if step.isDone { decompressor.restart() }
    }
    var bytes = ArenaBuilder(capacity: max(count, 1))
    plain.read { bytes.append($0.extracting(start..<start + count)) }
    start += count
    return bytes.freeze()
  }

  /// The number of four bytes that is next.
  func count() throws(ParquetFailure) -> Int {
    let bytes = try take(4).bytes(0, 4)
    return bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The text of a number, from 0.
  func text(_ number: Int) throws(ParquetFailure) -> Arena {
    while number >= first + texts.count {
      let count = try count()
      guard count <= decoder.maximumField else { throw decoder.tooLarge }
      texts.append(try take(count))
    }
    return texts[number - first]
  }

  /// Drops the texts before one: no reader goes back to them.
  func forget(before number: Int) {
    let count = min(max(0, number - first), texts.count)
    texts.removeFirst(count)
    first += count
  }
}
