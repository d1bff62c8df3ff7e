/// The largest files that bb reads into memory, in bytes; a larger file is refused. Tables, databases and images are
/// streamed, and have no limit.
package enum FileLimit {
  /// `NAME.csv-metadata.json`, which describes a CSV file: 16 MiB.
  package static let metadata = 16 << 20
  /// The configuration file: 256 KiB.
  package static let configuration = 256 << 10
  /// A text that was edited in the user's editor: 64 MiB.
  package static let draft = 64 << 20
  /// `images.json` and `.bb/images.ndjson`, which list the images of a directory: 64 MiB each.
  package static let imageList = 64 << 20
  /// An image that is added to a store: 64 MiB.
  package static let image = 64 << 20
}
