import Codecs
public import Rows

/// Rows as rows of an HTML table: lists as lists, objects as terms, addresses as links, images as thumbnails that
/// link to the full size. What a column looks like is the business of the style sheet: cells have no attributes.
///
/// Data cannot become markup. Only `http`, `https` and `mailto` URLs become links.
public struct HTMLRowWriter: Sendable {
  private let schema: Schema
  private let columns: [Column]
  private let images: PageImages
  private let policy: PageImages.Policy
  /// The column with the record's name.
  private let title: Int?
  /// Where the table says what a map shows, if it does.
  private let place: PlaceColumns?

  /// A column of the page.
  public struct Column: Sendable, Hashable {
    /// The position in the schema.
    public var position: Int
    /// The name as a reader sees it.
    public var label: String
    /// Whether addresses are shown as images.
    public var isImage: Bool
    /// For thumbnails: the position of the column with the image.
    var full: Int?

    /// A column.
    public init(position: Int, label: String, isImage: Bool, full: Int? = nil) {
      self.position = position
      self.label = label
      self.isImage = isImage
      self.full = full
    }
  }

  /// A writer of `columns`, in their order, of rows of `schema`.
  public init(_ schema: Schema, columns: [Column], images: PageImages, policy: PageImages.Policy) {
    self.schema = schema
    self.columns = columns
    self.images = images
    self.policy = policy
    title = schema.title
    place = try? PlaceColumns(schema, format: "html")
  }

  /// A report on the rows written.
  public struct Written: Sendable, Hashable {
    /// The number of cells with control characters, which are shown as U+FFFD.
    public var reportedCells = 0
    /// The number of images that are links because they are not at hand.
    public var missingImages = 0
    /// The positions in `columns` of those with a value.
    public var filled = ColumnSet()
  }

  /// Texts with more bytes are folded.
  private static let longText = 160, longNested = 90
  /// Values nested deeper are shown as JSON text.
  private static let deepest = 16
  /// Lists with more addresses are folded after these.
  private static let shownLinks = 5

  /// The rows of a batch, each as a line that begins with `<tr>`.
  public func write(_ batch: RowBatch, _ markup: inout Markup) -> Written {
    var written = Written()
    for row in 0..<batch.count {
      markup.raw("<tr>")
      for (index, column) in columns.enumerated() {
        let cell = batch[row, column.position]
        // The name of the record is the header of its row, which is never blank.
        markup.raw(
          column.position == title && !Self.isBlank(cell, batch.arena) ? "<th scope=\"row\">" : "<td>")
        if case .null = cell { continue }
        let start = markup.count, replaced = markup.replaced
        write(cell, batch, row, column, &markup, &written)
        if markup.count > start { written.filled.insert(index) }
        if markup.replaced > replaced { written.reportedCells += 1 }
      }
      markup.raw("\n")
    }
    return written
  }

  private static func isBlank(_ cell: Cell, _ arena: Arena) -> Bool {
    guard case .text(let start, let length) = cell else { return cell.isNull }
    let text = ByteRun(arena, start, length)
    return text.count == 0 || !(0x21...0x7E).contains(text[0]) && text.text.allSatisfy(\.isWhitespace)
  }

  private func write(
    _ cell: Cell, _ batch: RowBatch, _ row: Int, _ column: Column, _ markup: inout Markup, _ written: inout Written
  ) {
    let chunk = batch.arena
    if column.isImage, putImages(cell, batch, row, column, &markup, &written) { return }
    switch cell {
    case .null: break
    case .text(let start, let length):
      let text = ByteRun(chunk, start, length)
      if putLink(text, &markup) { return }
      guard text.count > Self.longText else { return markup.text(text) }
      beginFold(column, &markup)
      markup.text(text)
      markup.raw("</span></label>")
    case .json(let start, let length):
      let text = ByteRun(chunk, start, length)
      if schema.columns[column.position].unit == Histogram.unit, Histogram.append(text, to: &markup) { return }
      let links = Self.linkCount(text)
      guard text.count > Self.longNested, links == 0 else { return putNested(text, links: links, &markup) }
      beginFold(column, &markup)
      putNested(text, links: 0, &markup)
      markup.raw("</span></label>")
    default:
      let isMapped = putMapLink(batch, row, column.position, &markup)
      markup.scalar(cell, chunk)
      if schema.columns[column.position].unit == Stars.unit, let stars = Stars.text(of: cell, chunk) {
        markup.raw(" ")
        markup.raw(stars)
      }
      if isMapped { markup.raw("</a>") }
    }
  }

