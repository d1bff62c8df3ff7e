import Documents
import Domain
import Rows

/// A table as one HTML page: what precedes and follows the rows, which `HTMLRowWriter` writes.
///
/// A table that is complete within the measured head is a table of elements. A longer one is one block of text for
/// browsers with scripts, of which the script shows the rows near the window, and an ordinary table without.
struct TablePage: Sendable {
  private let schema: Schema
  private let columns: [PageColumn]
  private let isWhole: Bool
  /// Whether rows have one line: large tables are read by their lines.
  private let hasLines: Bool
  private let style: StyleSheet
  private let imageSources: [StaticString]
  private let map: PlaceMap?
  let rows: HTMLRowWriter

  /// The most rows of a table of elements: the page begins when there is one more.
  static let headRows = 499

  init(_ schema: Schema, _ layout: ColumnMetrics, images: PageImages, policy: PageImages.Policy, isChosen: Bool) {
    self.schema = schema
    let showsImages = policy != .links && policy != .none
    columns = PageColumn.columns(of: schema, layout.head, showsImages: showsImages, isChosen: isChosen)
    isWhole = layout.isWhole
    hasLines = layout.head.reduce(0) { $0 + $1.count } > 50
    rows = HTMLRowWriter(schema, columns: columns.map(\.written), images: images, policy: policy)
    style = PageColumn.style(columns, isWhole: isWhole)
    let hasImages = columns.contains(where: \.written.isImage)
    imageSources = hasImages ? Self.imageSources(policy, images) : []
    map = PlaceMap(schema, layout.head, isWhole: layout.isWhole)
  }

  private static func imageSources(_ policy: PageImages.Policy, _ images: PageImages) -> [StaticString] {
    let atHand: [StaticString] = images.isEmpty ? [] : images.arePart ? [" data:"] : [" 'self' file:"]
    switch policy {
    case .auto: return atHand + [" http: https:"]
    case .local, .embed: return atHand
    case .links, .none: return []
    }
  }

  /// The page up to the first row.
  func begin(_ out: inout ByteBuffer) {
    var page = Markup(continuing: &out)
    page.head(schema.name, style) { page in
      page.raw("; script-src ")
      page.text(bytes: Markup.policySource(of: PageAsset.tableScript))
      page.raw("; img-src")
      if imageSources.isEmpty { page.raw(" 'none'") }
      for source in imageSources { page.raw(source) }
    }
    page.raw("<a class=\"skip\" href=\"#rows\">Skip to the rows</a>\n<header>\n<h1 id=\"title\">")
    page.text(schema.name)
    page.raw("</h1>\n")
    putControls(&page)
    page.raw("</header>\n<main>\n")
    map?.write(to: &page)
    page.raw(
      hasLines
        ? "<table id=\"rows\" class=\"one\" aria-labelledby=\"title\">"
        : "<table id=\"rows\" aria-labelledby=\"title\">")
    page.raw("\n<thead>\n<tr>")
    putHeads(&page)
    if isWhole {
      page.raw("\n<tbody>\n")
    } else {
      // Without scripts this table replaces the other one.
      page.raw("\n</table>\n<noscript class=\"rows\"><table class=\"one\"><thead><tr>")
      putHeads(&page)
      page.raw("</thead>\n")
    }
    page.finish(into: &out)
  }

  private func putHeads(_ page: inout Markup) {
    let titleColumn = schema.title
    for column in columns {
      page.raw("<th scope=\"col\" data-t=\"")
      page.raw(column.kind.letter)
      page.raw(column.written.position == titleColumn ? "\" data-h=\"\"" : "\"")
      let description = schema.columns[column.written.position]
      if description.name != column.written.label { page.attribute("data-c", description.name) }
      if !description.summary.isEmpty { page.attribute("title", description.summary) }
      page.raw(column.written.isImage ? "><span>" : ">")
      page.text(column.written.label)
      if column.written.isImage { page.raw("</span>") }
    }
  }

  private func putControls(_ page: inout Markup) {
    page.raw(
      "<div class=\"bar\"><fieldset><legend>View</legend><label><input type=\"radio\" name=\"v\" checked>Table</label>")
    page.raw("<label><input type=\"radio\" name=\"v\" id=\"vc\">Cards</label></fieldset>\n")
    page.raw("<details class=\"k\"><summary>Columns<span> (")
    let possible = columns.filter { !$0.isEmpty || !isWhole }
    page.number(possible.count { !$0.isFolded })
    page.raw(" of ")
    page.number(possible.count)
    page.raw(")</span></summary><div>")
    for (index, column) in columns.enumerated() {
      page.raw("<label class=\"k")
      page.number(index + 1)
      page.raw("\"><input type=\"checkbox\" id=\"k")
      page.number(index + 1)
      page.raw(column.isFolded ? "\"> " : "\" checked> ")
      page.text(column.written.label)
      page.raw("</label>")
    }
    page.raw("</div></details>\n<div class=\"bar\" id=\"bar\">")
    page.raw("<input type=\"search\" id=\"q\" placeholder=\"Search (press /)\" aria-label=\"Search all columns\">")
    page.raw("<output id=\"n\" for=\"q\"></output><span class=\"bar\" id=\"f\"></span></div></div>\n")
  }

  /// The page after the last row.
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) {
    var page = Markup(continuing: &out)
    page.raw(isWhole ? "</table>\n</main>\n<footer>" : "</table></noscript>\n</main>\n<footer>")
    for index in columns.indices where !all.filled.contains(index) && all.rows > 0 {
      page.raw("<i id=\"e")
      page.number(index + 1)
      page.raw("\" hidden></i>")
    }
    page.number(all.rows)
    page.raw(all.rows == 1 ? " row</footer>\n" : " rows</footer>\n")
    page.raw("<script>")
    page.raw(PageAsset.tableScript)
    page.raw("</script>\n</body>\n</html>\n")
    page.finish(into: &out)
  }
}
