import TestSupport
import Testing

/// What pages and cards take from a store.
@Suite("pages and cards") struct PageOutputTests {
  private let shell = Shell("BB_STORAGE=csv:store BB_NOW=1384000000 BB_API_URL=http://127.0.0.1:9")

  @Test("a profile on a page has the histograms of its columns") func histograms() {
    shell.write("t.csv", "n,word\n" + (0..<500).map { "\($0 * $0),w\($0 % 7)\n" }.joined())
    let done = shell.run(
      "bb-export profile t.csv -o p.html && grep -o '<svg role=\"img\" width=\"220\"' p.html | wc -l && ! grep '\\[[0-9]*,' p.html"
    )
    #expect(done.status == 0 && done.out.contains("1"), "\(done)")
    let csv = shell.run("bb-export profile t.csv -o p.csv && head -1 p.csv | tr , '\\n' | tail -2")
    #expect(csv.out == "histogram\nnote\n")
  }

  @Test("the summary of a site counts the pages of its tables") func siteSize() {
    shell.write("t.csv", "id,x\n1,a\n2,b\n")
    let done = shell.run(
      """
      bb-export sync --from t.csv --key id -q > /dev/null && bb-export site -o s 2>&1 | grep -o '[0-9.]* kB'
      find s -type f ! -name site.json -printf '%s\\n' | awk '{n += $1} END {printf "%d.%d kB\\n", n / 1000, n % 1000 / 100}'
      """)
    let sizes = done.out.split(separator: "\n")
    #expect(sizes.count == 2 && sizes.first == sizes.last, "\(done)")
  }

  @Test("photos of a store are part of vCards, and shown by pages") func photos() {
    let done = shell.run(
      """
      printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' | base64 -d > p.png
      bb-notes actors add 'Jane Doe' --image p.png --partial -q && bb-notes actors add 'No Photo' --partial -q
      bb-notes export actors -o four.vcf && grep -c '^PHOTO:data:image/png;base64,iVBORw0K' four.vcf
      bb-notes export actors -f vcard --option version=3.0 | grep -c '^PHOTO;ENCODING=b;TYPE=PNG:iVBORw0K'
      bb-export actors -o actors.vcf && cmp actors.vcf four.vcf; bb-export actors --storage csv:store -o a.html && grep -c 'src="store/images/actors/' a.html
      """)
    #expect(done.out.hasSuffix("1\n1\n1\n") && done.status == 0, "\(done)")
  }

  @Test("photos of vCards of any version become images of the store, once") func importedPhotos() {
    let done = shell.run(
      """
      printf 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==' | base64 -d > p.png
      bb-notes actors add 'Jane Doe' --image p.png --partial -q
      bb-notes export actors -o four.vcf; bb-notes export actors -f vcard --option version=3.0 > three.vcf
      printf 'BEGIN:VCARD\\nVERSION:2.1\\nFN:Old\\nPHOTO;TYPE=PNG;ENCODING=BASE64:\\n' > two.vcf
      base64 -w 60 p.png | sed 's/^/  /' >> two.vcf; printf '\\nEND:VCARD\\n' >> two.vcf
      """)
    #expect(done.status == 0 && done.err == "", "\(done)")
    for version in ["two", "three", "four"] {
      let store = "BB_STORAGE=csv:\(version)"
      for wanted in ["actors: 1 added\n", "actors: 1 unchanged\n"] {
        let imported = shell.run("\(store) bb-notes import \(version).vcf; cmp p.png \(version)/images/actors/*.png")
        #expect(imported.status == 0 && imported.err == wanted && imported.out == "", "\(imported)")
      }
      #expect(shell.run("\(store) bb-notes actors list --columns images --plain").out.hasPrefix("[\"images/actors/"))
    }
    // What stores cannot hold is named, and the card is imported.
    shell.write("bad.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Bad\nPHOTO;ENCODING=b:aGVsbG8=\nEND:VCARD\n")
    let bad = shell.run("BB_STORAGE=csv:bad bb-notes import bad.vcf")
    #expect(bad.status == 0 && bad.err.contains("PHOTO") && bad.err.contains("1 added"), "\(bad)")
    #expect(shell.run("ls bad/images").status != 0)
  }

  @Test("site --open prints the address of the site where there is no desktop") func open() {
    let done = shell.run("bb-notes add S05E14 text -q && bb-export site -o 'my site' --open -q")
    #expect(
      done.status == 0 && done.out.hasPrefix("file:///") && done.out.hasSuffix("/work/my%20site/index.html\n"),
      "\(done)")
    let opened = shell.run(
      "mkdir bin; bb-export site -o site --open -q > out.txt; cat out.txt | sed 's|.*/work/||'; test -f site/index.html"
    )
    #expect(opened.out == "site/index.html\n" && opened.status == 0, "\(opened)")
  }
}
