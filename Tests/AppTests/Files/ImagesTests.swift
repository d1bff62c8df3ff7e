import Conformance
import Domain
import Fakes
import Glibc
import Synchronization
import TestSupport
import Testing

/// A server of images with ETags and ranges, which can be made to misbehave.
private final class Gallery: Sendable {
  let pictures: Mutex<[String: [UInt8]]>
  /// Bytes after which the response for a path ends early, once.
  let cuts = Mutex<[String: Int]>([:])

  init(_ pictures: [String: [UInt8]]) { self.pictures = Mutex(pictures) }

  func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
    guard let bytes = pictures.withLock({ $0[request.path] }) else { return .whole(404, [], []) }
    let tag = "\"\(bytes.reduce(5381 as UInt32) { ($0 &* 33) ^ UInt32($1) })\""
    let headers = [HTTPHeader("ETag", tag), HTTPHeader("Content-Type", "image/whatever")]
    if request.headers["if-none-match"] == tag { return .whole(304, headers, []) }
    var from = 0
    if let range = request.headers["range"], request.headers["if-range"] == tag {
      from = Int(range.dropFirst(6).dropLast()) ?? 0
    }
    let rest = Array(bytes[from...])
    if let cut = cuts.withLock({ $0.removeValue(forKey: request.path) }) {
      let head = "HTTP/1.1 200 OK\r\nETag: \(tag)\r\nContent-Length: \(bytes.count)\r\n\r\n"
      return .raw(Array(head.utf8) + rest[..<cut], then: .close)
    }
    guard from > 0 else { return .whole(200, headers, bytes) }
    let range = HTTPHeader("Content-Range", "bytes \(from)-\(bytes.count - 1)/\(bytes.count)")
    return .whole(206, headers + [range], rest)
  }
}

@Suite("bb-export images") struct ImagesTests {
  private let shell = Shell()

  private func people(_ server: LoopbackServer, _ urls: [String]) -> String {
    "id,name,portrait\n"
      + urls.enumerated().map {
        "\($0.offset + 7),Person,\($0.element.hasPrefix("/") ? server.url : "")\($0.element)\n"
      }
      .joined()
  }
  private func names(_ directory: String = "pics") -> String {
    shell.run("ls \(directory)").out.replacing("\n", with: " ")
  }

