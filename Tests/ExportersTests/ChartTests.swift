import Codecs
import Domain
import Exporters
import Query
import Rows
import Testing

@Suite("Charts") struct ChartTests {
  private func chart(
    _ exporter: any ByteFormat, _ rows: [(String, Int64?)], width: Int? = nil, batch: Int = 7
  ) throws -> String {
    let schema = Schema(
      "t", columns: [ColumnDescription("name", .text), ColumnDescription("rows", .integer)])
    var builder = RowBatchBuilder(width: 2), batches: [RowBatch] = []
    for (name, value) in rows {
      builder.append(text: name)
      if let value { builder.append(integer: value) } else { builder.appendNull() }
      if builder.count == batch { batches.append(builder.takeBatch()) }
    }
    batches.append(builder.takeBatch())
    var head = ColumnMetrics.Head(rows: 50)
    for batch in batches { head.append(batch) }
    var options = ExportOptions()
    if let width { options.values["width"] = String(width) }
    let encoder = try exporter.encoder(
      for: schema, options: options, layout: ColumnMetrics(head: head.batches, isWhole: !head.isFull))
    var out = ByteBuffer(capacity: 1024), all = EncodedPart()
    try encoder.begin(&out)
    for batch in batches { all.merge(try encoder.encode(batch, &out)) }
    try encoder.finish(all, &out)
    return String(decoding: out.bytes(), as: UTF8.self)
  }

  @Test("bars are as long as their values") func bars() throws {
    let text = try chart(
      ChartExporter.bars, [("Jesse", 40), ("日本", 20), ("Zero", 0), ("None", nil), ("Less", -3)], width: 30)
    #expect(
      text == """
        Jesse █████████████████████ 40
        日本  ██████████▌ 20
        Zero  0
        None  –
        Less  -3

        """)
  }

  @Test("the first 50 rows are shown, the others counted, for any batches") func rest() throws {
    let rows = (0..<120).map { ("row \($0)", Optional(Int64(200 - $0))) }
    for exporter in [ChartExporter.bars, ChartExporter.svg] {
      let text = try chart(exporter, rows)
      #expect(text.contains("row 49") && !text.contains("row 50") && text.contains("and 70 more rows"))
      for batch in [1, 49, 50, 51, 1000] { #expect(try chart(exporter, rows, batch: batch) == text) }
    }
  }

  @Test("hostile labels are text") func hostile() throws {
    let labels = ["</text><script>alert(1)</script>", "\u{1B}[31m\u{0}", "\" onload=\"x", "\u{202E}abc"]
    let image = try chart(ChartExporter.svg, labels.map { ($0, 1) })
    #expect(!image.contains("<script") && !image.contains("\u{1B}") && !image.contains("\" onload"))
    let text = try chart(ChartExporter.bars, labels.map { ($0, 1) })
    #expect(!text.contains("\u{1B}") && !text.contains("\u{202E}") && !text.contains("\u{0}"))
  }

  @Test("a table without numbers is refused, an empty one is drawn") func refused() throws {
    let schema = Schema("t", columns: [ColumnDescription("name", .text)])
    #expect(throws: Problem.self) {
      _ = try ChartExporter.bars.encoder(for: schema, options: ExportOptions(), layout: ColumnMetrics())
    }
    #expect(try chart(ChartExporter.bars, []) == "")
    #expect(try chart(ChartExporter.svg, []).hasSuffix("</svg>\n"))
  }
}
