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
  private var guesses: [DraftPaging.Guess]
  private let isXML: Bool
  private var remarks: [String] = []
  /// The secrets of the URL, by environment variable.
  private var values: [String: String] = [:]

  /// Infers a definition from a response.
  /// - `body`: the bytes of the response.
  /// - `headers`: its header fields.
  /// - Throws: `badData` for a response without records.
  public init(_ request: SourceDraftRequest, _ body: [UInt8], headers: HTTPFields) async throws(Problem) {
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
    let columns = DraftColumns(place.records, place.form, isXML: isXML)
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
    var guesses = DraftPaging(
      document, headers: headers, parameters, records: place.pointer, place.records, key: keyPointer, body: request.body
    ).guesses
    if place.form == .object || place.form == .jsonStat {
      guesses = [
        DraftPaging.Guess(paging: SourcePaging(.none, isDeclaredWhole: true), reason: "one response is the whole")
      ]
    }
    let paging = guesses[0].paging
    parameters.removeAll { parameter in paging.parameterNames.contains(parameter.name) }
    var dataset = APIDataset(
      Schema(request.dataset ?? url.dataset, columns: []), path: url.path, parameters: parameters,
      records: place.pointer, paging: paging, columns: [])
    dataset = Self.dataset(dataset, with: columns, key: key)
    dataset.recordForm = place.form
    if let name = format.name, name != .json { dataset.responseFormat = format }
    if let body = request.body { dataset.request = .post(body) }
    description = APIDescription(
      name: request.name ?? url.name, baseURL: url.base, authorization: authorization, headers: request.headers,
      datasets: [dataset])
    description.grammar = 2
    (self.places, self.guesses, self.isXML) = (places, guesses, isXML)
    lines = Self.lines(places, columns, key, guesses) + remarks
  }

  /// Reads more pages, and infers the types and the key from the records of all.
  /// - `transport`: sends the requests.
  /// - `pages`: the most pages.
  public mutating func confirm(
    by transport: any HTTPTransport, environment: [String: String], pages: Int
  ) async {
    guard let dataset = description.datasets.first, pages > 1, guesses[0].paging.type != .none else { return }
    var records: [JSON] = [], count = 0
    var limited = description
    limited.datasets[0].paging.maximumPages = pages
    do throws(Problem) {
      let source = try RESTSource(
        limited, transport: transport, environment: environment.merging(values) { given, _ in given }
      ) { _ in }
      let query = RESTQuery(path: dataset.path, parameters: dataset.parameters, body: dataset.request.body)
      _ = try await source.walk(limited.datasets[0], query, RESTContext(), RESTWalkLimit(isSoft: true)) {
        (page) throws(Problem) in
        count += 1
        records += page.records.map(\.value)
        return records.count < DraftRecords.most
      }
    } catch {
      guesses[0].isUncertain = true
      lines.append("warning  page \(count + 1) could not be read: \(error.message)")
      return
    }
    guard count > 1 else {
      lines.append("warning  there was only one page, so the paging is not confirmed")
      return
    }
    let columns = DraftColumns(records, places[0].form, isXML: isXML)
    var place = places[0]
    place.records = records
    let key = Self.key(columns, place)
    description.datasets[0] = Self.dataset(dataset, with: columns, key: key)
    guesses[0].isUncertain = false
    guesses[0].reason += "; \(count) pages were read"
    lines = Self.lines([place] + places.dropFirst(), columns, key, guesses) + remarks
  }

  /// A dataset with other columns.
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
      pointer: text, form: form, records: Array(records.prefix(DraftRecords.most)), score: 9)
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
    let labels = plainHost.split(separator: ".").filter { !["api", "www", "com", "org", "net", "io"].contains($0) }
    name = Self.word(labels.last.map(String.init) ?? plainHost)
    let steps = path.split(separator: "/").map { $0.split(separator: ".").first.map(String.init) ?? "" }
    dataset = Self.word(steps.last { $0.contains { $0.isLetter } && !$0.hasPrefix("v") } ?? "records")
  }

  private static func word(_ text: String) -> String {
    let word = String(text.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" ? $0 : "_" })
    return word.isEmpty ? "records" : word
  }

  /// The name of an environment variable.
  static func variable(for name: String) -> String {
    let word = String(name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    return (word.first?.isNumber == true ? "API_" : "") + word
  }

  private static func decoded(_ text: Substring) -> String {
    String(decoding: PercentCoding.bytes(of: text, spaces: true) ?? [], as: UTF8.self)
  }
}

extension SourcePaging {
  /// The parameters that it sets.
  var parameterNames: [String] { [limitParameter, parameter].compactMap(\.self) }
}
