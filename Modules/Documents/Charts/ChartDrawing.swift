extension Markup {
  /// A count with separators: `1,234`.
  public static func grouped(_ count: some BinaryInteger) -> String { ChartCounts.text(Int(count)) }

  /// The style of charts. Each has its own background, so that it can be read on any page.
  public static var chartStyle: StyleSheet {
    var sheet = StyleSheet()
    sheet.append(
      """
      .bb-chart { font: 13px system-ui, sans-serif } .bb-chart .bg { fill: #ffffff } .bb-chart text { fill: #1b1f24 }
      .bb-chart .h { font-size: 15px; font-weight: 600 } .bb-chart .n, .bb-chart .a { fill: #57606a }
      .bb-chart .g { stroke: #d9dee4 } .bb-chart .z { stroke: #57606a } .bb-chart .m { fill: #0b5cad }
      .bb-chart .u { fill: #8c959f } .bb-chart .l { fill: none; stroke-width: 1.8 } .bb-chart .x { stroke: #57606a }
      .bb-chart .s0 { stroke: #0b5cad } .bb-chart .s1 { stroke: #b3261e } .bb-chart .s2 { stroke: #1a7f37 }
      .bb-chart .s3 { stroke: #8250df } .bb-chart .s4 { stroke: #9a6700 } .bb-chart .s5 { stroke: #0e7490 }
      .bb-chart .s6 { stroke: #bf3989 } .bb-chart .s7 { stroke: #57606a } .bb-chart .p { fill: #ffffff; stroke-width: 1.5 }
      .bb-chart .c { fill: #f6f8fa } .bb-chart .d { fill: #57606a }
      @media (prefers-color-scheme: dark) { .bb-chart .bg, .bb-chart .p { fill: #14181d } .bb-chart text { fill: #e4e8ee }
      .bb-chart .n, .bb-chart .a, .bb-chart .d { fill: #9aa5b1 } .bb-chart .g { stroke: #2b323b }
      .bb-chart .z, .bb-chart .x { stroke: #9aa5b1 } .bb-chart .m { fill: #79b8ff } .bb-chart .c { fill: #1d232b }
      .bb-chart .s0 { stroke: #79b8ff } .bb-chart .s1 { stroke: #ff8a80 } .bb-chart .s2 { stroke: #7ee787 }
      .bb-chart .s3 { stroke: #d2a8ff } .bb-chart .s4 { stroke: #e3b341 } .bb-chart .s5 { stroke: #67e8f9 }
      .bb-chart .s6 { stroke: #ff9bce } .bb-chart .s7 { stroke: #b1bac4 } }
      .bb-chart .t0, .bb-chart .t1, .bb-chart .t2, .bb-chart .t3 { fill: #000000 }
      .bb-chart .t4, .bb-chart .t5, .bb-chart .t6 { fill: #ffffff }
      .bb-chart .b0 { fill: #e9f2fe } .bb-chart .b1 { fill: #b2d5fe } .bb-chart .b2 { fill: #70b9fd }
      .bb-chart .b3 { fill: #029df0 } .bb-chart .b4 { fill: #0a7abb } .bb-chart .b5 { fill: #085b8d }
      .bb-chart .b6 { fill: #063e62 } .bb-chart .o0 { fill: #feeee3 } .bb-chart .o1 { fill: #ffc6a0 }
      .bb-chart .o2 { fill: #fd9c54 } .bb-chart .o3 { fill: #da7f38 } .bb-chart .o4 { fill: #b35e16 }
      .bb-chart .o5 { fill: #8b4301 } .bb-chart .o6 { fill: #602e02 }

      """)
    return sheet
  }

  private static let top = 40, foot = 34

  /// Appends a chart as an SVG element.
  /// Its style is part of it if it `hasStyle`.
  public mutating func chart(_ chart: some Chart, hasStyle: Bool) {
    let words = chart.words, size = chart.size, height = size.height + Self.top + Self.foot
    raw("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"bb-chart\" role=\"img\"")
    attribute("width", size.width)
    attribute("height", height)
    raw(" viewBox=\"0 0 ")
    number(size.width)
    raw(" ")
    number(height)
    raw("\">\n<title>")
    text(words.title)
    raw("</title>\n<desc>")
    text(words.description)
    raw("</desc>\n")
    if hasStyle { style(Self.chartStyle) }
    raw("<rect class=\"bg\" x=\"0\" y=\"0\"")
    attribute("width", size.width)
    attribute("height", height)
    raw("/>\n")
    label(ChartText.cut(words.title, (size.width - 32) * 10 / 95), x: 160, y: 240, class: "h")
    chart.draw(from: Self.top, to: &self)
    label(ChartText.cut(words.note, (size.width - 32) / 8), x: 160, y: (height - 12) * 10, class: "n")
    raw("</svg>\n")
  }

  /// Appends a page with a chart and the table of its values.
  public mutating func page(of chart: some Chart) {
    var sheet = Self.chartStyle
    sheet.append(
      """
      :root { color-scheme: light dark } body { margin: 1rem; background: #ffffff; color: #1b1f24; font: 14px/1.45 system-ui, sans-serif }
      svg { max-width: 100%; height: auto } summary { cursor: pointer; padding: .6rem 0 } div { overflow-x: auto }
      table { border-collapse: collapse } th, td { padding: .2rem .7rem; border: 1px solid #d9dee4; text-align: left; font-variant-numeric: tabular-nums }
      @media (prefers-color-scheme: dark) { body { background: #14181d; color: #e4e8ee } th, td { border-color: #2b323b } }

      """)
    head(chart.words.title, sheet)
    raw("<main>\n<h1>")
    text(chart.words.title)
    raw("</h1>\n")
    self.chart(chart, hasStyle: false)
    data(of: chart)
    raw("</main>\n</body>\n</html>\n")
  }

  /// Appends the values of a chart as a table.
  public mutating func data(of chart: some Chart) {
    raw(
      "<details>\n<summary>Data</summary>\n<div tabindex=\"0\" role=\"region\" aria-label=\"Data\"><table>\n<thead>\n<tr>"
    )
    let table = chart.table
    for name in table.first ?? [] {
      raw(name.isEmpty ? "<td>" : "<th scope=\"col\">")
      text(name)
      raw(name.isEmpty ? "</td>" : "</th>")
    }
    raw("</tr>\n</thead>\n<tbody>\n")
    for row in table.dropFirst() {
      raw("<tr>")
      for (place, field) in row.enumerated() {
        raw(place == 0 ? "<th scope=\"row\">" : "<td>")
        text(field)
        raw(place == 0 ? "</th>" : "</td>")
      }
      raw("</tr>\n")
    }
    raw("</tbody>\n</table></div>\n</details>\n")
  }

  // MARK: - Marks; all places and sizes are tenths of a pixel.

  /// Which side of its place a text is on.
  enum TextAnchor { case start, middle, end }

  mutating func tenths(_ name: StaticString, _ value: Int) {
    begin(name)
    number(tenths: value)
    raw("\"")
  }

  /// Begins the start tag of a mark.
  mutating func mark(
    _ element: StaticString, _ name: StaticString? = nil, _ places: KeyValuePairs<StaticString, Int> = [:]
  ) {
    raw("<")
    raw(element)
    if let name {
      raw(" class=\"")
      raw(name)
      raw("\"")
    }
    for (key, value) in places { tenths(key, value) }
  }

  /// Appends a text.
  /// - Parameter title: its exact form; nil if it is complete.
  mutating func label(
    _ words: String, x: Int, y: Int, _ anchor: TextAnchor = .start, class name: StaticString, title: String? = nil
  ) {
    mark("text", name)
    switch anchor {
    case .start: break
    case .middle: raw(" text-anchor=\"middle\"")
    case .end: raw(" text-anchor=\"end\"")
    }
    tenths("x", x)
    tenths("y", y)
    raw(">")
    if let title { self.title(title) }
    text(words)
    raw("</text>\n")
  }

  mutating func title(_ words: String) {
    raw("<title>")
    text(words)
    raw("</title>")
  }

  mutating func bar(x: Int, y: Int, width: Int, height: Int, class name: StaticString, title: String) {
    mark("rect", name, ["x": x, "y": y, "width": width, "height": height])
    raw(">")
    self.title(title)
    raw("</rect>\n")
  }

  mutating func line(x: Int, y: Int, toX endX: Int, y endY: Int, class name: StaticString) {
    mark("line", name, ["x1": x, "y1": y, "x2": endX, "y2": endY])
    raw("/>\n")
  }

  /// Appends an axis below a plot: lines, ticks and its title.
  mutating func axisBelow(_ axis: ChartAxis, title: String, left: Int, top: Int, width: Int, height: Int) {
    for tick in axis.ticks {
      let x = left + axis.place(tick.position, on: width)
      line(x: x, y: top, toX: x, y: top + height, class: "g")
      label(tick.text, x: x, y: top + height + 170, .middle, class: "a")
    }
    label(ChartText.cut(title, width / 80), x: left + width / 2, y: top + height + 360, .middle, class: "a")
  }

  /// Appends an axis at the left of a plot.
  mutating func axisBeside(_ axis: ChartAxis, title: String, left: Int, top: Int, width: Int, height: Int) {
    for tick in axis.ticks {
      let y = top + height - axis.place(tick.position, on: height)
      line(x: left, y: y, toX: left + width, y: y, class: "g")
      label(tick.text, x: left - 60, y: y + 45, .end, class: "a")
    }
    label(ChartText.cut(title, width / 80), x: 160, y: top - 80, class: "a")
  }
}
