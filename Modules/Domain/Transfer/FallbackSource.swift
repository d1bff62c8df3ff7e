public import Query
public import Rows

/// A source that is asked first, and one that answers when the first is not available.
public struct FallbackSource: RecordSource {
  private let first: any RecordSource
  private let second: any RecordSource
  private let report: @Sendable (String) -> Void

  /// `second` answers when `first` is unavailable; `report` is told in one line that it does.
  public init(_ first: any RecordSource, else second: any RecordSource, report: @escaping @Sendable (String) -> Void) {
    self.first = first
    self.second = second
    self.report = report
  }

  /// The first source's name.
  public var name: String { first.name }

  /// The first source's tables.
  public func tables() async throws(Problem) -> [Schema] { try await first.tables() }

  /// The first source's rows, or the second's.
  /// - Throws: `unavailable` with both reasons when neither has them.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    do throws(Problem) {
      return try await first.rows(of: table, request)
    } catch {
      guard error.kind == .unavailable else { throw error }
      let failure = error
      do throws(Problem) {
        let stream = try await second.rows(of: table, request)
        report("\(failure.place): \(failure.message); answering from the \(second.name) instead")
        return stream
      } catch {
        guard error.kind == .unavailable else { throw error }
        throw Problem(.unavailable, "\(failure.message); \(error.message)", at: failure.place, hint: error.hint)
      }
    }
  }
}
