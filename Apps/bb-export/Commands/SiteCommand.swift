import AppShell
import CommandLineKit
import Documents
import Domain
import Query
import Rows
import Site

/// `bb-export site`: a website of the records in a store.
struct SiteCommand {
  private let invocation: Invocation
  private let services: AppServices

  init(_ context: CommandContext) { (invocation, services) = (context.invocation, context.services) }

  /// For the help: what is written, and what is replaced.
  static let discussion =
    "Characters, episodes, movies and actors get a page each; quotes, deaths, places and notes a list; other tables a "
    + "page with a table. The pages need no server, no network and no JavaScript, except for the search. The same "
    + "records give the same files. The directory appears when it is complete; one that bb did not write is never "
    + "replaced. Personal notes, places and contacts are part of the site: consider what you publish. The network is "
    + "not used."

  func run() async throws(Problem) {
    guard let given = invocation[Options.siteDirectory], !given.isEmpty else {
      throw Problem(.usage, "missing required option -o DIR", hint: "for example: -o site")
    }
    let path = try invocation.locations.location(given).path()
    for (place, name) in invocation.arguments.enumerated() where invocation.arguments[..<place].contains(name) {
      throw Problem(.usage, "duplicate argument: \(name)")
    }
    if let text = invocation[Options.siteURL] {
      guard PageAddress(web: Array(text.utf8)) != nil, text.lowercased().hasPrefix("http"), !text.contains("?"),
        !text.contains("#")
      else {
        throw Problem(
          .usage, "invalid value “\(text)” for --base-url", hint: "use a URL, for example https://example.org/shows")
      }
    }
    let policy = SiteImages.Policy(rawValue: invocation[Options.siteImages] ?? "local") ?? .local
    var location = invocation[Options.siteStore] ?? ""
    if location.isEmpty { location = try services.stores.defaultLocation().location }
    try services.require(location)
    let store = try services.stores.open(location)
    services.provenance.open(store.name)
    let tables = try await self.tables(of: store)
    let directory = try services.files.directory(
      path, list: "assets/site.json", replaces: !invocation.isOn(OutputOptions.noClobber))
    services.progress.begin(path, "pages")
    do throws(Problem) {
      let shown = try imagesAtHand(policy, location, directory)
      let text = try await write(store, tables, shown, path, directory)
      try await directory.commit()
      services.progress.finish()
      services.report.result(text)
      guard invocation.has(Options.siteOpen) else { return }
      let page = services.desktop.open(page: path.hasSuffix("/") ? path + "index.html" : path + "/index.html")
      if !page.isOpen { try services.terminal.write(page.url + "\n") }
    } catch {
      services.progress.finish()
      directory.abandon()
      throw error
    }
  }

  private func tables(of store: any RecordStore) async throws(Problem) -> [Schema] {
    let tables = try await store.tables(), names = tables.map(\.name)
    guard !tables.isEmpty else {
      throw Problem(.noInput, "the store has no tables", at: store.name, hint: .run(.sync, "fetch datasets"))
    }
    for name in invocation.arguments where !names.contains(name) {
      throw Problem(
        .noInput, "the store has no table “\(name)”", at: store.name,
        hint: .choose(name, from: names, "available"))
    }
    let chosen = invocation.arguments.isEmpty ? Set(names) : Set(invocation.arguments)
    let needed = Site.needed(for: chosen)
    return tables.filter { needed.contains($0.name) }
  }

  private func imagesAtHand(
    _ policy: SiteImages.Policy, _ location: String, _ directory: any OutputDirectory
  ) throws(Problem) -> SiteImages {
    let stored = try services.images.stored(location)
    let known = try services.files.imageFiles(
      in: invocation[Options.siteImageDirectory], ofStore: stored.directory)
    return SiteImages(policy, known: known, in: directory)
  }

  /// Writes the pages.
  /// - Returns: the outcome, for display.
  private func write(
    _ store: any RecordStore, _ tables: [Schema], _ images: SiteImages, _ path: String,
    _ directory: any OutputDirectory
  ) async throws(Problem) -> String {
    var known: [String: SiteTable] = [:], others: [(name: String, rows: Int)] = []
    var images = images, extra: [WrittenRows] = []
    let names = Set(tables.map(\.name))
    for schema in tables {
      let rows = try await store.rows(of: schema.name, RowRequest())
      if Site.isKnown(schema.name, among: names) {
        known[schema.name] = SiteTable(rows.schema, try await rows.collect())
      } else {
        let shown = try images.all(of: schema.name)
        let written = try await writeTable(rows, shown, directory)
        others.append((schema.name, written.rows))
        extra += written.outputs
      }
    }
    let progress = services.progress
    let site = try Site(
      title: invocation[Options.siteTitle] ?? "bb", baseURL: invocation[Options.siteURL], known, others: others,
      images: images, in: directory
    ) { done, all in
      progress.update { step in (step.items, step.allItems) = (done, all) }
    }
    let warnings = try site.write()
    for warning in warnings { services.report.warning(warning) }
    let pages = site.pages + extra.count, missing = extra.reduce(site.missingImages) { $0 + $1.part.missingImages }
    var text = "\(path): \(Progress.grouped(pages)) \(pages == 1 ? "page" : "pages"), "
    text += "\(Progress.grouped(site.copiedImages)) \(site.copiedImages == 1 ? "image" : "images"), "
    text += Progress.size(directory.bytes + extra.reduce(0) { $0 + $1.bytes })
    if missing > 0, invocation[Options.siteImages] == nil {
      text +=
        "; \(Progress.grouped(missing)) \(missing == 1 ? "image is" : "images are") not at hand "
        + "(bb-export images -o DIR fetches them, --image-dir DIR shows them)"
    }
    return text
  }

  /// Writes a table that bb does not know as a page.
  private func writeTable(
    _ rows: any RowStream, _ images: PageImages, _ directory: any OutputDirectory
  ) async throws(Problem) -> Export.Summary {
    var options = ExportOptions(["images": invocation[Options.siteImages] == "none" ? "none" : "local"])
    if invocation[Options.siteImages] == "remote" { options.values["images"] = "auto" }
    options.images = images
    let path = Site.path(ofTable: rows.schema.name)
    let output = Export.Output(try services.exporters.named("html"), options) { () throws(Problem) in
      try directory.sink(path)
    }
    let export = Export(to: [output], threads: services.cores, scratch: services.scratch)
    return try await export.run(rows) { (stream) throws(Problem) in stream }
  }
}
