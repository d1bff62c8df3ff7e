import Glibc
import TestSupport

/// Other programs that check documents: each gets a file, and its output is returned.
enum Shell {
  /// The value of an environment variable; nil when it is not set.
  static func environment(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }

  /// Whether a program of this name is on the path.
  static func has(_ program: String) -> Bool {
    unsafe system("command -v \(program) >/dev/null 2>&1") == 0
  }

  /// Runs `command` (a line for `sh`) with `input` as its standard input; returns what it prints, nil when it fails.
  static func run(_ command: String, input: [UInt8]) -> [UInt8]? {
    let name = TemporaryDirectory().path + "/input"
    let descriptor = unsafe open(name, O_WRONLY | O_CREAT, 0o600)
    guard descriptor >= 0 else { return nil }
    var sent = 0
    while sent < input.count {
      let written = unsafe input.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) -> Int in
        guard let start = bytes.baseAddress else { return 0 }
        return unsafe write(descriptor, start + sent, bytes.count - sent)
      }
      guard written > 0 else { return nil }
      sent += written
    }
    close(descriptor)
    guard let pipe = unsafe popen("(\(command)) < \(name)", "r") else { return nil }
    var output: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&block, 1, block.count, pipe)
      if count == 0 { break }
      output += block[..<count]
    }
    return unsafe pclose(pipe) == 0 ? output : nil
  }
}