  private func beginFold(_ column: Column, _ markup: inout Markup) {
    markup.raw("<label><input type=\"checkbox\"")
    markup.attribute("aria-label", "Show all of \(column.label)")
    markup.raw("><span>")
  }

  // MARK: - Links

  /// A URL as a link, without what all URLs have in common. - Returns: whether the text is one.
  private func putLink(_ text: ByteRun, _ markup: inout Markup) -> Bool {
    let isMail = WebAddress.isMail(text)
    guard isMail || WebAddress.isOne(text) else { return false }
    markup.raw(isMail ? "<a" : "<a rel=\"noopener\"")
    _ = markup.attribute(.href, web: text)
    markup.raw(">")
    markup.text(Self.shortened(text))
    markup.raw("</a>")
    return true
  }

  /// A URL without `https://www.`.
  private static func shortened(_ url: ByteRun) -> ByteRun {
    var start = 0
    while start < url.count, url[start] != UInt8(ascii: ":") { start += 1 }
    start += 1
    while start < url.count, url[start] == UInt8(ascii: "/") { start += 1 }
    let www = Array("www.".utf8)
    if url.count > start + 4, (0..<4).allSatisfy({ url[start + $0] == www[$0] }) { start += 4 }
    return start < url.count ? url.slice(from: start, atMost: url.count - start) : url
  }

  /// Begins a link to a map, if the cell is a coordinate.
  private func putMapLink(_ batch: RowBatch, _ row: Int, _ column: Int, _ markup: inout Markup) -> Bool {
    guard let place, column == place.latitude || column == place.longitude,
      let coordinates = place.coordinates(batch, row, schema),
      let address = PageAddress(web: Array(coordinates.mapURL.utf8))
    else { return false }
    markup.raw("<a rel=\"noopener\"")
    markup.attribute(.href, address)
    markup.raw(">")
    return true
  }

  // MARK: - Nested values

  /// The number of texts in a nested value that begin like an address.
  private static func linkCount(_ text: ByteRun) -> Int {
    var count = 0, position = 0
    while position + 6 < text.count {
      if text[position] == UInt8(ascii: "\"") {
        let next = text[position + 1] | 0x20
        if next == UInt8(ascii: "h") || next == UInt8(ascii: "m"),
          WebAddress.begins(text.slice(from: position + 1, atMost: text.count - position - 1))
        {
          count += 1
        }
      }
      position += 1
    }
    return count
  }

  /// A list as a list, an object as terms, any other value as people read it.
  private func putNested(_ value: ByteRun, links: Int, depth: Int = 0, _ markup: inout Markup) {
    var walk = NestedText(value)
    guard walk.isArray || walk.isObject, depth < Self.deepest else {
      if value.equals(Array("null".utf8)) { return }
      var plain = ByteBuffer(capacity: 256)
      NestedText.appendPlain(value, to: &plain)
      let bytes = plain.bytes(), arena = Arena(bytes)
      let text = ByteRun(arena, 0, UInt32(bytes.count))
      if !putLink(text, &markup) { markup.text(text) }
      return
    }
    var count = 0
    // A list of addresses is not in a label, where a click would do two things.
    let isFolded = depth == 0 && walk.isArray && links > Self.shownLinks
    while let element = walk.next() {
      if walk.isArray {
        if isFolded, count == Self.shownLinks {
          markup.raw("</ul><details><summary>")
          markup.number(links - count)
          markup.raw(" more</summary><ul>")
        } else if count == 0 {
          markup.raw("<ul>")
        }
        markup.raw("<li>")
        putNested(element, links: 0, depth: depth + 1, &markup)
      } else {
        markup.raw(count == 0 ? "<dl><dt>" : "<dt>")
        putNested(element, links: 0, depth: Self.deepest, &markup)
        markup.raw("<dd>")
        if let member = walk.next() { putNested(member, links: 0, depth: depth + 1, &markup) }
      }
      count += 1
    }
    guard count > 0 else { return }
    markup.raw(walk.isObject ? "</dl>" : isFolded && count > Self.shownLinks ? "</ul></details>" : "</ul>")
  }

