import Codecs
import Query
public import Rows

/// The images that the rows of a table refer to, each once.
public struct ImageList: Sendable {
  /// The images, row by row, in the order of the columns.
  public private(set) var references: [ImageReference] = []
  /// Rows looked at.
  public private(set) var rows = 0
  private let schema: Schema
  private let columns: [Int]
  /// Where the key is taken from when the schema has none.
  private let identifier: Int?
  /// The images so far by the name their files begin with: keys that share one are numbered on.
  private var counts: [String: Int] = [:]
  /// The keys of more than one record with images, each once, in the order they were met.
  public private(set) var repeatedKeys: [String] = []
  private var repeated: Set<String> = []
  /// URLs that were met where there is no key to tell records apart.
  private var seen: Set<[UInt8]> = []

  /// Collects the images in `columns` of rows of `schema`.
  public init(of schema: Schema, in columns: [Int]) {
    self.schema = schema
    self.columns = columns
    identifier = schema.position(of: "id")
  }

  /// Adds those of some rows.
  public mutating func add(_ batch: RowBatch) {
    for row in 0..<batch.count {
      let key = RecordKey.text(of: row, in: batch, schema).map { String(decoding: $0, as: UTF8.self) }
      let identifier = key ?? identifierText(batch, row)
      var isNew = true
      for url in urls(batch, row) where !url.isEmpty {
        // Without a key a record is not told from another: the same image is taken once.
        guard key != nil || seen.insert(url).inserted else { continue }
        let name = identifier ?? ImageName.mark(url)
        let number = (counts[ImageName.escaped(name)] ?? 0) + 1
        if identifier != nil, isNew, number > 1, repeated.insert(name).inserted { repeatedKeys.append(name) }
        isNew = false
        counts[ImageName.escaped(name)] = number
        references.append(
          ImageReference(
            dataset: schema.name, key: name, number: number, url: String(decoding: url, as: UTF8.self)))
      }
    }
    rows += batch.count
  }

  private func identifierText(_ batch: RowBatch, _ row: Int) -> String? {
    switch identifier.map({ batch.value(row, $0) }) {
    case .integer(let value): String(value)
    case .text(let bytes) where !bytes.isEmpty: String(decoding: bytes, as: UTF8.self)
    case .number(let literal): String(decoding: literal, as: UTF8.self)
    default: nil
    }
  }

  /// The URLs in a row's columns: a text, or each of a list.
  private func urls(_ batch: RowBatch, _ row: Int) -> [[UInt8]] {
    var urls: [[UInt8]] = []
    for column in columns {
      switch batch.value(row, column) {
      case .text(let url): urls.append(url)
      case .json(let list):
        _ = unsafe list.withUnsafeBytes { bytes in
          unsafe ListText.first(in: bytes) { element in
            urls.append(element)
            return false
          }
        }
      default: break
      }
    }
    return urls
  }
}
