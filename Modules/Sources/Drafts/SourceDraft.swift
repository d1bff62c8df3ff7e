import Codecs
public import Domain
public import Rows

/// A source definition that is inferred from a response.
public struct SourceDraft: Sendable {
  /// The definition.
  public private(set) var description: APIDescription
  /// The choices, with reasons and runners-up, one line each.
  public private(set) var lines: [String] = []
  private let places: [DraftRecords.Candidate]
  private var columns: DraftColumns
  private var guess: DraftPaging.Guess
  /// The ways of paging, the most likely first.
  let candidates: [DraftPaging.Guess]
  private let document: JSON, headers: HTTPFields
  private let parameters: [SourceParameter], body: JSON?
  private let evidence: DraftEvidence?
  private let isXML: Bool
  private var remarks: [String] = []
  /// The secrets of the URL, by environment variable.
  private(set) var values: [String: String] = [:]
  /// Whether the last attempt had one record of the first page on the second.
  var repeatsOne = false

  /// Infers a definition from a response.
  /// - `body`: the bytes of the response.
  /// - `headers`: its header fields.
  /// - Throws: `badData` for a response without records.
  public init(
    _ request: SourceDraftRequest, _ body: [UInt8], headers: HTTPFields, _ evidence: DraftEvidence? = nil
  ) async throws(Problem) {
    let url = DraftURL(request.url)
    let format = SourceResponseFormat(url.formatOfFile)
    let (document, isXML) = try await RESTDocument(
      url: request.url, status: 200, body: body, format: format, contentType: headers.value(of: "Content-Type") ?? ""
    ).parsed()
    var places = DraftRecords(document).candidates
    if let pointer = request.records {
      places = [try Self.given(pointer, in: document, at: request.url, places)]
    }
    guard let place = places.first else {
      throw Problem(
        .badData, "the response has no records to infer columns from", at: URLText.redacted(request.url),
        hint: .advice("request a list that is not empty").or(
          .set(.recordsPointer, for: "name the place of the records")))
    }
    var columns = DraftColumns(place.records, place.form, isXML: isXML)
    evidence?.complete(&columns)
    guard !columns.columns.isEmpty else {
      throw Problem(
        .badData, "the records at \(place.shown) have no members", at: URLText.redacted(request.url),
        hint: .set(.recordsPointer, for: "name another place"))
    }
    var authorization = request.authorization, parameters = url.parameters
    let secrets = parameters.filter { URLText.isSecret($0.name) }
    parameters.removeAll { URLText.isSecret($0.name) }
    for secret in secrets {
      let variable = DraftURL.variable(for: secrets.count == 1 ? "\(url.name)_key" : "\(url.name)_\(secret.name)")
      values[variable] = secret.value
      authorization.append(SourceAuthorization(.query, secret.name, variable: variable))
      remarks.append(
        "auth     the value of \(secret.name) is not in the file: set the environment variable \(variable)")
    }
    if let login = url.login {
      let variable = DraftURL.variable(for: "\(url.name)_login")
      values[variable] = login
      authorization.append(SourceAuthorization(.basic, variable: variable))
      remarks.append("auth     the login is not in the file: set the environment variable \(variable) to USER:PASSWORD")
    }
    let key = Self.key(columns, place)
    let keyPointer = key.count == 1 ? columns.columns[key[0]].pointer : nil
    let paging = DraftPaging(
      document, headers: headers, parameters, records: place.pointer, place.records, count: place.count,
      key: keyPointer, body: request.body
    )
    var guesses = (evidence?.guesses(paging, parameters, place.count) ?? []) + paging.guesses + paging.others
    if place.form == .object || place.form == .jsonStat || place.form == .columns {
      guesses = [
        DraftPaging.Guess(paging: SourcePaging(.none, isDeclaredWhole: true), reason: "one response is the whole")
      ]
    }
    var dataset = APIDataset(
      Schema(request.dataset ?? url.dataset, columns: []), path: evidence?.path ?? url.path, records: place.pointer,
      columns: [])
    dataset.recordForm = place.form
    if let name = format.name, name != .json { dataset.responseFormat = format }
    if let body = request.body { dataset.request = .post(body) }
    description = APIDescription(
      name: request.name ?? url.name, baseURL: evidence?.base ?? url.base, authorization: authorization,
      headers: request.headers, datasets: [Self.dataset(dataset, with: columns, key: key)])
    description.variables = evidence?.variables ?? []
    description.grammar = 2
    (self.places, self.columns, candidates, guess, self.isXML) = (places, columns, guesses, guesses[0], isXML)
    (self.document, self.headers, self.parameters, self.body) = (document, headers, parameters, request.body)
    self.evidence = evidence
    choose(guess)
  }

