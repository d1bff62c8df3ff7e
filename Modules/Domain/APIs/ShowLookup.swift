/// Which shows are requested of an API of shows.
public enum ShowLookup: Sendable, Hashable {
  /// The best match for the variable `show`.
  case named
  case matching
  case identified(String)
}