  @Test("images get safe names, a second run downloads nothing, and a changed image is replaced")
  func again() throws {
    let gallery = Gallery([
      "/a%2F..%2Fx.jpg": [], "/a": SampleImage.jpeg(of: 5000).bytes, "/b.exe": SampleImage.png(width: 9).bytes,
      "/c": SampleImage.gif.bytes,
    ])
    let server = try LoopbackServer { gallery.answer($0) }
    shell.write("people.csv", people(server, ["/a", "/b.exe", "/c"]))
    let first = shell.run("bb-export images --allow-private --from people.csv -o pics")
    #expect(first.out.hasPrefix("people: 3 images in pics: 3 new, 0 updated, 0 unchanged, 0 failed; 5."))
    #expect(first.err == "" && first.status == 0)
    #expect(names() == "7-1.jpg 8-1.png 9-1.gif images.json ")
    #expect(Shell.bytes(shell.directory + "/work/pics/7-1.jpg") == SampleImage.jpeg(of: 5000).bytes)

    let second = shell.run("bb-export images --allow-private --from people.csv -o pics")
    #expect(second.out.hasPrefix("people: 3 images in pics: 0 new, 0 updated, 3 unchanged, 0 failed; 0 B"))
    #expect(server.requests.suffix(3).allSatisfy { $0.headers["if-none-match"] != nil })

    gallery.pictures.withLock { $0["/a"] = SampleImage.png(width: 4).bytes }
    let third = shell.run("bb-export images --allow-private --from people.csv -o pics")
    #expect(third.out.hasPrefix("people: 3 images in pics: 0 new, 1 updated, 2 unchanged, 0 failed"))
    #expect(names() == "7-1.png 8-1.png 9-1.gif images.json ")
    #expect(
      shell.run("cd pics && bb-export --from images.json --columns key,file -f csv").out
        == "key,file\n7,7-1.png\n8,8-1.png\n9,9-1.gif\n")
  }

  @Test("each unavailable image is reported on one line, and the others are stored") func failures() throws {
    let gallery = Gallery(["/a": SampleImage.jpeg(of: 50).bytes, "/page": Array("<html>log in</html>".utf8)])
    let server = try LoopbackServer { gallery.answer($0) }
    shell.write("people.csv", people(server, ["/a", "/gone", "/page", "file:///etc/passwd", "javascript:alert(1)"]))
    let done = shell.run("bb-export images --allow-private --from people.csv -o pics")
    #expect(done.status == 75)
    #expect(done.out.contains("1 new, 0 updated, 0 unchanged, 4 failed"))
    #expect(done.err.split(separator: "\n").count { !$0.hasPrefix("hint: ") } == 5)
    #expect(done.err.contains("/gone: HTTP status 404") && done.err.contains("not an image but a web page"))
    #expect(names() == "7-1.jpg images.json ")
    #expect(names("pics/.bb/parts") == "")
  }

  @Test("a response that ends early is continued in the same run") func continued() throws {
    let picture = SampleImage.jpeg(of: 100_000).bytes
    let gallery = Gallery(["/a": picture])
    gallery.cuts.withLock { $0["/a"] = 30_000 }
    let server = try LoopbackServer { gallery.answer($0) }
    shell.write("people.csv", people(server, ["/a"]))
    let done = shell.run("bb-export images --allow-private --from people.csv -o pics")
    #expect(done.status == 0, "\(done.err)")
    #expect(Shell.bytes(shell.directory + "/work/pics/7-1.jpg") == picture)
    #expect(server.requests.count == 2)
    #expect(server.requests.last?.headers["range"] == "bytes=30000-")
    #expect(server.requests.last?.headers["if-range"] != nil)
  }

  @Test(
    "a killed run is continued by the next; an image that has changed is fetched again",
    arguments: [false, true])
  func killed(changes: Bool) throws {
    let picture = SampleImage.jpeg(of: 100_000).bytes
    let gallery = Gallery(["/a": picture, "/b": SampleImage.gif.bytes])
    let isSlow = Mutex(true)
    let server = try LoopbackServer { request in
      guard request.path == "/a", isSlow.withLock({ $0 }) else { return gallery.answer(request) }
      let tag = "\"\(picture.reduce(5381 as UInt32) { ($0 &* 33) ^ UInt32($1) })\""
      let head = "HTTP/1.1 200 OK\r\nETag: \(tag)\r\nContent-Length: \(picture.count)\r\n\r\n"
      return .raw(Array(head.utf8) + picture[..<40_000], then: .silence(60_000))
    }
    shell.write("people.csv", people(server, ["/a", "/b"]))
    let kill = shell.run(
      """
      bb-export images --allow-private --from people.csv -o pics & until [ -e pics/8-1.gif ] && [ "$(cat pics/.bb/parts/7-1* | wc -c)" = 40000 ]; do sleep 0.05; done
      kill -KILL $!; wait $!
      """)
    #expect(kill.status == 137)
    #expect(names() == "8-1.gif ")
    #expect(shell.run("cat pics/.bb/parts/7-1* | wc -c").out == "40000\n")
    isSlow.withLock { $0 = false }
    let new = changes ? SampleImage.jpeg(of: 90_000, seed: 3).bytes : picture
    gallery.pictures.withLock { $0["/a"] = new }
    let before = server.requests.count
    let done = shell.run("bb-export images --allow-private --from people.csv -o pics")
    #expect(done.out.contains("1 new, 0 updated, 1 unchanged, 0 failed"))
    #expect(Shell.bytes(shell.directory + "/work/pics/7-1.jpg") == new)
    // Stored images were requested only with a condition.
    let later = server.requests.dropFirst(before)
    #expect(later.first { $0.path == "/b" }?.headers["if-none-match"] != nil)
    #expect(later.first { $0.path == "/a" }?.headers["range"] == "bytes=40000-")
    #expect(names("pics/.bb/parts") == "")
  }

  @Test("limits, useless options and directories of other programs are refused") func refusals() throws {
    let gallery = Gallery(["/a": SampleImage.jpeg(of: 5000).bytes, "/b": SampleImage.jpeg(of: 50).bytes])
    let server = try LoopbackServer { gallery.answer($0) }
    shell.write("people.csv", people(server, ["/a", "/b"]))
    let limited = shell.run("bb-export images --allow-private --from people.csv -o pics --max-image 1k")
    #expect(limited.status == 75 && limited.out.contains("1 new, 0 updated, 0 unchanged, 1 failed"))
    let total = shell.run("bb-export images --allow-private --from people.csv -o few --max-total 1k --parallel 1")
    #expect(total.status == 75 && total.err.contains("--max-total"))
    #expect(shell.run("bb-export images --allow-private --from people.csv").status == 64)
    #expect(shell.run("bb-export images --allow-private --from people.csv -o pics --columns name").status == 75)
    #expect(shell.run("bb-export images --allow-private --from people.csv -o pics --columns id").status == 64)
    #expect(shell.run("bb-export images --allow-private --from people.csv -o pics --max-image big").status == 64)
    #expect(shell.run("bb-export images --from people.csv -o pics --offline").status == 64)
    let other = shell.run("bb-export images --allow-private --from people.csv --as others -o pics")
    #expect(other.status == 73 && other.err.contains("contains the images of people"))
    #expect(shell.run("bb-export images --allow-private --from people.csv -o people.csv").status == 73)
    #expect(
      shell.run("bb-export images --allow-private --from people.csv -o none --where 'id = 0'").out
        == "people: no image URLs in 0 records\n")
    shell.write("pics/images.json", "[{")
    let damaged = shell.run("bb-export images --allow-private --from people.csv -o pics")
    #expect(damaged.status == 65 && damaged.err.contains("images.json:1"))
    #expect(Shell.read(shell.directory + "/work/pics/images.json") == "[{")
  }

  @Test("the key names the files for a dataset of an API and of a store") func datasets() throws {
    let gallery = Gallery(["/p": SampleImage.png(width: 3).bytes, "/q": SampleImage.png(width: 4).bytes])
    let images = try LoopbackServer { gallery.answer($0) }
    let api = try SixAPI(answers: [
      "episodes": Array(
        """
        [{"episode_id": 1, "production": "El Camino", "episode": 101, "title": "T", "air_date": "10-11-2019", "synopsis": "", "written_by": "W",
          "directed_by": "D", "characters": [], "image": "\(images.url)/p"}]
        """.utf8),
      "characters": Array(
        """
        [{"character_id": 5, "name": "A", "birthday": "March 1966", "occupations": ["x"], "images": ["\(images.url)/p", "\(images.url)/q"],
          "full_name": "A", "aliases": [], "status": "Alive", "appearance": {"breaking_bad": [], "better_call_saul": [], "el_camino": [1]},
          "portrayed_by": "P", "productions": ["El Camino"]}]
        """.utf8), "quotes": Array("[]".utf8), "deaths": Array("[]".utf8),
    ])
    let server = try LoopbackServer { api.answer($0) }
    #expect(shell.run("bb-export images episodes --allow-private --api \(server.url)/api -o e").status == 0)
    #expect(names("e") == "El%20Camino,1,1-1.png images.json ")
    #expect(shell.run("bb-export sync characters --api \(server.url)/api --storage json:data").status == 0)
    let stored = shell.run("bb-export images characters --allow-private --storage json:data -o c")
    #expect(stored.out.contains("2 new") && names("c") == "5-1.png 5-2.png images.json ")
    let synced = shell.run(
      "bb-export sync --allow-private --api \(server.url)/api --storage csv:data2 --images data2/images --allow-shrink")
    #expect(synced.status == 0, "\(synced.err)")
    #expect(synced.err.contains("characters: 2 images in data2/images/characters: 2 new"))
    #expect(names("data2/images") == "characters episodes ")
    #expect(names("data2/images/episodes") == "El%20Camino,1,1-1.png images.json ")
    #expect(shell.run("bb-export characters --storage csv:data2 --columns id -f csv").out == "id\n5\n")
    #expect(shell.run("bb-export sync --api \(server.url)/api --storage csv:data3 --images x --dry-run").status == 64)
    #expect(shell.run("bb-export images quotes --api \(server.url)/api -o q").status == 64)
  }

  @Test("images at private addresses are refused, except those of an API that is itself private")
  func privateAddresses()
    throws
  {
    let gallery = Gallery(["/a": SampleImage.gif.bytes])
    let server = try LoopbackServer { request in
      request.path == "/api/list"
        ? .json(
          #"[{"id": 1, "image": "/a"}]"#.replacing(
            "\"/a", with: "\"http://127.0.0.1:\(request.headers["host"]?.split(separator: ":").last ?? "")/a"))
        : gallery.answer(request)
    }
    let other = try LoopbackServer { gallery.answer($0) }
    shell.write("people.csv", people(other, ["/a", "http://0x7f.1:\(other.port)/a", "http://169.254.169.254/a"]))
    let refused = shell.run("bb-export images --from people.csv -o pics")
    #expect(refused.status == 65 && refused.out.contains("0 new, 0 updated, 0 unchanged, 3 failed"), "\(refused.err)")
    let lines = refused.err.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("bb-export: ") } == 4 && refused.err.contains("--allow-private"))
    #expect(other.requests.isEmpty)
    shell.write(
      "own.json",
      """
      {"bb_source": 1, "name": "own", "base_url": "\(server.url)/api", "datasets": [
        {"name": "list", "path": "/list", "key": ["id"],
         "columns": [{"name": "id", "type": "integer"}, {"name": "image", "type": "url"}]}]}
      """)
    let own = shell.run("bb-export images list --source own.json -o own")
    #expect(own.status == 0 && own.out.contains("1 new"), "\(own.err)")
    let cached = shell.run("rm -r own; bb-export images list --source own.json --max-age 1000 -o own")
    #expect(cached.status == 0 && cached.out.contains("1 new"), "\(cached.err)")
  }

  @Test("records that share a key keep all their images, and the key is reported") func repeatedKeys() throws {
    let gallery = Gallery([
      "/a": SampleImage.png(width: 1).bytes, "/b": SampleImage.png(width: 2).bytes,
      "/c": SampleImage.png(width: 3).bytes,
    ])
    let server = try LoopbackServer { gallery.answer($0) }
    let api = """
      [{"death_id": 1, "character": "A", "image": "\(server.url)/a"}, {"death_id": 1, "character": "B", "image": "\(server.url)/b"},
       {"death_id": 2, "character": "C", "image": "\(server.url)/c"}]
      """
    let source = try LoopbackServer { _ in .json(api) }
    let done = shell.run("bb-export images deaths --allow-private --api \(source.url) -o pics")
    #expect(done.status == 0 && done.out.contains("3 new") && names() == "1-1.png 1-2.png 2-1.png images.json ")
    #expect(done.err.contains("deaths: several records share the key 1; their images are numbered"), "\(done.err)")
    for (file, path) in [("1-1", "/a"), ("1-2", "/b"), ("2-1", "/c")] {
      #expect(Shell.bytes("\(shell.directory)/work/pics/\(file).png") == gallery.pictures.withLock { $0[path] })
    }
    shell.write("people.csv", "id,image\n5,\(server.url)/a\n5,\(server.url)/b\n")
    let file = shell.run("bb-export images --allow-private --from people.csv -o two")
    #expect(file.out.contains("2 new") && names("two") == "5-1.png 5-2.png images.json ")
    #expect(file.err.contains("several records share the key 5"), "\(file.err)")
    let again = shell.run("bb-export images deaths --allow-private --api \(source.url) -o pics")
    #expect(again.out.contains("0 new, 0 updated, 3 unchanged"), "\(again.out)")
  }
}
