import Codecs
public import Domain
import Query
import Rows

/// A kind of storage as the laws see it.
public struct StoreFixture: Sendable, CustomStringConvertible {
  /// How failures name it.
  public let description: String
  /// A new, empty storage, and how it is opened again.
  public let make: @Sendable () -> @Sendable () -> any RecordStore

  /// Creates a fixture. Each call of the closure that `make` returns opens the same store.
  public init(_ description: String, make: @escaping @Sendable () -> @Sendable () -> any RecordStore) {
    self.description = description
    self.make = make
  }
}

/// A law that holds for every store.
public struct StoreLaw: Sendable, CustomStringConvertible {
  /// The law as a sentence.
  public let description: String
  /// Throws where the law does not hold.
  public let check: @Sendable (StoreFixture) async throws -> Void

  init(_ description: String, _ check: @escaping @Sendable (StoreUnderLaw) async throws -> Void) {
    self.description = description
    self.check = { fixture in
      let open = fixture.make()
      try await check(StoreUnderLaw(law: description, open: open))
    }
  }
}

/// A store with the checks that laws make.
struct StoreUnderLaw: Sendable {
  let law: String
  /// Opens the storage, again and again.
  let open: @Sendable () -> any RecordStore
  let store: any RecordStore

  init(law: String, open: @escaping @Sendable () -> any RecordStore) {
    self.law = law
    self.open = open
    store = open()
  }

  /// Rows of `StoreSample.wide` with values that stores have lost before, as far as this one promises to hold them.
  var hostile: [[Value]] { StoreSample.hostile.map(held) }

  /// A row in which U+0000 is U+0001 if the storage does not hold it.
  func held(_ row: [Value]) -> [Value] { store.capabilities.held(row) }

  @discardableResult
  func apply(_ tables: TableChange..., title: String = "test") async throws -> [TableOutcome] {
    try await store.apply(StoreChange(title, time: "2026-01-02T03:04:05Z", tables))
  }

  func rows(_ schema: Schema, columns: [String]? = nil, of store: (any RecordStore)? = nil) async throws -> [[Value]] {
    let stream = try await (store ?? self.store).rows(of: schema.name, RowRequest(columns: columns))
    return try await Self.values(stream)
  }

  static func values(_ stream: any RowStream) async throws -> [[Value]] {
    let types = stream.schema.columns.map(\.type)
    var rows: [[Value]] = []
    for batch in try await stream.collect() {
      guard batch.width == types.count else { throw LawViolation("a batch has another width than its schema") }
      for row in 0..<batch.count { rows.append((0..<batch.width).map { plain(batch.value(row, $0), types[$0]) }) }
    }
    return rows
  }

  /// A number that was read from text as the value that its canonical literal stands for, a decimal as its literal.
  private static func plain(_ value: Value, _ type: ColumnType) -> Value {
    switch (type, value) {
    case (.decimal, .integer(let number)): return .number(Array(String(number).utf8))
    case (.decimal, .real(let number)): return .number(number.canonicalText)
    default: break
    }
    guard case .number(let literal) = value else { return value }
    let text = String(decoding: literal, as: UTF8.self)
    switch type {
    case .integer:
      if let number = Int64(text), String(number) == text { return .integer(number) }
    case .real:
      if let number = Double(text), number.canonicalText == literal { return .real(number) }
    default: break
    }
    return value
  }

  func expect(_ isSo: Bool, _ message: @autoclosure () -> String) throws {
    if !isSo { throw LawViolation("\(law): \(message())") }
  }

  func expectEqual<Thing: Equatable>(_ seen: Thing, _ wanted: Thing) throws {
    try expect(seen == wanted, "expected \(wanted), saw \(seen)")
  }

  /// That the work is refused in this way.
  func expectProblem(_ kind: Problem.Kind, _ work: () async throws -> Void) async throws {
    do {
      try await work()
    } catch let problem as Problem {
      return try expect(problem.kind == kind, "expected a problem of kind \(kind), saw \(problem.kind): \(problem)")
    }
    try expect(false, "expected a problem of kind \(kind), saw none")
  }
}

extension StoreCapabilities {
  /// A row in which U+0000 is U+0001 if a store of these capabilities does not hold it.
  func held(_ row: [Value]) -> [Value] {
    if contains(.holdsNUL) { return row }
    return row.map { value in
      if case .text(let text) = value { .text(text.map { max($0, 1) }) } else { value }
    }
  }
}
