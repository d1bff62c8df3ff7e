public import Rows

/// The exporter of a table from which the rows of an export can be read again.
public protocol RereadableExporter: Exporter {
  /// The rows of the last export; nil if the table had them already.
  /// - Throws: the errors of reading.
  func writtenRows() async throws(Problem) -> (any RowStream)?
}
