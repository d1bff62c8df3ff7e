public import Rows

/// A place that takes new records from people: an API one can post to.
public protocol RecordSubmitter: Sendable {
  /// Sends one record, once: it is never tried again, for nobody knows whether a try that failed was not one that worked.
  /// - Parameters:
  ///   - values: by column.
  ///   - dataset: what the record belongs to.
  /// - Returns: what the place says it stored, by column, as far as it says anything.
  /// - Throws: `usage` when the place takes no such records; `unavailable` when it refuses, or when it is not known whether it took the
  ///   record, and the problem says which of the two.
  func submit(_ values: [String: Value], to dataset: String) async throws(Problem) -> [String: Value]
}
