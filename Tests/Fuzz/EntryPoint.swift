import Glibc

/// The functions to fuzz, by name; `BB_FUZZ_TARGET` selects one.
private let targets: [String: @Sendable ([UInt8]) -> Void] = [
  "csv": csv, "dialect": dialect, "json": json, "ndjson": ndjson, "workbook": workbook, "parquet": parquet,
  "delta": delta, "deletions": deletions,
  "xml": xml, "types": types,
  "selection": Grammar.selection,
  "coordinates": Grammar.coordinates, "source": Grammar.source, "dates": Grammar.dates, "words": Grammar.words,
  // Found fault with at once, or nothing is fuzzed.
  "self-test": { bytes in precondition(!bytes.starts(with: [0x62, 0x62, 0x21]), "found") },
]
private let target = unsafe getenv("BB_FUZZ_TARGET").flatMap { unsafe targets[String(cString: $0)] }

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  target?(unsafe Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}

/// libFuzzer's own loop, from its library.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// Where SwiftPM expects a program to begin.
@_cdecl("Fuzz_main")
public func begin(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  guard target != nil else {
    let names = "BB_FUZZ_TARGET is one of: \(targets.keys.sorted().joined(separator: ", "))\n"
    _ = unsafe write(2, names, names.utf8.count)
    return 64
  }
  var count = count
  var arguments = unsafe arguments
  return unsafe runDriver(&count, &arguments) { start, count in unsafe fuzz(start, count) }
}
