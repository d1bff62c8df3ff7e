/// A name and what stands for it.
public struct SourceParameter: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The value to send, or the server's name for it.
  public var value: String
  /// A pair.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}
