import Glibc

/// The desktop the program runs on, when there is one.
public enum Desktop {
  /// Opens a page with the desktop's own program; false when there is no desktop or no such program.
  ///
  /// - Parameters:
  ///   - url: http or https; anything else is not opened.
  ///   - variables: the process's environment; `DISPLAY` or `WAYLAND_DISPLAY` say that there is a desktop.
  public static func open(_ url: String, variables: [String: String]) -> Bool {
    guard url.hasPrefix("https://") || url.hasPrefix("http://") else { return false }
    guard variables["DISPLAY"] != nil || variables["WAYLAND_DISPLAY"] != nil else { return false }
    let path = "/usr/bin/xdg-open"
    guard unsafe access(path, X_OK) == 0 else { return false }
    var words = unsafe [strdup(path), strdup(url), nil]
    defer { for index in 0..<2 { unsafe free(words[index]) } }
    var child = pid_t()
    guard unsafe posix_spawn(&child, path, nil, nil, &words, environ) == 0 else { return false }
    var status: Int32 = 0
    return unsafe waitpid(child, &status, 0) == child && status == 0
  }
}
