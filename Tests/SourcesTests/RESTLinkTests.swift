import Testing

@testable import Sources

@Suite("The header Link") struct RESTLinkTests {
  @Test(
    "is read as RFC 8288 writes it",
    arguments: [
      ("", []), ("</a>", [RESTLink(target: "/a")]), ("<>;rel=next", [RESTLink(relations: ["next"])]),
      ("</a>;rel=next", [RESTLink(target: "/a", relations: ["next"])]),
      (" , </a> ; REL = \"Next\tlast\" , ", [RESTLink(target: "/a", relations: ["next", "last"])]),
      // The first counts.
      ("</a>; rel=prev; rel=next", [RESTLink(target: "/a", relations: ["prev"])]),
      (#"</a>; title="\"; rel=next, <"; rel=up"#, [RESTLink(target: "/a", relations: ["up"])]),
      ("</a>; rel; x=next; ;rel=next", [RESTLink(target: "/a")]),
      (
        "</a?b=1,2;c>;rel=a,</b>; rel=b",
        [RESTLink(target: "/a?b=1,2;c", relations: ["a"]), RESTLink(target: "/b", relations: ["b"])]
      ),
      // Only links, whatever is between them.
      ("</a> rel=next, </b>", [RESTLink(target: "/a"), RESTLink(target: "/b")]), ("/a; rel=next", []), ("</a", []),
      (#"</a>; rel="next"#, [RESTLink(target: "/a", relations: ["next"])]),
      (#"</a>; rel="next\"#, [RESTLink(target: "/a", relations: ["next"])]),
      ("</a>; rel=é; t=\u{301}", [RESTLink(target: "/a", relations: ["é"])]),
    ] as [(String, [RESTLink])])
  func reads(text: String, links: [RESTLink]) { #expect(RESTLink.list(text) == links) }
}
