import Codecs
import Rows

/// The names of the elements of a document that are open, with their prefixes.
struct OpenElements {
  /// The names, one after another, and where each begins.
  private var names: [UInt8] = [], starts: [Int] = []

  var count: Int { starts.count }
  /// The name of the innermost element.
  var last: ArraySlice<UInt8> { names[(starts.last ?? 0)...] }
  @inline(__always) var lastCount: Int { names.count - (starts.last ?? 0) }
  var root: ArraySlice<UInt8> { names[..<(starts.count > 1 ? starts[1] : names.count)] }

  mutating func open(_ name: ByteRun) {
    starts.append(names.count)
    names += name.bytes
  }

  mutating func close() { names.removeLast(names.count - starts.removeLast()) }

  /// Whether the innermost element has a name.
  @inline(__always) func isLast(_ name: ByteRun) -> Bool {
    let start = starts.last ?? 0
    guard names.count - start == name.count else { return false }
    for index in 0..<name.count where names[start + index] != name[index] { return false }
    return true
  }
}
