import Codecs
import Domain
import Rows

/// The manifest of a folder of pictures as JSON: an array, a record a line, which reads as a table.
enum ImageManifest {
  /// The records of a manifest.
  /// - Throws: `badData` for what bb does not write.
  static func read(_ text: [UInt8], name: String) throws(Problem) -> [ImageRecord] {
    let hint = "remove it, and everything is fetched again"
    do throws(Problem) {
      guard let list = try JSON.parse(text, name: name).arrayValue else {
        throw Problem(.badData, "is not a list of pictures", at: name)
      }
      var records: [ImageRecord] = []
      for element in list { records.append(try record(element)) }
      return records
    } catch {
      var problem = error.located(at: name)
      problem.hint = hint
      throw problem
    }
  }

  /// One record.
  static func record(_ value: JSON) throws(Problem) -> ImageRecord {
    guard let dataset = value["dataset"]?.stringValue, let key = value["key"]?.stringValue,
      let number = value["number"]?.integerValue, let url = value["url"]?.stringValue,
      let file = value["file"]?.stringValue, let bytes = value["bytes"]?.integerValue,
      let sha256 = value["sha256"]?.stringValue
    else { throw Problem(.badData, "a picture's line is not whole") }
    // The name is used as a path.
    guard !file.isEmpty, !file.hasPrefix("."), !file.utf8.contains(UInt8(ascii: "/")), !file.utf8.contains(0) else {
      throw Problem(.badData, "a picture's file has a name that bb does not give")
    }
    return ImageRecord(
      ImageReference(dataset: dataset, key: key, number: Int(number), url: url), file: file, bytes: Int(bytes),
      sha256: sha256, etag: value["etag"]?.stringValue, lastModified: value["last_modified"]?.stringValue)
  }

  /// A record as an object in one line, without the line's end.
  static func line(_ record: ImageRecord) -> [UInt8] {
    JSON.object([
      "dataset": .string(record.reference.dataset), "key": .string(record.reference.key),
      "number": .number(Int64(record.reference.number)), "url": .string(record.reference.url),
      "file": .string(record.file), "bytes": .number(Int64(record.bytes)), "sha256": .string(record.sha256),
      "etag": record.etag.map { .string($0) } ?? .null,
      "last_modified": record.lastModified.map { .string($0) } ?? .null,
    ]).canonicalBytes
  }

  /// The whole manifest.
  static func text(_ records: [ImageRecord]) -> [UInt8] {
    var text = Array("[".utf8)
    for (place, record) in records.enumerated() {
      text += (place == 0 ? "\n" : ",\n").utf8
      text += line(record)
    }
    return text + Array("\n]\n".utf8)
  }
}
