public import Rows

/// An image that a record refers to.
public struct ImageReference: Sendable, Hashable {
  /// The dataset of the record.
  public let dataset: String
  /// The record's key as text, as `RecordKey` has it; in a table without a key its column `id`, and without one a
  /// number made of the URL.
  public let key: String
  /// The number of the image within its record, from 1.
  public let number: Int
  /// Where it is, as the record says.
  public let url: String

  /// Creates a reference to an image.
  public init(dataset: String, key: String, number: Int, url: String) {
    self.dataset = dataset
    self.key = key
    self.number = number
    self.url = url
  }

  /// The name of its file, without extension: made of key and number alone, never of anything a server
  /// says.
  public var stem: String { ImageName.stem(key: key, number: number) }

  /// Whether a file has a name under which the image is kept.
  func names(_ file: String) -> Bool {
    ImageKind.allCases.contains { file.utf8.elementsEqual("\(stem).\($0.fileExtension)".utf8) }
  }

  /// The name of the directory for the images of a dataset.
  public static func directoryName(of dataset: String) -> String { ImageName.escaped(dataset) }

  /// The columns of a schema that refer to images: those with a typical name that may hold URLs.
  public static func columns(of schema: Schema) -> [Int] {
    let words: Set<Substring> = [
      "image", "images", "picture", "pictures", "photo", "photos", "poster", "thumbnail", "avatar", "portrait",
    ]
    return schema.columns.indices.filter { place in
      mayHoldURLs(schema.columns[place].type)
        && schema.columns[place].name.lowercased().split(at: "_").contains(where: words.contains)
    }
  }

  /// Whether values of a type may be URLs.
  public static func mayHoldURLs(_ type: ColumnType) -> Bool {
    switch type {
    case .url, .text, .list(.url), .list(.text): true
    default: false
    }
  }
}
