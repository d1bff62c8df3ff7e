import Codecs
import Documents
public import Domain
public import Rows

/// A web page with a table, for any browser, light or dark.
public struct HTMLExporter: ByteFormat {
  private static let images = ExporterDescriptor.Option(
    "images", aliases: ["pictures"], "auto|local|embed|links|none|yes|no",
    "Show images: fetched ones or from the web, only fetched ones, as part of the page, as links, not at all "
      + "[default: auto]")

  /// The format.
  public init() {}

  /// `html`.
  public var descriptor: ExporterDescriptor {
    var descriptor = ExporterDescriptor(
      "html", fileExtensions: ["html", "htm"], mediaType: "text/html; charset=utf-8",
      summary: "An HTML page with a table or cards, search, images and a map; light or dark", isExact: false,
      measuring: .head(rows: TablePage.headRows), options: [Self.images])
    descriptor.losesBytes = true
    return descriptor
  }

  /// An encoder.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    if let page = ProfilePage(schema, layout.head) { return page }
    let word = options.values[Self.images.key] ?? "auto"
    let policy: PageImages.Policy
    switch word {
    // The words of earlier versions.
    case "yes": policy = .auto
    case "no": policy = .links
    default:
      guard let known = PageImages.Policy(rawValue: word) else { throw Self.images.problem(with: word) }
      policy = known
    }
    return HTMLEncoder(
      page: TablePage(schema, layout, images: options.images, policy: policy, isChosen: options.hasChosenColumns),
      policy: policy)
  }
}

private struct HTMLEncoder: RowEncoder {
  let page: TablePage
  let policy: PageImages.Policy

  func begin(_ out: inout ByteBuffer) { page.begin(&out) }
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    var markup = Markup(continuing: &out)
    let written = page.rows.write(batch, &markup)
    markup.finish(into: &out)
    return EncodedPart(
      rows: batch.count, reportedCells: written.reportedCells, missingImages: written.missingImages,
      filled: written.filled)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) { page.finish(all, &out) }
  func warning(_ all: EncodedPart) -> Warning? {
    var parts: [String] = [], hint = Remedy()
    if all.reportedCells > 0 {
      parts.append(
        "\(counted(all.reportedCells, "cell")) with control characters, shown as U+FFFD (carriage returns as line breaks)"
      )
    }
    if policy == .local || policy == .embed, all.missingImages > 0 {
      parts.append(
        "\(counted(all.missingImages, "image")) not at hand, shown as links")
      hint = .set(.imageDirectory, for: "name their directory")
    }
    if all.rows > 500_000 {
      parts.append("a page with \(all.rows) rows")
      hint = hint.or([.set(.limit), .set(.outputFormat, to: "sqlite")])
    }
    return parts.isEmpty ? nil : Warning(parts.joined(separator: "; "), hint: hint)
  }
}
