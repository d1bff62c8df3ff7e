import Glibc
package import Rows

extension Problem {
  /// The error of a failed system call.
  ///
  /// - Parameters:
  ///   - code: `errno`, taken right after the call.
  ///   - action: what was tried: `open`, `write`.
  ///   - place: the file, as the user named it.
  package static func posix(_ code: Int32, _ action: String, _ place: String) -> Problem {
    let reason = unsafe String(cString: strerror(code)).lowercased()
    switch code {
    case ENOENT, ENOTDIR: return Problem(.noInput, "no such file or directory", at: place)
    case EACCES, EPERM, EROFS: return Problem(.permission, "cannot \(action): \(reason)", at: place)
    case ELOOP: return Problem(.badData, "symbolic link loop", at: place, hint: "remove the link")
    case EEXIST: return Problem(.cannotCreate, "already exists", at: place)
    case ENOSPC, EDQUOT:
      return Problem(
        .io, "cannot \(action): no space left on device", at: place, hint: "free some space and run the command again")
    case EPIPE: return Problem(.endOfPipe, "the reader closed the pipe", at: place)
    case ENAMETOOLONG: return Problem(.cannotCreate, "file name too long", at: place)
    case EISDIR: return Problem(.cannotCreate, "is a directory", at: place)
    case EFBIG: return Problem(.io, "cannot \(action): file size limit exceeded", at: place)
    default: return Problem(.io, "cannot \(action): \(reason)", at: place)
    }
  }
}

/// Writes bytes whole.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32, place: String) throws(Problem) {
  unsafe try writeAll(bytes.span.bytes, to: descriptor, place: place)
}

/// Writes bytes whole, whatever the descriptor takes at a time.
package func writeAll(_ bytes: RawSpan, to descriptor: Int32, place: String) throws(Problem) {
  var done = 0
  while done < bytes.byteCount {
    let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress! + done, $0.count - done) }
    if count > 0 {
      done += count
    } else if count == 0 {
      throw Problem(.io, "cannot write: zero bytes written", at: place)
    } else {
      try waitForRoom(in: descriptor, place: place)
    }
  }
}

/// Waits until a descriptor that does not block accepts bytes again, if that was the error.
func waitForRoom(in descriptor: Int32, place: String) throws(Problem) {
  if errno == EAGAIN {
    var room = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    unsafe poll(&room, 1, -1)
  } else if errno != EINTR {
    throw Problem.posix(errno, "write", place)
  }
}
