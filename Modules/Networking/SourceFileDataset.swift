internal import Codecs
internal import Domain

/// Reads the datasets of a source's file.
enum SourceFileDataset {
  /// A dataset with its columns.
  static func read(_ node: SourceNode) throws(Problem) -> SourceDataset {
    let members = try node.object([
      "name", "summary", "path", "params", "filters", "records", "paging", "key", "columns", "parent",
    ])
    let name = try members.required("name").word()
    let list = try members.required("columns")
    var columns: [SourceColumn] = [], described: [ColumnDescription] = []
    for element in try list.elements() {
      let (column, description) = try self.column(element)
      guard !described.contains(where: { $0.name.utf8.elementsEqual(description.name.utf8) }) else {
        throw element.member("name").problem("a second column “\(description.name)”")
      }
      columns.append(column)
      described.append(description)
    }
    guard !columns.isEmpty else { throw list.problem("a dataset without columns") }
    let key = try members["key"]?.texts() ?? []
    for (position, column) in key.enumerated() {
      guard let place = described.firstIndex(where: { $0.name.utf8.elementsEqual(column.utf8) }) else {
        throw node.member("key").unknown(column, "column", described.map(\.name))
      }
      guard !key[..<position].contains(column) else { throw node.member("key").problem("“\(column)” twice") }
      let old = described[place]
      described[place] = ColumnDescription(old.name, old.type, nullable: false, old.summary, unit: old.unit)
    }
    let schema = Schema(name, try members["summary"]?.text() ?? "", key: key, columns: described)
    return SourceDataset(
      schema, path: try members.required("path").urlPath(), parameters: try members["params"]?.pairs() ?? [],
      filters: try members["filters"]?.pairs() ?? [], records: try members["records"]?.pointer() ?? "",
      paging: try members["paging"].map(paging) ?? .none, parent: try members["parent"].map(parent), columns: columns)
  }

  private static func column(_ node: SourceNode) throws(Problem) -> (SourceColumn, ColumnDescription) {
    let members = try node.object([
      "name", "from", "type", "summary", "unit", "formats", "null", "invalid", "steps", "missing",
    ])
    let name = try members.required("name").word()
    let typeName = try members["type"]?.choice(ColumnType.allCases.map(\.name)) ?? "text"
    let type = ColumnType(name: typeName) ?? .text
    var column = SourceColumn(name, from: try members["from"].map(selector) ?? "/" + escaped(name))
    for format in try members["formats"]?.elements() ?? [] {
      let word = try format.choice(SourceDateFormat.allCases.map(\.rawValue))
      guard type == .date || type == .timestamp else { throw format.problem("formats are for dates and timestamps") }
      if let known = SourceDateFormat(rawValue: word) { column.formats.append(known) }
    }
    column.nulls = try members["null"]?.texts() ?? []
    column.invalid = try members["invalid"]?.texts() ?? []
    column.missing = try members["missing"]?.text()
    if column.missing != nil, type != .text { throw node.member("missing").problem("it is for columns of text") }
    for step in try members["steps"]?.elements() ?? [] { column.steps.append(try self.step(step)) }
    let description = ColumnDescription(
      name, type, try members["summary"]?.text() ?? "", unit: try members["unit"]?.text() ?? "")
    return (column, description)
  }

  /// A pointer, or a word for what stands elsewhere.
  private static func selector(_ node: SourceNode) throws(Problem) -> String {
    let text = try node.text()
    return text == SourceColumn.place || text == SourceColumn.parent ? text : try node.pointer()
  }

  /// A key as a step of a JSON Pointer.
  private static func escaped(_ key: String) -> String {
    var text = ""
    for scalar in key.unicodeScalars {
      switch scalar {
      case "~": text += "~0"
      case "/": text += "~1"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// `"trim"`, `"split"`, `"wrap"`, `"has-elements"`, or an object with one of the keys below.
  private static func step(_ node: SourceNode) throws(Problem) -> SourceStep {
    if node.json.stringBytes != nil {
      switch try node.choice(["trim", "split", "wrap", "has-elements"]) {
      case "trim": return .trim
      case "split": return .split
      case "wrap": return .wrap
      default: return .hasElements
      }
    }
    let members = try node.object(["divide", "remainder", "prefix", "words"])
    if let divisor = members["divide"] { return .divide(by: Int64(try divisor.integer(atLeast: 1))) }
    if let divisor = members["remainder"] { return .remainder(by: Int64(try divisor.integer(atLeast: 1))) }
    if let prefix = members["prefix"] { return .prefix(try prefix.text()) }
    return .words(try members.required("words").pairs())
  }

  private static func paging(_ node: SourceNode) throws(Problem) -> SourcePaging {
    let members = try node.object(["type", "param", "limit_param", "limit", "first", "pointer", "stop", "max_pages"])
    let style: SourcePaging.Style
    switch try members.required("type").choice(["none", "page", "offset", "next_url", "link_header", "cursor"]) {
    case "page":
      style = .page(
        parameter: try members.required("param").text(), first: try members["first"]?.integer(atLeast: 0) ?? 1)
    case "offset":
      style = .offset(
        parameter: try members.required("param").text(), limitParameter: try members["limit_param"]?.text(),
        limit: try members["limit"]?.integer(atLeast: 1) ?? 1)
    case "next_url": style = .nextURL(pointer: try members.required("pointer").pointer())
    case "link_header": style = .linkHeader
    case "cursor":
      style = .cursor(
        parameter: try members.required("param").text(), pointer: try members.required("pointer").pointer())
    default: style = .none
    }
    let stop = try members["stop"]?.choice(SourcePaging.Stop.allCases.map(\.rawValue)) ?? "empty"
    return SourcePaging(
      style, stop: SourcePaging.Stop(rawValue: stop) ?? .empty,
      maximumPages: try members["max_pages"]?.integer(atLeast: 1) ?? 1000)
  }

  private static func parent(_ node: SourceNode) throws(Problem) -> SourceParent {
    let members = try node.object(["dataset", "param", "column"])
    return SourceParent(
      dataset: try members.required("dataset").text(), column: try members.required("column").text(),
      parameter: try members.required("param").text())
  }
}
