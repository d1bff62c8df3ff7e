/// Which shows are requested of an API of shows.
public enum ShowLookup: Sendable, Hashable {
  /// The best match for the variable `show`.
  case named
  /// All matches for it.
  case matching
  /// The show with an identifier.
  case identified(String)
}
