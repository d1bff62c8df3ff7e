import Glibc

/// Runs the built programs as a user would: in an empty directory, with an environment of its own.
package struct Shell {
  /// The result of a command.
  package struct Outcome {
    package let out: String, err: String, status: Int32

    package init(out: String, err: String, status: Int32) { (self.out, self.err, self.status) = (out, err, status) }
  }

  /// The directory it runs in; also `HOME`.
  package let directory: String
  private let variables: String

  /// - Parameter variables: more of the environment, as `NAME=value` words for `env`.
  package init(_ variables: String = "") {
    directory = TemporaryDirectory().path
    unsafe mkdir(directory + "/work", 0o700)
    self.variables = "TMPDIR='\(TemporaryDirectory.parent)' \(variables)"
  }

  /// The directory of the built programs and tests.
  package static let programs: String = {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(count, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 }
  }()

  /// The command line that runs a script in the directory and the environment.
  package func command(_ line: String) -> String {
    """
    cd \(directory)/work && exec env -i PATH='\(Self.programs):/usr/local/bin:/usr/bin:/bin' HOME='\(directory)' LC_ALL=C.UTF-8 \(variables) \
    sh -c '\(line.replacing("'", with: "'\\''"))'
    """
  }

  /// Runs a line of sh.
  package func run(_ line: String) -> Outcome {
    // Threads of tests hold back signals, which a shell that waits for its children needs.
    var none = sigset_t(), before = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    let status = unsafe system("\(command(line)) >\(directory)/out 2>\(directory)/err </dev/null")
    return Outcome(
      out: Self.read(directory + "/out"), err: Self.read(directory + "/err"),
      status: status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
  }

  /// Writes a file into the directory.
  package func write(_ name: String, _ text: String) {
    guard let file = unsafe fopen("\(directory)/work/\(name)", "w") else { return }
    defer { unsafe fclose(file) }
    unsafe fwrite(text, 1, text.utf8.count, file)
  }

  package static func bytes(_ path: String) -> [UInt8] {
    guard let file = unsafe fopen(path, "r") else { return [] }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = [], block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&block, 1, block.count, file)
      if count == 0 { return bytes }
      bytes += block[..<count]
    }
  }
  package static func read(_ path: String) -> String { String(decoding: bytes(path), as: UTF8.self) }
  package static func variable(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
}

/// Whether standard error holds a single message: one line, optionally followed by its hint.
package func isOneMessage(_ errors: String) -> Bool {
  let lines = errors.split(separator: "\n")
  return lines.count == 1 || (lines.count == 2 && lines[1].hasPrefix("hint: "))
}

extension Shell {
  /// Whether a program is on the usual path.
  package static func hasProgram(_ name: String) -> Bool { unsafe system("command -v \(name) >/dev/null") == 0 }
}
