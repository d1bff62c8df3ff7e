package import Rows

extension Setting {
  package static let inputEscape = Setting("csv.escape")
  package static let noHeader = Setting("csv.noHeader")
  package static let headerRows = Setting("csv.headerRows")
  package static let columnNames = Setting("csv.names")
  package static let skippedRows = Setting("csv.skippedRows")
  package static let skippedFooter = Setting("csv.skippedFooter")
  package static let commentPrefix = Setting("csv.comment")
  package static let fixedColumns = Setting("csv.fixed")
  package static let rejects = Setting("csv.rejects")
  package static let fileOptions = Setting("input.fileOptions")
  package static let maximumRejects = Setting("csv.maximumRejects")
}
