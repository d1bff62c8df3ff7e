import Codecs
import Documents
import Domain
import Rows
import Synchronization

/// A workbook that is compressed as its sheets are written, one after another.
final class WorkbookFile: TableContainer {
  private let inner: any ByteSink
  private let scratch: any ScratchSpace
  private let names: [String]
  private let state = Mutex(State())

  private struct State {
    var zip = ZipWriter()
    /// The number of sheets that have begun.
    var sheets = 0
    var part = Part.none
  }
  private enum Part { case none, sheet, links }

  /// Creates a workbook with a sheet for each of the tables.
  /// - Throws: `usage` if two tables give sheets of the same name.
  init(_ tables: [String], in sink: any ByteSink, scratch: any ScratchSpace = NoScratch()) throws(Problem) {
    names = tables.map(WorkbookParts.sheetName)
    inner = sink
    self.scratch = scratch
    var seen: [String: String] = [:]
    for (table, name) in zip(tables, names) {
      guard let other = seen.updateValue(table, forKey: name.lowercased()) else { continue }
      throw Problem(
        .usage, "“\(other)” and “\(table)” both give the sheet “\(name)”", at: sink.name,
        hint: "rename one of the files")
    }
  }

  var name: String { inner.name }

  func sink(for schema: Schema, options: ExportOptions) async throws(Problem) -> any RowSink {
    EncodedFile(XLSXExporter(), of: schema, options) { () throws(Problem) in
      SheetSink(self, spool: try self.scratch.makeFile())
    }
  }

  /// Writes bytes of the current sheet, or begins the next one. A NUL ends the sheet and begins its links.
  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    var packed = ByteBuffer()
    let end = bytes.distance(to: 0)
    try bytes.read { (span) throws(Problem) in
      try state.withLock { (state) throws(Problem) in
        if state.zip.isEmpty {
          for part in WorkbookParts.parts(names) { try state.zip.add(part.name, part.text, to: &packed) }
        }
        if state.part == .none {
          state.sheets += 1
          try state.zip.begin(WorkbookParts.sheet(state.sheets), &packed)
          state.part = .sheet
        }
        try state.zip.append(span.extracting(0..<end), to: &packed)
        guard end < span.byteCount else { return }
        state.zip.end(&packed)
        try state.zip.begin(WorkbookParts.links(ofSheet: state.sheets), &packed)
        state.part = .links
        try state.zip.append(span.extracting(end + 1..<span.byteCount), to: &packed)
      }
    }
    try await inner.write(packed)
  }

  func endSheet() async throws(Problem) {
    var packed = ByteBuffer(capacity: 64)
    state.withLock { state in
      state.zip.end(&packed)
      state.part = .none
    }
    try await inner.write(packed)
  }

  func commit() async throws(Problem) {
    var end = ByteBuffer(capacity: 4096)
    state.withLock { $0.zip.finish(&end) }
    try await inner.write(end)
    try await inner.commit()
  }

  func abandon() async { await inner.abandon() }
}

final class SheetSink: ByteSink {
  var name: String { workbook.name }
  private let workbook: WorkbookFile
  private let spool: (any ScratchFile)?

  /// - Parameter spool: keeps the sheet until it is complete; nil for the only sheet, which completes the workbook.
  init(_ workbook: WorkbookFile, spool: (any ScratchFile)?) {
    self.workbook = workbook
    self.spool = spool
  }

  func write(_ bytes: borrowing ByteBuffer) async throws(Problem) {
    guard let spool else { return try await workbook.write(bytes) }
    try spool.append(bytes)
  }

  func commit() async throws(Problem) {
    guard let spool else {
      try await workbook.endSheet()
      return try await workbook.commit()
    }
    var offset = 0
    while true {
      var piece = ArenaBuilder()
      let count = try spool.read(at: offset, length: piece.room, into: &piece)
      if count == 0 { break }
      offset += count
      var bytes = ByteBuffer(capacity: count)
      piece.read { bytes.append($0) }
      try await workbook.write(bytes)
    }
    try await workbook.endSheet()
  }

  func abandon() async { if spool == nil { await workbook.abandon() } }
}