  // MARK: - Images

  /// The first image as a thumbnail, the others as numbered links.
  /// - Returns: whether there is an address; then nothing else is to be shown.
  private func putImages(
    _ cell: Cell, _ batch: RowBatch, _ row: Int, _ column: Column, _ markup: inout Markup, _ written: inout Written
  ) -> Bool {
    let addresses = addresses(cell, batch)
    guard let first = addresses.first else { return false }
    let full = column.full.flatMap { self.addresses(batch[row, $0], batch).first } ?? first
    let name = caption(batch, row)
    markup.raw("<a")
    markup.attribute(.href, full.image.address)
    if first.isShown {
      if addresses.count > 1 {
        markup.attribute("data-n", "+\(addresses.count - 1)")
      } else {
        markup.raw(" data-n=\"\"")
      }
      markup.raw("><img loading=\"lazy\" decoding=\"async\"")
      markup.attribute("width", Self.thumbnailWidth(first.image.size))
      markup.attribute("height", Self.thumbnailHeight)
      markup.attribute("alt", addresses.count > 1 ? "\(name), image 1 of \(addresses.count)" : name)
      markup.attribute(.src, first.image.address)
      markup.raw(">")
    } else {
      written.missingImages += 1
      markup.raw(" rel=\"noopener\">image")
    }
    markup.raw("</a>")
    for (index, address) in addresses.enumerated().dropFirst() {
      markup.raw(" <a")
      markup.attribute(.href, address.image.address)
      markup.attribute("aria-label", "image \(index + 1)")
      markup.raw(">")
      markup.number(index + 1)
      markup.raw("</a>")
      if !address.isShown { written.missingImages += 1 }
    }
    return true
  }

  private static let thumbnailHeight = 32

  /// The width of a thumbnail, which shows the whole image.
  private static func thumbnailWidth(_ size: ImageSize?) -> Int {
    guard let size else { return 42 }
    return min(max(size.width * thumbnailHeight / size.height, 24), 58)
  }

  /// The images that a cell refers to, and whether each is shown: the elements of a list, or of a text that is one.
  private func addresses(_ cell: Cell, _ batch: RowBatch) -> [(image: PageImages.Image, isShown: Bool)] {
    switch cell {
    case .text(let start, let length):
      let text = batch.bytes(start, length)
      if let found = address(text) { return [found] }
      let list = ListText.parts(ofText: text).map(address)
      // A text of which a part is not an address is a text.
      return list.contains { $0 == nil } ? [] : list.compactMap(\.self)
    case .json(let start, let length):
      return ListText.elements(of: batch.bytes(start, length)).compactMap { address(Array($0.utf8)) }
    default: return []
    }
  }

  /// The image for an address in the data, and whether it is shown.
  private func address(_ text: [UInt8]) -> (image: PageImages.Image, isShown: Bool)? {
    if let local = images[text] { return (local, true) }
    guard let web = PageAddress(web: text), !text.starts(with: "mailto:".utf8) else { return nil }
    return (PageImages.Image(web), policy == .auto)
  }

  /// The name of the record, for those who do not see the image.
  private func caption(_ batch: RowBatch, _ row: Int) -> String {
    guard let title, case .text(let start, let length) = batch[row, title], length > 0 else { return "image" }
    return String(String(decoding: batch.bytes(start, min(length, 320)), as: UTF8.self).prefix(80))
  }
}

extension PlaceColumns {
  /// The place of a row; nil if a coordinate is missing or out of range.
  func coordinates(_ batch: RowBatch, _ row: Int, _ schema: Schema) -> Coordinates? {
    func degrees(_ column: Int, limit: Double) -> Double? {
      (try? coordinate(batch, row, column, limit: limit, schema)).flatMap {
        Double(String(decoding: $0, as: UTF8.self))
      }
    }
    guard let latitude = degrees(latitude, limit: 90), let longitude = degrees(longitude, limit: 180) else {
      return nil
    }
    return try? Coordinates(latitude: latitude, longitude: longitude)
  }
}
