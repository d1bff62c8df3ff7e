public import Rows

/// A small table with values that have broken programs before, for laws and tests.
public struct SampleTable: Sendable, CustomStringConvertible {
  /// Its special property.
  public let description: String
  /// Its columns.
  public let schema: Schema
  /// Its rows; every row has a value for each column.
  public let rows: [[Value]]

  /// A table.
  public init(_ description: String, _ schema: Schema, _ rows: [[Value]]) {
    self.description = description
    self.schema = schema
    self.rows = rows
  }

  /// The rows in batches of at most `size`.
  public func batches(of size: Int) -> [RowBatch] {
    stride(from: 0, to: rows.count, by: max(size, 1)).map { start in
      var builder = RowBatchBuilder(width: schema.width)
      for row in rows[start..<min(start + size, rows.count)] {
        for value in row { builder.append(value: value) }
      }
      return builder.finish()
    }
  }

  /// One row of `count` columns, those that formats of places and people ask for first.
  public static func columns(_ count: Int) -> SampleTable {
    let first = [
      ColumnDescription("latitude", .real), ColumnDescription("longitude", .real), ColumnDescription("name", .text),
    ]
    let others = (first.count..<count).map { ColumnDescription("c\($0)", .text) }
    let row: [Value] = [.real(47.5), .real(8.25), .text("a")] + others.map { .text($0.name) }
    return SampleTable("\(count) columns", Schema("columns", columns: first + others), [row])
  }

  /// Every table that laws run over; `long` takes its time and has a law of its own.
  public static let all: [SampleTable] =
    [empty, hostile, lone, lists, wide, byteOrderMark, places, noPlaces] + (0..<8).map(random)

  /// Columns of every type, no rows.
  public static let empty = SampleTable("no rows", hostile.schema, [])

  /// Columns of every type, each with the values that hurt it; rows are as many as the longest list of values.
  public static let hostile: SampleTable = {
    let values: [[Value]] = ColumnType.allCases.map { SampleValues.of($0) }
    let columns = ColumnType.allCases.map { ColumnDescription($0.name, $0) }
    let count = values.map(\.count).max() ?? 0
    let rows = (0..<count).map { row in values.map { $0[row % $0.count] } }
    return SampleTable("every type, hostile values", Schema("hostile", columns: columns), rows)
  }()

  /// One column, where an empty field is an empty line.
  public static let lone = SampleTable(
    "one column", Schema("lone", columns: [ColumnDescription("only", .text)]),
    [.null, .text(""), .text("\\N"), .text(" "), .text("x"), .text("\n"), .null, .text("\"\"")].map { [$0] })

  /// Nested values only.
  public static let lists = SampleTable(
    "lists and objects",
    Schema(
      "lists",
      columns: [
        ColumnDescription("words", .list(.text)), ColumnDescription("numbers", .list(.integer)),
        ColumnDescription("links", .list(.url)), ColumnDescription("any", .json),
      ]),
    zip(SampleValues.of(.list(.text)), SampleValues.of(.json)).map { words, any in
      [words, .json(Array("[1,2,30]".utf8)), .json(Array("[\"https://example.org/a?b=1&c=2\",\"x\"]".utf8)), any]
    })

  /// A thousand columns, some rows of them empty.
  public static let wide: SampleTable = {
    let columns = (0..<1000).map { ColumnDescription("column \($0)", $0 % 3 == 0 ? .integer : .text) }
    let rows: [[Value]] = (0..<3).map { row in
      (0..<1000).map { column -> Value in
        if row == 1 { return .null }
        return column % 3 == 0 ? .integer(Int64(column * row)) : .text("v\(column),\(row)")
      }
    }
    return SampleTable("a thousand columns", Schema("wide", columns: columns), rows)
  }()

  /// Cells of 5 MB, with and without things to escape.
  public static let long: SampleTable = {
    let plain = [UInt8](repeating: UInt8(ascii: "a"), count: 5_000_000)
    var quoted = [UInt8](repeating: UInt8(ascii: "b"), count: 100_000)
    for position in stride(from: 0, to: quoted.count, by: 7) { quoted[position] = UInt8(ascii: "\"") }
    for position in stride(from: 0, to: quoted.count, by: 11) { quoted[position] = UInt8(ascii: "|") }
    let columns = [ColumnDescription("id", .integer), ColumnDescription("text", .text)]
    return SampleTable(
      "cells of 5 MB", Schema("long", columns: columns), [[.integer(1), .text(plain)], [.integer(2), .text(quoted)]])
  }()

  /// A name and a first value that begin with U+FEFF, which must not be taken for a byte order mark.
  public static let byteOrderMark = SampleTable(
    "byte order marks",
    Schema("mark", columns: [ColumnDescription("\u{FEFF}a", .text), ColumnDescription("b", .text)]),
    [[.text("\u{FEFF}x"), .text("\u{FEFF}")], [.text("\u{FEFF}"), .text("y")]])

  /// Places, for formats that need coordinates.
  public static let places: SampleTable = {
    let rows: [[Value]] = SampleValues.texts.enumerated().map { position, text in
      [
        .text("p\(position)"), .text("name \(text)"), .real([52.5, -90, 1e-7, 35.1264, -0.0][position % 5]),
        .text("comment \(position)"), .real([13.4, 180, -1e-10, -106.5386, -179.999][position % 5]),
        position % 2 == 0 ? .null : .text("1966-03"), position % 3 == 0 ? .null : .text(text),
      ]
    }
    return SampleTable("places", noPlaces.schema, rows)
  }()

  /// No places.
  public static let noPlaces = SampleTable(
    "no places",
    Schema(
      "places", key: ["id"],
      columns: [
        ColumnDescription("id", .text, nullable: false), ColumnDescription("name", .text),
        ColumnDescription("latitude", .real), ColumnDescription("comment", .text),
        ColumnDescription("longitude", .real),
        ColumnDescription("visited_on", .date), ColumnDescription("<more>", .text),
      ]), [])

  /// Some rows of hostile values picked at random, the same for the same seed.
  public static func random(seed: Int) -> SampleTable {
    var numbers = SplitMix64(seed: UInt64(seed))
    let types = (0..<Int.random(in: 1...6, using: &numbers)).map { _ in
      ColumnType.allCases.randomElement(using: &numbers) ?? .text
    }
    let columns = types.enumerated().map { ColumnDescription("c\($0.offset)", $0.element) }
    let rows = (0..<Int.random(in: 1...40, using: &numbers)).map { _ in
      types.map { SampleValues.of($0).randomElement(using: &numbers) ?? .null }
    }
    return SampleTable("random rows \(seed)", Schema("random", columns: columns), rows)
  }
}

/// Random numbers that are the same for the same seed on every machine.
public struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64
  /// A generator that begins at `seed`.
  public init(seed: UInt64) { state = seed }
  /// The next number.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}
