public import Query
public import Rows

/// A source that is asked first, and one that answers when the first is not available.
public struct FallbackSource: RecordSource {
  private let first: any RecordSource
  private let second: any RecordSource
  private let hint: Remedy?
  private let report: @Sendable (String) -> Void

  /// Creates a source that reads `second` if `first` is unavailable.
  /// - `hint`: given if `second` may not be read: how to ask for what it has.
  /// - `report`: receives a line if `second` is read.
  public init(
    _ first: any RecordSource, else second: any RecordSource, refusing hint: Remedy? = nil,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.first = first
    self.second = second
    self.hint = hint
    self.report = report
  }

  /// The first source's name.
  public var name: String { first.name }

  /// The first source's.
  public var joinColumns: [String: [String]] { first.joinColumns }
  /// The first source's.
  public var optionalColumns: [String: Set<String>] { first.optionalColumns }
  /// The first source's tables.
  public func tables() async throws(Problem) -> [Schema] { try await first.tables() }

  /// The first source's rows, or the second's.
  /// - Throws: `unavailable` with both reasons if neither has them, or if the second may not be read.
  public func rows(of table: String, _ request: RowRequest) async throws(Problem) -> any RowStream {
    do throws(Problem) {
      return try await first.rows(of: table, request)
    } catch {
      guard error.kind == .unavailable else { throw error }
      let failure = error
      if let hint {
        guard try await second.tables().contains(where: { $0.name == table }) else { throw failure }
        throw Problem(
          failure.kind, failure.message, at: failure.place,
          hint: failure.hint.or(hint))
      }
      do throws(Problem) {
        let stream = try await second.rows(of: table, request)
        report("\(failure.place): \(failure.message); using the \(second.name) instead")
        return stream
      } catch {
        guard error.kind == .unavailable else { throw error }
        throw Problem(.unavailable, "\(failure.message); \(error.message)", at: failure.place, hint: error.hint)
      }
    }
  }
}