  /// The dataset.
  var dataset: APIDataset { description.datasets[0] }
  /// The records of the response.
  var sample: [RESTRecord] { places[0].records.map { RESTRecord(value: $0) } }
  /// Whether the response is all there is.
  var isWhole: Bool { guess.paging.isDeclaredWhole }
  /// Whether the response has as many records as the URL requests.
  var isFull: Bool { signs.fullPage(parameters, body) != nil && !signs.isConfirmed(by: document) }
  /// Why the response is not the whole list; nil if nothing suggests it.
  var sign: String? {
    let isData = places[0].pointer.isEmpty && document.objectMembers != nil
    return signs.sign(in: isData ? .null : document, headers, followsLinks: false)
  }
  private var signs: RESTMoreRecords {
    RESTMoreRecords(known: [Self.steps(places[0].pointer)], received: places[0].count)
  }
  private static func steps(_ pointer: String) -> [String] { (try? JSONPointer(pointer))?.steps ?? [] }

  /// What tells a record from others: its key, or the whole record.
  func identity(_ record: RESTRecord) -> [JSON] {
    let key = Self.key(columns, places[0]).map { columns.columns[$0].pointer }
    let values = key.compactMap { pointer in (try? JSONPointer(pointer)).flatMap { record.value.value(at: $0) } }
    return values.count == key.count && !key.isEmpty ? values : [record.value]
  }

  /// Adds a line to the choices.
  mutating func note(_ line: String) {
    remarks.append(line)
    lines.append(line)
  }

  /// The definition with a way of paging.
  func description(with guess: DraftPaging.Guess) -> APIDescription {
    var description = description
    let paging = guess.paging
    description.datasets[0].paging = paging
    description.datasets[0].parameters = parameters.filter { !paging.parameterNames.contains($0.name) }
    if let body, let place = guess.place, let name = paging.parameter {
      description.datasets[0].request.body = body.setting(.string("{\(name)}"), at: Self.steps(place)[...])
    }
    return description
  }

  /// Makes a way of paging that of the definition.
  mutating func choose(_ guess: DraftPaging.Guess) {
    self.guess = guess
    description = description(with: guess)
    describe(places[0].records)
  }

  /// Infers the types and the key from the records of several pages.
  mutating func infer(from records: [JSON]) {
    var place = places[0]
    place.records = records
    columns = DraftColumns(records, place.form, isXML: isXML)
    evidence?.complete(&columns)
    description.datasets[0] = Self.dataset(dataset, with: columns, key: Self.key(columns, place))
    describe(records)
  }

  /// Gives columns wider types; without columns, the definition loses its key.
  /// - Returns: false if nothing is left to widen.
  mutating func widen(_ names: [String]) -> Bool {
    if names.isEmpty {
      guard !dataset.schema.key.isEmpty else { return false }
      description.datasets[0] = Self.dataset(dataset, with: columns, key: [])
      return true
    }
    let key = dataset.schema.key.map { dataset.schema.columns[$0].name }
    for name in names where !columns.widen(name) { return false }
    description.datasets[0] = Self.dataset(
      dataset, with: columns, key: columns.columns.indices.filter { key.contains(columns.columns[$0].name) })
    describe(places[0].records)
    return true
  }

  private mutating func describe(_ records: [JSON]) {
    var place = places[0]
    place.records = records
    let others = candidates.filter { $0.paging.type != guess.paging.type || $0.paging.shown != guess.paging.shown }
    lines =
      Self.lines([place] + places.dropFirst(), columns, Self.key(columns, place), [guess] + others) + remarks
  }

  private static func dataset(_ known: APIDataset, with columns: DraftColumns, key: [Int]) -> APIDataset {
    var dataset = known
    dataset.schema = Schema(
      known.schema.name, key: key.map { columns.columns[$0].name },
      columns: columns.columns.enumerated().map {
        ColumnDescription($0.element.name, $0.element.type, nullable: !key.contains($0.offset))
      })
    dataset.columns = columns.columns.map(\.source)
    dataset.ignored = columns.skipped
    return dataset
  }

  private static func given(
    _ text: String, in document: JSON, at url: String, _ known: [DraftRecords.Candidate]
  ) throws(Problem) -> DraftRecords.Candidate {
    if let place = known.first(where: { $0.pointer == text }) { return place }
    let pointer = try JSONPointer(text)
    guard let found = document.value(at: pointer),
      let records = found.arrayValue ?? found.objectMembers.map({ _ in [found] }),
      !records.isEmpty
    else {
      throw Problem(
        .badData, "the response has no records at “\(text)”", at: URLText.redacted(url),
        hint: known.isEmpty ? "" : "records were found at: \(known.prefix(3).map(\.shown).joined(separator: ", "))")
    }
    let form: SourceRecordForm = found.arrayValue == nil ? .object : .list
    return DraftRecords.Candidate(
      pointer: text, form: form, records: Array(records.prefix(DraftRecords.most)), count: records.count, score: 9)
  }

  private static func key(_ columns: DraftColumns, _ place: DraftRecords.Candidate) -> [Int] {
    if place.form == .jsonStat {
      let dimensions = columns.columns.indices.filter { !["/value", "/status"].contains(columns.columns[$0].pointer) }
      // A dimension with one category is the same in all records.
      let varying = dimensions.filter { Set(columns.columns[$0].values).count > 1 }
      return varying.isEmpty ? dimensions : varying
    }
    if let first = columns.keys.first { return [first] }
    return columns.pair(place.records.count) ?? []
  }

