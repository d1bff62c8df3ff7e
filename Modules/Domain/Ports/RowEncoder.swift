public import Rows

/// Encodes batches as bytes without state between batches: any core may encode any batch, also more than once, and the
/// bytes do not depend on where the batch is in the table. `begin` and `finish` are called once each.
public protocol RowEncoder: Sendable {
  /// The bytes between two rows. `encode` writes it between the rows of its batch; the caller writes it between batches
  /// that have rows.
  var separator: StaticString { get }
  /// Appends what precedes the first row.
  func begin(_ out: inout ByteBuffer) throws(Problem)
  /// Appends the rows of a batch.
  /// - Returns: what is to be reported; the caller merges the parts in order, once for each batch written.
  /// - Throws: `badData` with `record` set for a value that the format cannot represent.
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) throws(Problem) -> EncodedPart
  /// The size in memory from which on batches are encoded together, in bytes; 0 for each batch by itself.
  var groupBytes: Int { get }
  /// Appends the rows of batches that are encoded together.
  /// - Returns, throws: as for one batch.
  func encode(_ group: [RowBatch], _ out: inout ByteBuffer) throws(Problem) -> EncodedPart
  /// Appends what follows the last row, given the merged parts of all batches.
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) throws(Problem)
  /// The warning after the export (`3 cells begin like a formula`), given the merged parts; nil if there is none.
  func warning(_ all: EncodedPart) -> Warning?
  /// The note below the rows on a terminal (`29 rows`), given the merged parts; nil if there is none.
  func footer(_ all: EncodedPart) -> Warning?
}

extension RowEncoder {
  /// Each batch by itself.
  public var groupBytes: Int { 0 }
  /// Appends the batches one by one, with separators between them.
  public func encode(_ group: [RowBatch], _ out: inout ByteBuffer) throws(Problem) -> EncodedPart {
    var all = EncodedPart()
    for batch in group {
      if all.rows > 0, batch.count > 0 { out.append(separator) }
      do throws(Problem) { all.merge(try encode(batch, &out)) } catch { throw error.following(rows: all.rows) }
    }
    return all
  }
  /// No footer.
  public func footer(_ all: EncodedPart) -> Warning? { nil }
  /// No separator.
  public var separator: StaticString { "" }
  /// No warning.
  public func warning(_ all: EncodedPart) -> Warning? { nil }
}

extension Problem {
  /// The same problem, its record counted from a row that is `rows` rows before.
  package func following(rows: Int) -> Problem {
    var problem = self
    if let record, !isOfInput { problem.record = record + rows }
    return problem
  }
}
