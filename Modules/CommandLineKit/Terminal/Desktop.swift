import Domain
import Glibc

/// The desktop the program runs on, when there is one.
package enum Desktop {
  /// Opens a page with the program of the desktop. Returns false if there is no desktop or no such program.
  ///
  /// - Parameters:
  ///   - url: http or https, or a file in `ownFiles`; any other URL is refused.
  ///   - variables: the environment; `DISPLAY` or `WAYLAND_DISPLAY` mean that there is a desktop.
  ///   - ownFiles: a directory with pages that the program created; nil for none.
  ///   - isOwn: whether the program created the page.
  package static func open(
    _ url: String, variables: [String: String], ownFiles: String? = nil, isOwn: Bool = false
  ) -> Bool {
    let isOwn =
      isOwn && url.hasPrefix("file:///")
      || ownFiles.map { url.hasPrefix("file://\($0)/") && !url.contains("/../") } ?? false
    guard isOwn || URLText.isWeb(url) else { return false }
    guard variables["DISPLAY"] != nil || variables["WAYLAND_DISPLAY"] != nil else { return false }
    let path = "/usr/bin/xdg-open"
    guard unsafe access(path, X_OK) == 0 else { return false }
    return run(path, [url])
  }

  /// Runs a program to its end, with the signals as they are when a process begins: none blocked, none ignored. (A
  /// browser that inherited ours could not be ended by SIGTERM.)
  /// - Returns: whether it was found and ended with 0.
  package static func run(_ path: String, _ arguments: [String]) -> Bool {
    var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe words.indices { unsafe free(words[index]) } }
    var attributes = posix_spawnattr_t()
    guard unsafe posix_spawnattr_init(&attributes) == 0 else { return false }
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var child = pid_t()
    guard unsafe posix_spawn(&child, path, nil, &attributes, &words, environ) == 0 else { return false }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 { if errno != EINTR { return false } }
    return status == 0
  }
}
