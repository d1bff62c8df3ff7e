import Domain
import Exporters
import Files
import Persistence
import Query
import Rows

/// Writes the records of a file for which a condition holds to another file, in the format of its extension.
/// - Returns: The number of records written.
func export(_ input: String, where condition: String, to output: String) async throws(Problem) -> Int {
  let scratch = TemporaryScratch(directory: "/tmp")
  let source = try FileSource(path: input, FileInputOptions(), scratch: scratch) { print("warning: \($0)") }
  guard let exporter = ExporterRegistry().exporter(forPath: output) else {
    throw Problem(.usage, "unknown format", at: output)
  }
  var selection = Selection()
  selection.conditions = [try Condition(parsing: condition)]
  let table = try await source.tables()[0].name
  let rows = try await source.rows(of: table, RowRequest())
  let target = Export.Output(exporter, ExportOptions()) { () throws(Problem) in
    try OutputFile.sink(output, replaces: true)
  }
  let summary = try await Export(to: [target], threads: 2, scratch: scratch).run(rows) { (rows) throws(Problem) in
    try selection.apply(to: rows, scratch: scratch)
  }
  return summary.rows
}
