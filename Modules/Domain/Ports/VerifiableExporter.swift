public import Rows

/// A format whose outputs are not files, but can be read back.
public protocol VerifiableExporter: Exporter {
  /// Refuses options with which the rows of the output would not be those that were written.
  /// - Throws: `usage`.
  func checkVerifiable(_ options: ExportOptions) throws(Problem)
  /// The rows that the output has since the export; nil if it had them before.
  /// - Parameter threads: the number of threads that may read, at least 1.
  func writtenRows(threads: Int) async throws(Problem) -> (any RowStream)?
}
