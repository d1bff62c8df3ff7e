import Glibc
package import Rows

/// Properties of the terminal, and output to it.
package enum Terminal {
  /// Fills the places of standard input, output and error where the process was started without them, so that no file
  /// that is opened later gets what is meant for them. Reading and writing them still fails. Call first of all.
  package static func occupyStandardDescriptors() {
    for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest that is free is taken, and that is this one.
      _ = unsafe open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
  /// Whether standard input is a pipe or a file.
  package static var hasInput: Bool {
    var status = stat()
    guard unsafe fstat(0, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFIFO || status.st_mode & S_IFMT == S_IFREG
  }

  /// Keeps standard input, to be read more than once: afterwards it is a file without a name.
  /// - Throws: `io`.
  package static func keepInput() throws(Problem) {
    var status = stat()
    if unsafe fstat(0, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return }
    let directory = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    let file = unsafe open(directory, 0o20000000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)  // O_TMPFILE
    var buffer = [UInt8](repeating: 0, count: 1 << 16), isWritten = file >= 0
    while isWritten {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(0, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      var rest = buffer[..<count]
      while isWritten, !rest.isEmpty {
        let part = unsafe rest.withUnsafeBytes { unsafe Glibc.write(file, $0.baseAddress, $0.count) }
        if part > 0 { rest = rest.dropFirst(part) } else { isWritten = errno == EINTR }
      }
    }
    guard isWritten, dup2(file, 0) == 0 else {
      throw Problem(.io, "cannot keep standard input", at: directory, hint: "save it to a file first")
    }
    close(file)
  }

  /// The size of the regular file that standard output is; nil if it is none.
  package static var outputSize: Int? {
    var status = stat()
    guard unsafe fstat(1, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return status.st_size
  }

  /// The path of that file, or a name for it if the system does not say; nil if there is none.
  package static var outputFile: String? {
    if outputSize == nil { return nil }
    guard let path = unsafe realpath("/proc/self/fd/1", nil) else { return "/dev/stdout" }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }

  /// Whether the user can be prompted: standard input and standard error are terminals.
  package static var isInteractive: Bool { isTerminal(0) && isTerminal(2) }

  /// The terminal's width in columns; nil when `descriptor` is none or does not say.
  package static func width(_ descriptor: Int32) -> Int? {
    size(descriptor).flatMap { $0.columns > 0 ? $0.columns : nil }
  }
  /// The terminal's height in lines; nil when `descriptor` is none or does not say.
  package static func height(_ descriptor: Int32) -> Int? { size(descriptor).flatMap { $0.lines > 0 ? $0.lines : nil } }

  private static func size(_ descriptor: Int32) -> (columns: Int, lines: Int)? {
    guard isTerminal(descriptor) else { return nil }
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Writes all of the text, in as many calls as necessary.
  /// - Throws: `endOfPipe` if the reader closed the pipe, otherwise `io`.
  package static func write(_ text: String, to descriptor: Int32) throws(Problem) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        // The descriptor is non-blocking (set by a shell or a parent's event loop): wait until it is writable.
        var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        unsafe poll(&room, 1, -1)
      } else if errno != EINTR {
        if errno == EPIPE { throw Problem(.endOfPipe, "the reader closed the pipe", at: "standard output") }
        let place = descriptor == 2 ? "standard error" : "standard output"
        guard errno != ENOSPC else {
          throw Problem(
            .io, "cannot write: no space left on device", at: place, hint: "free some space and run the command again")
        }
        throw Problem(.io, "cannot write: \(unsafe String(cString: strerror(errno)).lowercased())", at: place)
      }
    }
  }

  /// A word for a shell; one with characters that drive a terminal for bash, zsh and ksh.
  package static func shellWord(_ word: String) -> String {
    guard safe(word) != word || word.utf8.contains(where: { $0 < 32 }) else { return Remedy.shellWord(word) }
    let digits = Array("0123456789abcdef")
    return word.unicodeScalars.reduce("$'") { text, scalar in
      let one = String(scalar)
      if scalar == "'" || scalar == "\\" { return "\(text)\\\(one)" }
      guard scalar.value < 32 || safe(one) != one else { return text + one }
      return one.utf8.reduce(text) { "\($0)\\x\(digits[Int($1) / 16])\(digits[Int($1) % 16])" }
    } + "'"
  }

  /// Text that cannot drive a terminal: control characters (but line feed and tab), and marks that change the direction
  /// of writing, are spelled out.
  /// - Parameter keepsLineEnds: whether a carriage return before a line feed stays.
  package static func safe(_ text: String, keepsLineEnds: Bool = false) -> String {
    guard text.unicodeScalars.contains(where: drives) else { return text }
    var result = "", isHeld = false
    func spell(_ scalar: Unicode.Scalar) {
      if scalar.value < 256 {
        result += "\\x" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      } else {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    for scalar in text.unicodeScalars {
      if isHeld {
        if scalar == "\n" { result.unicodeScalars.append("\r") } else { spell("\r") }
        isHeld = false
      }
      if !drives(scalar) {
        result.unicodeScalars.append(scalar)
      } else if keepsLineEnds, scalar == "\r" {
        isHeld = true
      } else {
        spell(scalar)
      }
    }
    if isHeld { spell("\r") }
    return result
  }

  private static func drives(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 9, 10: false
    case 0..<32, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
