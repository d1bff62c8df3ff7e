import Codecs
import Documents
import Domain
import Rows

// The formats whose writers need no more than the options.
extension WriterFormat {
  /// A JSON array of objects.
  public static let json = json(
    "json", ["json"], "application/json", "A JSON array of objects, one per line, keys in column order", .array)
  /// One JSON object per line.
  public static let ndjson = json(
    "ndjson", ["ndjson", "jsonl"], "application/x-ndjson", "One JSON object per line", .lines)

  private static func json(
    _ name: String, _ fileExtensions: [String], _ mediaType: String, _ summary: String, _ framing: JSONWriter.Framing
  ) -> WriterFormat {
    var descriptor = ExporterDescriptor(
      name, fileExtensions: fileExtensions, mediaType: mediaType, summary: summary, isExact: true,
      options: [OptionKeys.nonfinite], limits: ExporterDescriptor.Limits(columns: CSVReading.maximumColumns))
    descriptor.neededTypes = .numbers
    return WriterFormat(descriptor) { (schema, options, _) throws(Problem) in
      let writer = JSONWriter(
        schema, framing: framing, nonfinite: try options.choice(OptionKeys.nonfinite, default: .error))
      return WriterEncoder(
        separator: writer.separator, begin: { (out) in writer.begin(&out) },
        end: { (isEmpty, out) in writer.finish(isEmpty: isEmpty, &out) }
      ) { (batch, out) throws(Problem) in
        try writer.write(batch, &out)
        return 0
      }
    }
  }

  /// GFM tables that any renderer shows as the source text: the default format.
  public static let markdown = WriterFormat(
    ExporterDescriptor(
      "markdown", fileExtensions: ["md", "markdown"], mediaType: "text/markdown; charset=utf-8",
      summary: "A GitHub Flavored Markdown table that renders as the original text", isExact: false)
  ) { (schema, _, _) in
    let table = MarkdownTable(schema)
    return WriterEncoder(begin: { (out) in table.begin(&out) }) { (batch, out) in table.write(batch, &out) }
  }

  /// One field per line, aligned names, a blank line between records.
  public static let record = WriterFormat(
    ExporterDescriptor(
      "record", fileExtensions: ["record"], mediaType: "text/plain; charset=utf-8",
      summary: "One field per line, with a blank line between records", isExact: false, isStyled: true)
  ) { (schema, options, _) in
    let terminal = options.terminalWidth.map {
      RecordWriter.Terminal(width: $0, style: options.style, showsAll: options.hasChosenColumns)
    }
    let writer = RecordWriter(schema, terminal: terminal)
    return WriterEncoder(separator: writer.separator, replacement: WriterEncoder.inText) { (batch, out) in
      writer.write(batch, &out)
    }
  }

  private static let dialect = ExporterDescriptor.Option(
    "dialect", "ansi|sqlite|postgres|mysql",
    "Database system; ansi works in SQLite, PostgreSQL, MariaDB and DuckDB "
      + "[default: ansi, or sqlite if only SQLite can have such columns]")

  /// SQL that creates and fills a table.
  public static let sql = WriterFormat(
    ExporterDescriptor(
      "sql", fileExtensions: ["sql"], mediaType: "application/sql",
      summary: "SQL statements that create and fill the table", isExact: true, isTypedByValue: true,
      options: [dialect, OptionKeys.nonfinite],
      limits: ExporterDescriptor.Limits(columns: SQLWriter.maximumColumns)),
    // The first rows decide how decimals, dates and times are declared.
    measuring: { (_) in .head(rows: 10_000) }
  ) { (schema, options, layout) throws(Problem) in
    let chosen: SQLDialect? = options.values[dialect.key] == nil ? nil : try options.choice(dialect, default: .ansi)
    let writer = try SQLWriter(
      schema, nonfinite: try options.choice(OptionKeys.nonfinite, default: .error), dialect: chosen,
      decimals: layout.decimals, types: options.types, head: layout.head)
    return WriterEncoder(begin: { (out) in writer.begin(&out) }, end: { (_, out) in writer.finish(&out) }) {
      (batch, out) throws(Problem) in
      try writer.write(batch, &out)
      return 0
    }
  }

  /// A YAML sequence of mappings, for readers of YAML 1.1 and 1.2.
  public static let yaml = WriterFormat(
    ExporterDescriptor(
      "yaml", fileExtensions: ["yaml", "yml"], mediaType: "application/yaml",
      summary: "A YAML sequence of mappings; text is always quoted", isExact: true, options: [OptionKeys.nonfinite])
  ) { (schema, options, _) throws(Problem) in
    let writer = YAMLWriter(schema, nonfinite: try options.choice(OptionKeys.nonfinite, default: .error))
    return WriterEncoder(end: { (isEmpty, out) in writer.finish(isEmpty: isEmpty, &out) }) {
      (batch, out) throws(Problem) in
      try writer.write(batch, &out)
      return 0
    }
  }

  /// Places as GeoJSON, for tables with latitude and longitude.
  static let geojson = WriterFormat(
    ExporterDescriptor(
      "geojson", fileExtensions: ["geojson"], mediaType: "application/geo+json",
      summary: "GeoJSON points; other columns become properties", isExact: true)
  ) { (schema, _, _) throws(Problem) in
    let writer = try GeoJSONWriter(schema)
    return WriterEncoder(
      separator: writer.separator, begin: { (out) in writer.begin(&out) },
      end: { (isEmpty, out) in writer.finish(isEmpty: isEmpty, &out) }
    ) { (batch, out) throws(Problem) in
      try writer.write(batch, &out)
      return 0
    }
  }

  /// Places for navigators, for tables with latitude and longitude.
  static let gpx = map("gpx", "application/gpx+xml", "GPX waypoints", .gpx)
  /// Places for maps, for tables with latitude and longitude.
  static let kml = map("kml", "application/vnd.google-earth.kml+xml", "KML placemarks", .kml)

  private static func map(
    _ name: String, _ mediaType: String, _ summary: String, _ format: KMLAndGPXWriter.Format
  ) -> WriterFormat {
    WriterFormat(
      ExporterDescriptor(name, fileExtensions: [name], mediaType: mediaType, summary: summary, isExact: false)
    ) { (schema, _, _) throws(Problem) in
      let writer = try KMLAndGPXWriter(schema, format: format)
      return WriterEncoder(begin: { (out) in writer.begin(&out) }, end: { (_, out) in writer.finish(&out) }) {
        (batch, out) throws(Problem) in try writer.write(batch, &out)
      }
    }
  }

  private static let version = ExporterDescriptor.Option(
    "version", "4.0|3.0", "Version of the standard; 3.0 for older address books [default: 4.0]")
  private static let images = ExporterDescriptor.Option(
    "images", "links|embed",
    "Photos of the web: as addresses, or stored images as part of the cards [default: links]")

  /// People as vCards, for tables with a column of names.
  static let vcard = WriterFormat(
    ExporterDescriptor(
      "vcard", fileExtensions: ["vcf"], mediaType: "text/vcard; charset=utf-8",
      summary: "vCards for an address book", isExact: false, options: [version, images])
  ) { (schema, options, _) throws(Problem) in
    let isEmbedded = options.values[images.key] == "embed"
    let writer = try VCardWriter(
      schema, version: try options.choice(version, default: .four),
      images: isEmbedded ? options.images : options.images.local)
    return WriterEncoder { (batch, out) throws(Problem) in try writer.write(batch, &out) }
  }
}
