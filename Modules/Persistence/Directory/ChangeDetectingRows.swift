import Files
import Rows

/// The rows of a file that a user may save while they are read: then they are neither the old nor the new ones, and
/// reading ends with `busy`.
struct ChangeDetectingRows: RewrittenRowStream {
  let inner: any RowStream
  private let file: FileByteSource
  private let stamp: FileStamp

  /// Rows of `file`, which was `stamp` when it was opened.
  init(_ rows: any RowStream, of file: FileByteSource, _ stamp: FileStamp) {
    (inner, self.file, self.stamp) = (rows, file, stamp)
  }

  var schema: Schema { inner.schema }
  func over(_ rows: any RowStream) -> any RowStream { ChangeDetectingRows(rows, of: file, stamp) }

  func next() async throws(Problem) -> BatchTask? {
    let work: BatchTask?
    do throws(Problem) { work = try await inner.next() } catch { throw Self.judged(error, file, stamp) }
    guard let work else {
      if let change = Self.change(of: file, since: stamp) { throw change }
      return nil
    }
    let (file, stamp) = (self.file, self.stamp)
    return BatchTask { () throws(Problem) in
      do throws(Problem) { return try work.batch() } catch { throw Self.judged(error, file, stamp) }
    }
  }

  /// The problem; of a file that is another by now, that it is.
  static func judged(_ problem: Problem, _ file: FileByteSource, _ stamp: FileStamp) -> Problem {
    problem.kind == .badData ? change(of: file, since: stamp) ?? problem : problem
  }

  private static func change(of file: FileByteSource, since stamp: FileStamp) -> Problem? {
    guard let now = file.status(), FileStamp(now) != stamp else { return nil }
    return Problem.changedMeanwhile(file.name)
  }
}

extension Problem {
  /// Another process, as a rule an editor, changed a file between two looks at it.
  static func changedMeanwhile(_ path: String) -> Problem {
    Problem(.busy, "changed by another process", at: path, hint: "check the file and run again")
  }
}
