internal import CSystem
package import Glibc
package import Rows

/// Opens regular files: a FIFO, socket or device in place of one neither blocks the program nor is read.
///
/// Every file except those that the user names as input or output is opened here.
package enum RegularFile {
  /// Opens the file at `path`.
  ///
  /// - Parameters:
  ///   - flags: for `open(2)`; it never blocks, and the descriptor is closed in child processes.
  ///   - mode: permissions of a file that is created.
  ///   - action: the verb in a message: `open`, `create`.
  /// - Throws: `badData` for a file of another type, also a directory; `noInput`, `permission`, `io`.
  package static func open(
    _ path: String, _ flags: Int32, mode: UInt32 = 0o600, action: String = "open"
  ) throws(Problem) -> Int32 {
    var type: UInt32 = 0
    let descriptor = unsafe bb_open_regular(path, flags, mode, &type)
    if descriptor >= 0 { return descriptor }
    if type != 0 { throw Problem.notRegular(type, at: path) }
    throw Problem.posix(errno, action, path)
  }

  /// The type, size and times of what is at a path; nil if nothing is.
  /// - Parameter follows: whether a symbolic link stands for its target.
  package static func status(_ path: String, follows: Bool) -> stat? {
    var status = stat()
    return unsafe (follows ? stat(path, &status) : lstat(path, &status)) == 0 ? status : nil
  }

  /// Refuses a file that exists and is not regular.
  /// - Parameter follows: whether a symbolic link stands for its target.
  package static func check(_ path: String, follows: Bool = false) throws(Problem) {
    guard let status = status(path, follows: follows), status.st_mode & S_IFMT != S_IFREG else { return }
    throw Problem.notRegular(status.st_mode & S_IFMT, at: path)
  }

  /// Refuses a named pipe, without waiting for its writer.
  package static func refusePipe(_ path: String) throws(Problem) {
    guard let status = status(path, follows: true), status.st_mode & S_IFMT == S_IFIFO else { return }
    var problem = Problem.notRegular(S_IFIFO, at: path)
    problem.hint = "save the contents to a file first"
    throw problem
  }
}

extension Problem {
  /// A file that must be regular and is of the type that `type`, the `S_IFMT` bits of its mode, says.
  package static func notRegular(_ type: UInt32, at place: String) -> Problem {
    Problem(
      .badData, "is \(kindOfFile(type)), not a regular file", at: place, hint: "rename or remove it")
  }

  /// The type of a file with its article, for messages.
  package static func kindOfFile(_ type: UInt32) -> String {
    switch type {
    case S_IFREG: "a file"
    case S_IFDIR: "a directory"
    case S_IFIFO: "a named pipe"
    case S_IFSOCK: "a socket"
    case S_IFLNK: "a symbolic link"
    default: "a device"
    }
  }
}
