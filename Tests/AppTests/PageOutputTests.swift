import Testing

/// What pages and cards take from a store.
@Suite("pages and cards") struct PageOutputTests {
  private let shell = Shell("BB_STORAGE=csv:store BB_NOW=1384000000 BB_API_URL=http://127.0.0.1:9")

  @Test("a profile on a page has the histograms of its columns") func histograms() {
    shell.write("t.csv", "n,word\n" + (0..<500).map { "\($0 * $0),w\($0 % 7)\n" }.joined())
    let done = shell.run(
      "bb-export profile t.csv -o p.html && grep -o '<svg aria-hidden=\"true\" width=\"96\"' p.html | wc -l && ! grep '\\[[0-9]*,' p.html"
    )
    #expect(done.status == 0 && done.out.contains("1"), "\(done)")
    let csv = shell.run("bb-export profile t.csv -o p.csv && head -1 p.csv | tr , '\\n' | tail -1")
    #expect(csv.out == "histogram\n")
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
