public import Rows

/// Rows as a self-contained HTML page: a table that follows the light or dark theme, lists as lists, objects as terms,
/// URLs as links, coordinates as links to a map, images as thumbnails that link to the full size.
///
/// Data cannot become markup, and the page's content security policy allows no script. Only `http`, `https` and
/// `mailto` URLs become links.
public struct HTMLWriter: Sendable {
  private let schema: Schema
  private let showsPictures: Bool
  /// Where the table says what a map shows, if it does.
  private let place: PlaceColumns?

  /// A page of rows of `schema`. Without images, their URLs are links.
  public init(_ schema: Schema, showsPictures: Bool) {
    self.schema = schema
    self.showsPictures = showsPictures
    place = try? PlaceColumns(schema, format: "html")
  }

  private static let style: StaticString = """
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="referrer" content="no-referrer">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src http: https:">
    <style>
    :root { color-scheme: light dark; --line: #d0d7de; --head: #f6f8fa; }
    @media (prefers-color-scheme: dark) { :root { --line: #30363d; --head: #161b22; } }
    body { font: 15px/1.5 system-ui, sans-serif; margin: 2em; }
    table { border-collapse: collapse; }
    th, td { border: 1px solid var(--line); padding: 0.3em 0.6em; text-align: left; vertical-align: top; }
    th { background: var(--head); position: sticky; top: 0; }
    td { white-space: pre-wrap; overflow-wrap: break-word; max-width: 40em; }
    td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    ul { margin: 0; padding-left: 1.2em; }
    dl { display: grid; grid-template-columns: auto 1fr; gap: 0 0.8em; margin: 0; }
    dt { opacity: 0.7; }
    dd { margin: 0; }
    img { max-height: 8em; max-width: 12em; }
    </style>

    """

  /// The page up to the first row.
  public func begin(_ out: inout ByteBuffer) {
    out.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n")
    out.append(Self.style)
    out.append("<title>")
    out.append(markup: schema.name)
    out.append("</title>\n</head>\n<body>\n<h1>")
    out.append(markup: schema.name)
    out.append("</h1>\n<table>\n<thead>\n<tr>")
    for column in schema.columns {
      out.append("<th")
      if !column.summary.isEmpty {
        out.append(" title=\"")
        out.append(markup: column.summary)
        out.append("\"")
      }
      out.append(">")
      out.append(markup: column.name)
      out.append("</th>")
    }
    out.append("</tr>\n</thead>\n<tbody>\n")
  }

  /// The page from the last row on.
  public func finish(_ out: inout ByteBuffer) { out.append("</tbody>\n</table>\n</body>\n</html>\n") }

  /// The rows of a batch.
  ///
  /// - Returns: how many cells had control characters, which are shown as U+FFFD.
  public func write(_ batch: RowBatch, _ out: inout ByteBuffer) -> Int {
    let arena = batch.arena
    var cursor = WriteCursor(&out, margin: batch.width * (NumberWriter.longest + 64) + 32)
    var noted = 0
    for row in 0..<batch.count {
      cursor.ensure(0, &out)
      cursor.put("<tr>")
      for column in 0..<batch.width {
        cursor.put(schema.columns[column].type.isNumeric ? "<td class=\"n\">" : "<td>")
        let map = mapAddress(batch, row, column)
        if let map { putLink(map, &cursor, &out) }
        switch batch[row, column] {
        case .null: break
        case .text(let start, let length): noted += putText(ByteRun(arena, start, length), &cursor, &out)
        case .json(let start, let length): noted += putNested(ByteRun(arena, start, length), &cursor, &out)
        case .number(let start, let length):
          cursor.ensure(Int(length), &out)
          cursor.put(ByteRun(arena, start, length))
          putStars(.number(start, length), arena, column, &cursor)
        case .integer(let value):
          cursor.put(value)
          putStars(.integer(value), arena, column, &cursor)
        case .real(let value):
          if value.isFinite { cursor.put(value) } else { cursor.put(NonfinitePolicy.word(for: value)) }
          putStars(.real(value), arena, column, &cursor)
        case .boolean(let value): cursor.put(value ? "true" : "false")
        case .bytes(let start, let length): cursor.putBase64(ByteRun(arena, start, length), &out)
        }
        cursor.put(map == nil ? "</td>" : "</a></td>")
      }
      cursor.put("</tr>\n")
    }
    cursor.commit(to: &out)
    return noted
  }

  /// The map of the place that a coordinate in this column is of.
  private func mapAddress(_ batch: RowBatch, _ row: Int, _ column: Int) -> String? {
    guard let place, column == place.latitude || column == place.longitude else { return nil }
    func degrees(_ column: Int, limit: Double) -> Double? {
      (try? place.coordinate(batch, row, column, limit: limit, schema)).flatMap {
        Double(String(decoding: $0, as: UTF8.self))
      }
    }
    guard let latitude = degrees(place.latitude, limit: 90), let longitude = degrees(place.longitude, limit: 180)
    else { return nil }
    return (try? Coordinates(latitude: latitude, longitude: longitude))?.mapURL
  }

