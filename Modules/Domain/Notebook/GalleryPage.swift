import Codecs

/// A page that shows images: one file, without scripts, following the light or dark theme.
public enum GalleryPage {
  /// Creates the page.
  ///
  /// - Parameters:
  ///   - title: the subject of the images.
  ///   - images: absolute paths, or http(s) URLs; other texts are omitted.
  public static func html(_ title: String, images: [String]) -> [UInt8] {
    let figures = images.compactMap(address).map { "<a href=\"\($0)\"><img src=\"\($0)\" alt=\"\"></a>\n" }
    return Array(
      """
      <!doctype html>
      <html lang="en"><meta charset="utf-8"><title>\(escaped(title))</title>
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src file: https: http:; style-src 'unsafe-inline'">
      <meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
      <style>body{font:16px system-ui;margin:1rem}img{max-width:100%;max-height:80vh;margin:.25rem}</style>
      <h1>\(escaped(title))</h1>
      \(figures.joined())</html>

      """.utf8)
  }

  private static func address(_ image: String) -> String? {
    if URLText.isWeb(image) { return escaped(image) }
    guard image.hasPrefix("/") else { return nil }
    return "file://" + PercentCoding.encoded(image, keeping: "/")
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
