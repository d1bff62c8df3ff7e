import Codecs
public import Domain
public import Rows
internal import Synchronization

/// A file that describes the columns of the files next to it: a format that writes no rows.
public struct MetadataExporter: ByteFormat {
  /// A file that is described.
  public struct File: Sendable {
    let name: String
    let format: ExporterDescriptor
    let options: ExportOptions

    /// A file that is described.
    public init(name: String, format: ExporterDescriptor, options: ExportOptions) {
      self.name = name
      self.format = format
      self.options = options
    }

    /// Its CSV style, if it is CSV.
    fileprivate func style() throws(Problem) -> CSVStyle? {
      guard CSVExporter.names.contains(format.name) else { return nil }
      let style = try options.csvStyle(isTabbed: format.name == CSVExporter.tsv.descriptor.name)
      guard style.nested != .flatten else {
        throw Problem(
          .usage, "\(name): columns that are written in parts cannot be described", hint: .omit(.formatOption("nested"))
        )
      }
      return style
    }
  }

  private enum Form: String, Sendable {
    case csvw, dataPackage = "datapackage", jsonSchema = "json-schema", frictionless

    var summary: String {
      switch self {
      case .csvw: "The columns as metadata of CSV on the Web"
      case .dataPackage: "A Frictionless Data Package of files"
      case .jsonSchema: "A JSON Schema that every row meets"
      case .frictionless: "The columns as a Frictionless table schema"
      }
    }
  }
  private let form: Form
  private let files: [File]

  /// The metadata of one CSV file (W3C CSV on the Web), for the file next to it.
  public static func csvw(_ file: File) -> MetadataExporter { MetadataExporter(form: .csvw, files: [file]) }
  /// The description of all files of a directory (Frictionless Data Package).
  public static func dataPackage(_ files: [File]) -> MetadataExporter {
    MetadataExporter(form: .dataPackage, files: files)
  }

  /// The description of rows of a name: `json-schema`, `csvw` or `frictionless`; nil for any other.
  public static func description(named name: String) -> MetadataExporter? {
    guard let form = Form(rawValue: name), form != .dataPackage else { return nil }
    return MetadataExporter(form: form, files: [])
  }

  /// The name in messages.
  public var descriptor: ExporterDescriptor {
    ExporterDescriptor(
      form.rawValue, fileExtensions: form == .jsonSchema ? ["schema.json"] : [], mediaType: "application/json",
      summary: form.summary, isExact: false)
  }

  /// An encoder that writes the description, and no rows.
  public func makeEncoder(
    for schema: Schema, options: ExportOptions, layout: ColumnMetrics
  ) throws(Problem) -> any RowEncoder {
    switch form {
    case .jsonSchema:
      return MetadataEncoder(schema: schema) { JSONSchemaDocument.text(of: schema, facts: $0) }
    case .frictionless:
      return MetadataEncoder(schema: schema) { DataPackageDocument.schemaText(of: $0.proven(schema), facts: $0) }
    case .csvw where files.isEmpty:
      return MetadataEncoder(schema: schema) { facts in
        CSVWDocument.text(of: facts.proven(schema), file: "\(schema.name).csv", facts: facts)
      }
    case .csvw:
      let file = files[0].name, style = try files[0].style() ?? CSVStyle()
      return MetadataEncoder(schema: schema) { facts in
        CSVWDocument.text(of: schema, file: file, style: style, facts: facts)
      }
    case .dataPackage:
      let resources = try files.map { (file) throws(Problem) in
        DataPackageDocument.Resource(
          file: file.name, format: file.format.name, mediaType: file.format.mediaType, style: try file.style())
      }
      return MetadataEncoder(schema: schema) { facts in
        DataPackageDocument.text(of: schema, resources: resources, facts: facts)
      }
    }
  }
}

/// Writes the description after the last row, when all that the rows show is known.
private final class MetadataEncoder: RowEncoder {
  private let schema: Schema
  private let text: @Sendable (ColumnFacts) -> [UInt8]
  private let facts = Mutex(ColumnFacts())

  init(schema: Schema, text: @escaping @Sendable (ColumnFacts) -> [UInt8]) {
    self.schema = schema
    self.text = text
  }

  func begin(_ out: inout ByteBuffer) {}
  func encode(_ batch: RowBatch, _ out: inout ByteBuffer) -> EncodedPart {
    var found = ColumnFacts()
    found.add(batch, of: schema)
    facts.withLock { $0.formUnion(found) }
    return EncodedPart(rows: batch.count)
  }
  func finish(_ all: EncodedPart, _ out: inout ByteBuffer) { out.append(bytes: text(facts.withLock { $0 })) }
}
