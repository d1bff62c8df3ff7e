/// What the configuration file can say, for both programs.
public enum Setting: String, Sendable, CaseIterable {
  /// Where the records are.
  case storage
  /// The show of a key that names none.
  case production
  /// The editor, with its arguments.
  case editor
  /// The pager; `cat` for none.
  case pager
}
