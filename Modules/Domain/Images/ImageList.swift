import Codecs
import Query
public import Rows

/// The pictures that the rows of a table name, each once.
public struct ImageList: Sendable {
  /// The pictures, row by row, in the order of the columns.
  public private(set) var references: [ImageReference] = []
  /// Rows looked at.
  public private(set) var rows = 0
  private let schema: Schema
  private let columns: [Int]
  /// Where the key is taken from when the schema has none.
  private let identifier: Int?
  /// How many pictures a key has so far, and the URLs that were met, where keys may come again.
  private var counts: [String: Int] = [:]
  private var seen: Set<[UInt8]> = []

  /// The pictures of rows of `schema` that stand in `columns`.
  public init(of schema: Schema, in columns: [Int]) {
    self.schema = schema
    self.columns = columns
    identifier = schema.position(of: "id")
  }

  /// Adds those of some rows.
  public mutating func add(_ batch: RowBatch) {
    for row in 0..<batch.count {
      let key = RecordKey.text(of: row, in: batch, schema).map { String(decoding: $0, as: UTF8.self) }
      var number = 0
      for url in urls(batch, row) where !url.isEmpty {
        if let key {
          number += 1
          add(key, number, url)
        } else if seen.insert(url).inserted {
          // Without a key a record is not told from another: the same picture is taken once.
          let made = identifierText(batch, row) ?? ImageName.mark(url)
          counts[made, default: 0] += 1
          add(made, counts[made] ?? 1, url)
        }
      }
    }
    rows += batch.count
  }

  private mutating func add(_ key: String, _ number: Int, _ url: [UInt8]) {
    references.append(
      ImageReference(dataset: schema.name, key: key, number: number, url: String(decoding: url, as: UTF8.self)))
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