  private func putLink(_ address: String, _ cursor: inout WriteCursor, _ out: inout ByteBuffer) {
    var text = ByteBuffer(capacity: 256)
    text.append("<a rel=\"noopener\" href=\"")
    text.append(markup: address)
    text.append("\">")
    text.run { (bytes: ByteRun) in
      cursor.ensure(bytes.count, &out)
      cursor.put(bytes)
    }
  }

  private func putStars(_ cell: Cell, _ arena: Arena, _ column: Int, _ cursor: inout WriteCursor) {
    guard schema.columns[column].unit == Stars.unit, let stars = Stars.text(of: cell, arena) else { return }
    cursor.put(" ")
    cursor.put(stars)
  }

  /// Text, as a link or an image if it is a URL.
  private func putText(_ text: ByteRun, _ cursor: inout WriteCursor, _ out: inout ByteBuffer) -> Int {
    guard WebAddress.isOne(text) || WebAddress.isMail(text) else { return cursor.putMarkup(text, &out) }
    cursor.ensure(64, &out)
    cursor.put("<a rel=\"noopener\" href=\"")
    _ = cursor.putMarkup(text, &out)
    cursor.ensure(64, &out)
    cursor.put("\">")
    if showsPictures, WebAddress.isPicture(text) {
      cursor.put("<img loading=\"lazy\" alt=\"")
      _ = cursor.putMarkup(text, &out)
      cursor.ensure(64, &out)
      cursor.put("\" src=\"")
      _ = cursor.putMarkup(text, &out)
      cursor.ensure(64, &out)
      cursor.put("\">")
    } else {
      _ = cursor.putMarkup(text, &out)
    }
    cursor.ensure(64, &out)
    cursor.put("</a>")
    return 0
  }

  /// A list as a list, an object as a table of its keys, any other value as people read it.
  private func putNested(
    _ value: ByteRun, depth: Int = 0, _ cursor: inout WriteCursor, _ out: inout ByteBuffer
  ) -> Int {
    var walk = NestedText(value), noted = 0, isEmpty = true
    guard walk.isArray || walk.isObject, depth < Self.deepest else {
      var plain = ByteBuffer(capacity: 256)
      NestedText.appendPlain(value, to: &plain)
      return plain.run { putText($0, &cursor, &out) }
    }
    while let first = walk.next() {
      cursor.ensure(64, &out)
      if walk.isArray {
        cursor.put(isEmpty ? "<ul><li>" : "<li>")
        noted |= putNested(first, depth: depth + 1, &cursor, &out)
        cursor.ensure(64, &out)
        cursor.put("</li>")
      } else {
        cursor.put(isEmpty ? "<dl><dt>" : "<dt>")
        noted |= putNested(first, depth: Self.deepest, &cursor, &out)
        cursor.ensure(64, &out)
        cursor.put("</dt><dd>")
        if let second = walk.next(), !second.equals(Array("null".utf8)) {
          noted |= putNested(second, depth: depth + 1, &cursor, &out)
        }
        cursor.ensure(64, &out)
        cursor.put("</dd>")
      }
      isEmpty = false
    }
    cursor.ensure(64, &out)
    if !isEmpty { cursor.put(walk.isArray ? "</ul>" : "</dl>") }
    return noted
  }

  /// Values nested deeper are shown as JSON text.
  private static let deepest = 16
}

extension WebAddress {
  /// Whether the text is an email address with its scheme: `mailto:a@b.c`.
  static func isMail(_ text: ByteRun) -> Bool {
    let scheme: StaticString = "mailto:"
    guard text.count > scheme.utf8CodeUnitCount else { return false }
    for i in 0..<scheme.utf8CodeUnitCount where unsafe text[i] != scheme.utf8Start[i] { return false }
    for i in 0..<text.count where text[i] <= 0x20 || text[i] == 0x7F { return false }
    return true
  }

  /// Whether the URL refers to an image, by the extension of its path.
  static func isPicture(_ text: ByteRun) -> Bool {
    guard isOne(text) else { return false }
    var end = 0
    while end < text.count, text[end] != UInt8(ascii: "?"), text[end] != UInt8(ascii: "#") { end += 1 }
    for suffix: StaticString in [".jpg", ".jpeg", ".png", ".gif", ".webp"] {
      let count = suffix.utf8CodeUnitCount
      guard end > count else { continue }
      let start = end - count
      if (0..<count).allSatisfy({ unsafe text[start + $0] | 0x20 == suffix.utf8Start[$0] | 0x20 }) { return true }
    }
    return false
  }
}
