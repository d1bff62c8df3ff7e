import Rows

/// Looks at what would be lost when an export takes the place of a file that is part of a storage.
enum FolderReplacement {
  /// Lets pass what is no file of a table that bb keeps in a folder, nor of the folder's history.
  /// - Throws: `cannotCreate` for such a file; what reading the folder's `bb.json` throws.
  static func check(_ path: String) throws(Problem) {
    do throws(Problem) {
      guard try FileStamp.now(at: path) != nil else { return }
    } catch {
      return  // What may not be looked at cannot be made either, and who tries to says so.
    }
    let (folder, name) = Temporaries.split(try FileSink.resolved(path))
    let (above, last) = Temporaries.split(folder)
    if last == ".bb", try FolderManifest(folder: above) != nil { throw problem(path, above) }
    let suffixes = [".csv", ".csv-metadata.json", ".json"]
    guard let suffix = suffixes.first(where: name.hasSuffix), let manifest = try FolderManifest(folder: folder) else {
      return
    }
    let table = FolderPath.table(of: String(name.dropLast(suffix.count)))
    if name == "bb.json" || manifest.tables[table] != nil { throw problem(path, folder) }
  }

  private static func problem(_ path: String, _ folder: String) -> Problem {
    Problem(
      .cannotCreate, "is part of a storage, which would lose it", at: path,
      hint: "choose another name, or add to the storage: bb-export sync --storage \(folder)")
  }
}
