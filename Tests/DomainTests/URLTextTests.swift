import Domain
import Testing

@Suite("URLs in messages") struct URLTextTests {
  @Test(
    "possible secrets are removed",
    arguments: [
      ("http://h/a?b=c&d", "http://h/a?b=c&d"),
      ("http://h/a?api_key=c&id=7", "http://h/a?api_key=…&id=7"),
      ("https://user:pass@h:1/x#frag", "https://h:1/x"),
      ("http://u:p\u{1B}@h/s?token=abc", "http://h/s?token=…"), ("http://u@v:p@h", "http://h"), ("h/a@b", "h/a@b"),
      (
        "https://b.s3.test/k?X-Amz-Credential=AKID%2F2026&X-Amz-Date=2026&X-Amz-Signature=ab",
        "https://b.s3.test/k?X-Amz-Credential=…&X-Amz-Date=2026&X-Amz-Signature=…"
      ),
      ("http://h/?Policy=ab&Key-Pair-Id=K&jwt=ab", "http://h/?Policy=…&Key-Pair-Id=…&jwt=…"),
      ("http://h/\u{9B}31m", "http://h/\u{FFFD}31m"),
    ])
  func redacted(url: String, text: String) { #expect(URLText.redacted(url) == text) }
}
