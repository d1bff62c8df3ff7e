import Codecs
import Domain
import Rows

/// Makes a dataset out of its node in a source's file, which is of the right form; what one place says of another is
/// checked here.
struct SourceFileDataset {
  let node: SourceNode

  init(_ node: SourceNode) { self.node = node }

  /// The dataset with its columns.
  /// - Throws: `configuration` for columns that are there twice, or named and not there.
  func read() throws(Problem) -> APIDataset {
    let supplements = node["supplements"]?.elements ?? []
    let schema = try schema()
    var filled: Set<String> = []
    for column in supplements.flatMap({ $0["columns"]?.elements ?? [] }) {
      let name = column["name"]?.text ?? ""
      guard schema.position(of: name) != nil else {
        throw column.unknown(name, "column", schema.columns.map(\.name))
      }
      guard filled.insert(name).inserted else { throw column.problem("\(name) is set more than once") }
    }
    let occurrence = try occurrence(schema)
    if let occurrence { filled.insert(occurrence) }
    let columns = try columns(without: filled)
    try checkReferences()
    for member in node["submission"]?["members"]?.pairNodes ?? [] where schema.position(of: member.key) == nil {
      throw member.value.unknown(member.key, "column", schema.columns.map(\.name))
    }
    return APIDataset(
      schema, path: node["path"]?.text ?? "", parameters: node["params"]?.pairs ?? [],
      filters: node["filters"]?.pairs ?? [], randomPath: node["random"]?["path"]?.text,
      randomFilters: node["random"]?["filters"]?.pairs ?? [], records: node["records"]?.text ?? "",
      paging: node["paging"].map(paging) ?? .none, occurrence: occurrence, parent: node["parent"].map(parent),
      supplements: supplements.map(supplement),
      submission: node["submission"].map {
        SourceSubmission(path: $0["path"]?.text ?? "", members: $0["members"]?.pairs ?? [])
      }, ignored: node["ignored"]?.texts ?? [], columns: columns)
  }

  private func schema() throws(Problem) -> Schema {
    let key = node["key"]?.elements ?? []
    var columns: [ColumnDescription] = []
    for node in node["columns"]?.elements ?? [] {
      let name = node["name"]?.text ?? ""
      guard !columns.contains(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
        throw node.problem("duplicate column “\(name)”")
      }
      let isInKey = key.contains { $0.text.utf8.elementsEqual(name.utf8) }
      columns.append(
        ColumnDescription(
          name, node["type"].flatMap { ColumnType(name: $0.text) } ?? .text,
          nullable: !isInKey && node["nullable"]?.json.booleanValue ?? true, node["summary"]?.text ?? "",
          unit: node["unit"]?.text ?? "", role: node["role"].flatMap { ColumnRole(rawValue: $0.text) }))
    }
    for (position, column) in key.enumerated() {
      guard columns.contains(where: { $0.name.utf8.elementsEqual(column.text.utf8) }) else {
        throw column.unknown(column.text, "column", columns.map(\.name))
      }
      guard !key[..<position].contains(where: { $0.text == column.text }) else {
        throw column.problem("duplicate column “\(column.text)”")
      }
    }
    return Schema(node["name"]?.text ?? "", node["summary"]?.text ?? "", key: key.map(\.text), columns: columns)
  }

  private func occurrence(_ schema: Schema) throws(Problem) -> String? {
    guard let node = node["occurrence"] else { return nil }
    let counters = schema.key.map { schema.columns[$0] }.filter { $0.type == .integer }.map(\.name)
    guard counters.contains(node.text) else { throw node.unknown(node.text, "integer key column", counters) }
    return node.text
  }

  /// Where the columns come from that the list itself fills.
  private func columns(without filled: Set<String>) throws(Problem) -> [SourceColumn] {
    var columns: [SourceColumn] = []
    for node in node["columns"]?.elements ?? [] {
      let column = self.column(node)
      if filled.contains(column.name) {
        for key in ["from", "formats", "null", "invalid", "steps", "missing", "optional"] {
          if let node = node[key] { throw node.problem("“\(column.name)” is already set") }
        }
      } else if column.from != SourceFile.nothing {
        columns.append(column)
      }
    }
    return columns
  }

  private func column(_ node: SourceNode) -> SourceColumn {
    let name = node["name"]?.text ?? ""
    return SourceColumn(
      name, from: node["from"]?.text ?? JSONPointer(steps: [name]).description,
      formats: node["formats"]?.texts.compactMap(SourceDateFormat.init) ?? [], nulls: node["null"]?.texts ?? [],
      invalid: node["invalid"]?.texts ?? [], steps: node["steps"]?.elements.map(step) ?? [],
      missing: node["missing"]?.text, isOptional: node["optional"]?.json.booleanValue ?? false)
  }

  /// `"trim"`, `"split"`, `"wrap"`, `"has-elements"`, or an object with one of the keys below.
  private func step(_ node: SourceNode) -> SourceStep {
    if let divisor = node["divide"] { return .divide(by: Int64(divisor.integer)) }
    if let divisor = node["remainder"] { return .remainder(by: Int64(divisor.integer)) }
    if let prefix = node["prefix"] { return .prefix(prefix.text) }
    if let words = node["words"] { return .words(words.pairs) }
    switch node.text {
    case "trim": return .trim
    case "split": return .split
    case "wrap": return .wrap
    default: return .hasElements
    }
  }

  private func paging(_ node: SourceNode) -> SourcePaging {
    let parameter = node["param"]?.text ?? ""
    let style: SourcePaging.Style
    switch node["type"]?.text {
    case "page": style = .page(parameter: parameter, first: node["first"]?.integer ?? 1)
    case "offset":
      style = .offset(
        parameter: parameter, limitParameter: node["limit_param"]?.text, limit: node["limit"]?.integer ?? 1)
    case "next_url": style = .nextURL(pointer: node["pointer"]?.text ?? "")
    case "link_header": style = .linkHeader
    case "cursor": style = .cursor(parameter: parameter, pointer: node["pointer"]?.text ?? "")
    default: style = .none
    }
    return SourcePaging(
      style, stop: node["stop"].flatMap { SourcePaging.Stop(rawValue: $0.text) } ?? .empty,
      maximumPages: node["max_pages"]?.integer ?? 1000, isDeclaredWhole: style == .none)
  }

  private func parent(_ node: SourceNode) -> SourceParent {
    SourceParent(
      dataset: node["dataset"]?.text ?? "", column: node["column"]?.text ?? "", parameter: node["param"]?.text ?? "")
  }

  private func supplement(_ node: SourceNode) -> SourceSupplement {
    SourceSupplement(
      path: node["path"]?.text ?? "", parameters: node["params"]?.pairs ?? [],
      scope: node["for"]?.text == "each"
        ? .eachRow(parameter: node["param"]?.text ?? "")
        : .list(records: node["records"]?.text ?? "", id: node["id"]?.text ?? ""),
      columns: node["columns"]?.elements.map(column) ?? [])
  }
}
