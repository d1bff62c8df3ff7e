import Codecs
import Rows

/// Images that are part of imported records, as `data:` URLs, and become files of a store.
public struct EmbeddedImages: Sendable {
  private static let prefix = "data:"
  private let directory: any ImageDirectory

  /// Creates the images of the store with this directory.
  public init(_ directory: any ImageDirectory) { self.directory = directory }

  /// The URL of an image in base64, whose white space is removed; nil if it is not an image that stores can hold.
  static func url(base64 text: String) -> String? {
    let digits = Array(text.utf8.filter { $0 > 0x20 })
    guard let bytes = Base64.decode(digits), ImageKind(beginning: Array(bytes.prefix(64))) != nil else { return nil }
    return "\(prefix);base64,\(String(decoding: digits, as: UTF8.self))"
  }
  /// The bytes of an image that is a `data:` URL in base64; nil for another address.
  static func bytes(of url: String) -> [UInt8]? {
    guard url.hasPrefix(prefix), let comma = url.utf8.firstIndex(of: UInt8(ascii: ",")),
      url.utf8[..<comma].count >= 12, String(url[..<comma]).lowercased().hasSuffix(";base64")
    else { return nil }
    return Base64.decode(Array(url.utf8[url.utf8.index(after: comma)...]))
  }

  /// The record with the names of the images that `before` has already: an image is the same if its bytes are.
  func known(in record: Record, before: Record?) throws(Problem) -> Record {
    let names = before?[.images] ?? []
    guard !names.isEmpty, record[.images].contains(where: { $0.hasPrefix(Self.prefix) }) else { return record }
    var copy = record, images: [String] = []
    for image in record[.images] {
      var found = image
      if let bytes = Self.bytes(of: image) {
        for name in names where !images.contains(name) {
          guard try directory.bytes(of: name) == bytes else { continue }
          found = name
          break
        }
      }
      images.append(found)
    }
    copy[.images] = images
    return copy
  }

  /// The record with the names of its images, after they were written into the store.
  /// - Throws: `badData` for an image that stores cannot hold; `permission`, `io`.
  func stored(_ record: Record, of dataset: String, from place: String) async throws(Problem) -> Record {
    guard record[.images].contains(where: { Self.bytes(of: $0) != nil }) else { return record }
    var copy = record, images: [String] = []
    for image in record[.images] {
      guard let bytes = Self.bytes(of: image) else {
        images.append(image)
        continue
      }
      images.append(try await directory.add(bytes, from: place, to: dataset, record: record[.id] ?? ""))
    }
    copy[.images] = images
    return copy
  }
}
