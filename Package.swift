// swift-tools-version:6.2
import PackageDescription

/// The settings of every Swift target.
let commonSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, path: "Modules/\(name)", swiftSettings: commonSettings)
}
func c(_ name: String, _ linker: [LinkerSetting] = [], exclude: [String] = []) -> Target {
  .target(name: name, path: "Modules/\(name)", exclude: exclude, linkerSettings: linker)
}
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: name, dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)", swiftSettings: commonSettings)
}

let programs: [Target.Dependency] = [
  "Rows", "Codecs", "Dialects", "Documents", "Query", "Domain", "Lake", "Sources", "CommandLineKit", "AppShell",
  "LiveServices",
]

let package = Package(
  name: "bb",
  products: [
    .executable(name: "bb-export", targets: ["bb-export"]),
    .executable(name: "bb-notes", targets: ["bb-notes-program"]),
    // Tables as streams of batches, files with them, their formats, and selections: no stores, no network.
    .library(name: "BBRows", targets: ["Rows", "Files", "Codecs", "Dialects", "Parquet", "Documents", "Query"]),
    // Datasets, sources, stores and exports.
    .library(name: "BB", targets: ["Domain", "Lake", "Sources", "Networking", "Objects", "Persistence", "Exporters"]),
    // The laws of formats, outputs, stores, transports and sources, for adapters of other packages.
    .library(name: "BBConformance", targets: ["Conformance"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", path: "Modules/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    c("CCurl"),  // loads libcurl with dlopen on the first request; only the headers are needed to build
    c("CMasks"),
    c("CAssets", exclude: ["Files"]),  // files that are parts of the programs
    c("CSearch"),
    c("CCompression"),  // loads libzstd and liblz4 with dlopen on first use; declares what it needs
    c("CZlib"),  // loads zlib with dlopen on first use; declares what it needs
    c("CPostgres"),  // loads libpq with dlopen on first use; declares what it needs
    c("CSystem"),
    c("CSQLiteGuard", [.linkedLibrary("sqlite3")]),  // what SQLite may do with files and statements

    module("Rows"),
    // Files, directories, pipes and temporaries of the system.
    module("Files", ["Rows", "CSystem"]),
    module("Codecs", ["Rows", "CMasks", "CZlib", "CCompression"]),
    module("Parquet", ["Rows", "Codecs", "CZlib", "CCompression"]),
    // The dialects and encodings of CSV files, and their repair.
    module("Dialects", ["Rows", "Codecs", "CMasks"]),
    // Workbooks, pages, Markdown, XML, vCards, zip.
    module("Documents", ["Rows", "Codecs", "CAssets", "CMasks", "CZlib"]),
    module("Query", ["Rows", "Codecs", "CAssets", "CSearch"]),
    module("Domain", ["Rows", "Codecs", "Dialects", "Documents", "Query"]),
    // Tables in directories of Parquet and other files: Delta, partitions.
    module("Lake", ["Rows", "Codecs", "Dialects", "Parquet", "Query", "Domain"]),
    // The language that describes APIs, and its interpreter: it asks with any transport.
    module("Sources", ["Rows", "Codecs", "Documents", "Query", "Domain"]),
    module("Networking", ["Rows", "Codecs", "Query", "Domain", "CCurl"]),
    // Objects of buckets: signing, listing, ranges, uploads.
    module("Objects", ["Rows", "Codecs", "Documents", "Domain"]),
    module("Snapshot", ["Rows", "Query", "Domain", "Codecs", "CAssets"]),
    module(
      "Persistence",
      [
        "Rows", "Files", "Codecs", "Dialects", "Parquet", "Documents", "Query", "Domain", "Lake", "Sources", "CSQLite",
        "CSQLiteGuard", "CPostgres", "CSystem",
      ]),
    module("Exporters", ["Rows", "Codecs", "Documents", "Parquet", "Domain"]),
    // Exporters that are programs of their own.
    module("Plugins", ["Rows", "Files", "Codecs", "Query", "Domain", "CSystem"]),
    // A website of the datasets.
    module("Site", ["Rows", "Codecs", "Documents", "Query", "Domain"]),
    module("CommandLineKit", ["Rows", "Files", "Codecs", "Dialects", "Query", "Domain", "CSystem"]),
    module(
      "AppShell", ["Rows", "Codecs", "Dialects", "Documents", "Query", "Domain", "Lake", "Sources", "CommandLineKit"]),
    module("Conformance", ["Rows", "Codecs", "Query", "Domain"]),

    // What locations and sources name, opened with one connection.
    module(
      "Access",
      [
        "Rows", "Files", "Codecs", "Dialects", "Query", "Domain", "Lake", "Sources", "CommandLineKit", "AppShell",
        "Networking", "Objects", "Parquet", "Persistence", "Exporters", "Snapshot",
      ]),

    // The adapters of both programs, connected.
    .target(
      name: "LiveServices",
      dependencies: [
        "Rows", "Files", "Codecs", "Dialects", "Documents", "Query", "Domain", "Sources", "CommandLineKit", "AppShell",
        "Access", "Networking", "Objects", "Persistence", "Exporters", "Plugins",
      ],
      path: "Apps/LiveServices", swiftSettings: commonSettings),
    // A release is the first program, which contains the second: the name that it is started with decides.
    .executableTarget(
      name: "bb-export", dependencies: programs + ["Site", "bb-notes"], path: "Apps/bb-export",
      resources: [.embedInCode("Cookbook.md")], swiftSettings: commonSettings),
    .target(
      name: "bb-notes", dependencies: programs, path: "Apps/bb-notes", exclude: ["Program"],
      swiftSettings: commonSettings),
    .executableTarget(
      name: "bb-notes-program", dependencies: ["bb-notes"], path: "Apps/bb-notes/Program",
      swiftSettings: commonSettings),

    // Serves the faults of Fakes to `Tools/faults network`.
    .executableTarget(
      name: "fault-server", dependencies: ["Rows", "Domain", "Conformance", "Fakes"], path: "Tests/FaultServer",
      swiftSettings: commonSettings),

    // Converts many tables in one process for `Tools/roundtrip`.
    .executableTarget(
      name: "round-trip", dependencies: ["Rows", "Domain", "Codecs", "Exporters"], path: "Tests/RoundTrip",
      swiftSettings: commonSettings
    ),

    // APIs, servers that misbehave, and images.
    .target(
      name: "Fakes", dependencies: ["Rows", "Codecs", "Domain", "Conformance"], path: "Tests/Fakes",
      swiftSettings: commonSettings),
    .target(name: "TestSupport", dependencies: ["Rows"], path: "Tests/TestSupport", swiftSettings: commonSettings),
    .target(
      name: "AppTestSupport",
      dependencies: [
        "Rows", "Codecs", "Dialects", "Documents", "Query", "Domain", "Exporters", "CommandLineKit", "AppShell",
      ],
      path: "Tests/AppTestSupport", swiftSettings: commonSettings),
    tests("RowsTests", ["Rows"]),
    tests("QueryTests", ["Rows", "Codecs", "Query", "Domain", "Conformance"]),
    tests(
      "LakeTests",
      [
        "Rows", "Files", "Codecs", "Dialects", "Parquet", "Query", "Domain", "Lake", "Persistence", "Exporters",
        "Conformance",
      ]),
    tests("AppShellTests", ["Rows", "Query", "Domain", "CommandLineKit", "AppShell", "AppTestSupport"]),
    tests("SiteTests", ["bb-export", "Site"]),
    tests(
      "AccessTests",
      [
        "Rows", "Files", "Dialects", "Query", "Domain", "CommandLineKit", "AppShell", "Networking", "Persistence",
        "Access", "Parquet",
      ]),
    tests("ExampleTests", ["Rows", "Files", "Codecs", "Dialects", "Query", "Domain", "Persistence", "Exporters"]),
    tests("DomainTests", ["Rows", "Codecs", "Query", "Domain", "Conformance", "Fakes"]),
    tests("CodecsTests", ["Rows", "Query", "Domain", "Codecs", "Dialects", "Documents", "Conformance"]),
    tests("SourcesTests", ["Rows", "Query", "Domain", "Codecs", "Sources", "Conformance"]),
    tests("ParquetTests", ["Rows", "Codecs", "Parquet", "Conformance"]),
    tests("DocumentsTests", ["Rows", "Codecs", "Documents", "Conformance"]),
    tests("NetworkingTests", ["Rows", "Query", "Domain", "Codecs", "Networking", "Conformance"]),
    tests("ObjectsTests", ["Rows", "Domain", "Codecs", "Networking", "Objects", "Conformance"]),
    tests(
      "PersistenceTests",
      [
        "Rows", "Files", "Query", "Domain", "Codecs", "Dialects", "Documents", "Persistence", "Conformance", "CSystem",
      ]),
    tests("PluginsTests", ["Rows", "Files", "Domain", "Codecs", "Plugins", "Conformance"]),
    tests("ExportersTests", ["Rows", "Query", "Domain", "Codecs", "Documents", "Exporters", "Conformance"]),
    tests("CommandLineKitTests", ["Rows", "Files", "Codecs", "Query", "Domain", "CommandLineKit"]),
    tests(
      "AppTests",
      [
        "bb-export", "bb-notes", "Access", "AppShell", "AppTestSupport", "Fakes", "LiveServices", "Rows", "Files",
        "Dialects", "Parquet", "Documents", "Query", "Domain", "Lake", "Sources", "Codecs", "CommandLineKit",
        "Networking", "Snapshot", "Persistence", "Exporters", "Conformance",
      ]),
  ]
)

// The fuzzers. Every build compiles them; `BB_FUZZ=1 swift build --product Fuzz` makes a program of them, with a Swift
// that has libFuzzer, and instruments the targets that they call. `Tools/faults fuzz` does it.
let fuzzed = [
  "Rows", "Files", "Codecs", "Dialects", "Parquet", "Documents", "Query", "Domain", "Lake", "Sources",
  "CommandLineKit", "Networking",
]
let fuzzedTargets = fuzzed.map { Target.Dependency(stringLiteral: $0) }
if Context.environment["BB_FUZZ"] == nil {
  package.targets.append(
    .target(name: "Fuzz", dependencies: fuzzedTargets, path: "Tests/Fuzz", swiftSettings: commonSettings))
} else {
  let fuzzing: [SwiftSetting] = [.unsafeFlags(["-sanitize=fuzzer,address"])]
  for target in package.targets where fuzzed.contains(target.name) { target.swiftSettings = commonSettings + fuzzing }
  package.targets.append(
    .executableTarget(
      name: "Fuzz", dependencies: fuzzedTargets, path: "Tests/Fuzz",
      swiftSettings: commonSettings + fuzzing + [.unsafeFlags(["-parse-as-library"])],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]))
}