  // MARK: - Messages

  private static func lines(
    _ places: [DraftRecords.Candidate], _ columns: DraftColumns, _ key: [Int], _ guesses: [DraftPaging.Guess]
  ) -> [String] {
    func also(_ words: [String]) -> String {
      "also: \(words.isEmpty ? "none" : words.prefix(2).joined(separator: ", "))"
    }
    let all = columns.columns, place = places[0]
    let count = place.records.count == 1 ? "1 record" : "\(place.records.count) records"
    var lines = [
      "records  \(place.shown): \(count), \(all.count) members; \(also(places.dropFirst().map(\.shown)))"
    ]
    let others = columns.keys.filter { !key.contains($0) }.map { all[$0].name }
    let reason =
      key.isEmpty
      ? "none: no column, and no pair of columns, is unique"
      : "\(key.map { all[$0].name }.joined(separator: ", ")): unique in \(count)"
    lines.append("key      \(reason); \(also(others))")
    let paging = guesses[0]
    lines.append(
      "paging   \(paging.paging.shown): \(paging.reason)\(paging.isUncertain ? "; please confirm" : ""); "
        + also(guesses.dropFirst().map(\.paging.shown)))
    let types = all.filter { $0.type != .text || !$0.remark.isEmpty }.map { column in
      "\(column.name) \(column.type.name)\(column.remark.isEmpty ? "" : " (\(column.remark))")"
    }
    lines.append("types    \(types.isEmpty ? "all text" : types.joined(separator: ", "))")
    if !columns.skipped.isEmpty {
      lines.append("skipped  \(columns.skipped.joined(separator: ", ")) (one value only)")
    }
    return lines
  }
}

/// The parts of a URL, or of the path of a file.
struct DraftURL {
  private(set) var base: String
  private(set) var path: String
  private(set) var parameters: [SourceParameter] = []
  private(set) var name: String
  private(set) var dataset: String
  /// `USER:PASSWORD`; nil if there is none.
  private(set) var login: String?
  /// The format that the name of a file says; nil for a URL.
  private(set) var formatOfFile: SourceResponseFormat.Name?

  init(_ text: String) {
    guard let mark = text.firstRange(of: "://") else {
      let file = text.split(separator: "/").last.map(String.init) ?? "records"
      (base, path) = ("https://api.example.com", "/\(file == "-" ? "records" : RESTQuery.encoded(file))")
      let parts = file.split(separator: ".")
      (name, dataset) = ("source", Self.word(parts.first.map(String.init) ?? "records"))
      switch parts.last?.lowercased() {
      case "csv": formatOfFile = .csv
      case "xml", "atom", "rss": formatOfFile = .xml
      case "ndjson", "jsonl": formatOfFile = .ndjson
      default: formatOfFile = .json
      }
      return
    }
    let whole = text.prefix { $0 != "#" }, parts = whole.split(separator: "?", maxSplits: 1)
    let place = parts[0], host = place[mark.upperBound...].prefix { $0 != "/" }
    let start = host.endIndex
    (base, path) = (String(place[..<start]), String(place[start...]))
    // A login does not belong in a file.
    if let at = base.lastIndex(of: "@") {
      login = Self.decoded(base[mark.upperBound..<at])
      base = String(base[..<mark.upperBound]) + base[base.index(after: at)...]
    }
    if path.isEmpty { path = "/" }
    for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      parameters.append(SourceParameter(Self.decoded(sides[0]), sides.count > 1 ? Self.decoded(sides[1]) : ""))
    }
    let plainHost = (host.split(separator: "@").last ?? "").split(separator: ":").first.map(String.init) ?? ""
    let labels = plainHost.split(separator: ".").filter {
      !["api", "www", "com", "org", "net", "io"].contains($0) && Int($0) == nil
    }
    name = labels.last.map { Self.word(String($0)) } ?? "source"
    let steps = path.split(separator: "/").map { $0.split(separator: ".").first.map(String.init) ?? "" }
    dataset = Self.word(steps.last { $0.contains { $0.isLetter } && !$0.hasPrefix("v") } ?? "records")
  }

  /// The secrets in the URL.
  var secrets: [String] {
    parameters.filter { URLText.isSecret($0.name) }.map(\.value) + [login].compactMap(\.self)
  }

  private static func word(_ text: String) -> String {
    let word = String(text.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : "_" })
    return word.isEmpty ? "records" : word
  }

  static func variable(for name: String) -> String {
    let word = String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return (word.first?.isNumber == true ? "API_" : "") + word
  }

  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentCoding.bytes(of: text, spaces: true) ?? [], as: UTF8.self)
  }
}

extension SourcePaging {
  var parameterNames: [String] { [limitParameter, parameter].compactMap(\.self) }
}
