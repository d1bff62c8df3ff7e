/// A difference between an API's records and those that its description expects.
///
/// An API that renames a member must not empty a column silently.
public struct MemberFinding: Sendable, Hashable {
  /// The kind of difference.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Records have a member that no column reads.
    case unmapped = "member-unmapped"
    /// A column reads a member that no record has.
    case vanished = "member-vanished"
    /// The values of a member are of another kind than before, or do not fit their column.
    case retyped = "member-retyped"
    /// Texts of a member are in a known format that its column does not have.
    case format = "format-new"
    /// The API announces more records than it returned.
    case short = "count-short"
  }
  /// The kind of difference.
  public var kind: Kind
  /// The dataset.
  public var dataset: String
  /// JSON Pointer of the member within a record.
  public var pointer: String
  /// Records that have the member, or that lack it.
  var count: Int
  /// JSON Pointer of the member that was probably meant; nil for none.
  public var nearest: String?
  /// The column that reads the member; nil for none.
  public var column: String?
  /// The difference as text; empty if the kind says it.
  public var detail = ""

  /// Creates a finding.
  public init(_ kind: Kind, in dataset: String, _ pointer: String, count: Int, nearest: String? = nil) {
    self.kind = kind
    self.dataset = dataset
    self.pointer = pointer
    self.count = count
    self.nearest = nearest
  }

  /// The findings with those of one member added up.
  public static func merged(_ findings: [MemberFinding]) -> [MemberFinding] {
    var merged: [MemberFinding] = []
    for finding in findings {
      if let known = merged.firstIndex(where: { $0.kind == finding.kind && $0.pointer == finding.pointer }) {
        merged[known].count += finding.count
      } else {
        merged.append(finding)
      }
    }
    return merged
  }

  /// The findings of one dataset as one line; nil for none.
  /// A member that no column reads and that is not `isNew` is of interest only where one vanished.
  public static func line(_ findings: [MemberFinding], isNew: (MemberFinding) -> Bool) -> String? {
    let vanished = findings.filter { $0.kind == .vanished }
    let findings = findings.filter {
      $0.kind == .unmapped ? !vanished.isEmpty || isNew($0) : $0.kind == .vanished || !$0.detail.isEmpty
    }
    guard let first = findings.first else { return nil }
    let meant = vanished.compactMap(\.nearest)
    var parts: [String] = []
    let suggestion = meant.isEmpty ? "" : "; did you mean \(list(meant, "and"))?"
    if !vanished.isEmpty { parts.append("no record has \(list(vanished.map(\.pointer), "or"))\(suggestion)") }
    let unmapped = findings.filter { $0.kind == .unmapped && !meant.contains($0.pointer) }
    parts += findings.filter { !$0.detail.isEmpty }.map(\.detail)
    if !unmapped.isEmpty { parts.append("no column reads \(list(unmapped.map(\.pointer), "or"))") }
    return "\(first.dataset): \(parts.joined(separator: suggestion.isEmpty ? "; " : " "))"
  }

  private static func list(_ pointers: [String], _ word: String) -> String {
    if pointers.count > 5 { return pointers.prefix(5).joined(separator: ", ") + " and \(pointers.count - 5) more" }
    guard pointers.count > 1 else { return pointers.joined() }
    return pointers.dropLast().joined(separator: ", ") + " \(word) " + (pointers.last ?? "")
  }
}
