public import Rows

/// A place that takes new records from people: an API one can post to.
public protocol RecordSubmitter: Sendable {
  /// Sends one record, once. It is never retried, because a failed attempt may have been stored.
  /// - Parameters:
  ///   - values: by column.
  ///   - dataset: the dataset of the record.
  /// - Returns: the stored values by column, as far as the server reports them.
  /// - Throws: `usage` if the server does not accept such records; `unavailable` if it refuses, or if the outcome is
  ///   unknown; the message distinguishes the two.
  func submit(_ values: [String: Value], to dataset: String) async throws(Problem) -> [String: Value]
}
