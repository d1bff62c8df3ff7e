import Files
import Glibc
import Rows

/// The marks that version control leaves in a file that it could not merge: a line that begins with `<<<<<<< `, later
/// one that is `=======`, later one that begins with `>>>>>>> `.
enum MergeConflict {
  private static let marks = [Array("<<<<<<< ".utf8), Array("=======".utf8), Array(">>>>>>> ".utf8)]

  /// What to say of a file with such marks; nil when it has none. The file is read once, in pieces.
  static func problem(in file: FileByteSource) throws(Problem) -> Problem? {
    guard let file = file.again() else { return nil }
    var scan = Scan()
    try file.forEachPiece { piece in unsafe piece.withUnsafeBytes { unsafe scan.add($0) } }
    return scan.problem(at: file.name)
  }

  /// The same of a file that has been read.
  static func problem(in bytes: [UInt8], at place: String) -> Problem? {
    var scan = Scan()
    unsafe bytes.withUnsafeBytes { unsafe scan.add($0) }
    return scan.problem(at: place)
  }

  /// Looks at lines as they come, in pieces of any size.
  private struct Scan {
    private var line = 1
    /// The beginning of a line that the last piece ended in.
    private var beginning: [UInt8] = []
    private var opened: Int?, parted = false
    private var found: [ClosedRange<Int>] = []

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
      var start = 0
      while start < bytes.count {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
        let end = unsafe memchr(rest.baseAddress!, 0x0A, rest.count)
        let length = unsafe end.map { unsafe UnsafeRawPointer($0) - rest.baseAddress! } ?? rest.count
        if beginning.count < 9 { unsafe beginning.append(contentsOf: rest.prefix(min(length, 9 - beginning.count))) }
        guard unsafe end != nil else { return }
        judge()
        beginning.removeAll(keepingCapacity: true)
        line += 1
        start += length + 1
      }
    }

    private mutating func judge() {
      guard let first = beginning.first, first == 0x3C || first == 0x3D || first == 0x3E else { return }
      if beginning.starts(with: MergeConflict.marks[0]) {
        (opened, parted) = (line, false)
      } else if opened != nil, beginning == MergeConflict.marks[1] || beginning == MergeConflict.marks[1] + [0x0D] {
        parted = true
      } else if let start = opened, parted, beginning.starts(with: MergeConflict.marks[2]) {
        found.append(start...line)
        opened = nil
      }
    }

    mutating func problem(at place: String) -> Problem? {
      judge()
      guard let first = found.first else { return nil }
      let lines = found.prefix(5).map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
      return Problem(
        .badData, "unresolved merge conflict: lines \(lines)\(found.count > 5 ? ", …" : "")",
        at: "\(place):\(first.lowerBound)",
        hint: "edit the file: keep the lines that you want, and remove the conflict markers")
    }
  }
}
