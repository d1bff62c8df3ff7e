public import Rows

/// The refusal to follow data to a private address.
///
/// Foreign text must not make this program talk to services of its own network.
public enum PrivateAddress {
  private static let hint = Remedy.set(.privateAddresses, for: "permit it")

  /// Returns the refusal of a URL that leads to `address`.
  public static func refusal(of address: String, at place: String) -> Problem {
    Problem(.badData, "refused: data or a redirect leads to the private address \(address)", at: place, hint: hint)
  }

  /// Whether a problem is such a refusal.
  public static func isRefusal(_ problem: Problem) -> Bool { problem.kind == .badData && problem.hint == hint }
}
