/// The release that the programs belong to.
package enum Release {
  /// `MAJOR.MINOR.PATCH`; the first heading of the changelog is the same.
  package static let version = "0.2.0"
  /// The day of the release, ISO 8601.
  package static let date = "2026-11-22"
}
