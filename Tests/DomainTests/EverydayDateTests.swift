import Codecs
import Domain
import Testing

@Suite("Everyday dates") struct EverydayDateTests {
  @Test(
    "words mean the dates that a reader expects",
    arguments: [
      ("today", "2024-05-17"), ("Yesterday", "2024-05-16"), ("tomorrow", "2024-05-18"), ("3 days ago", "2024-05-14"),
      ("a week ago", "2024-05-10"), ("5 months ago", "2023-12"), ("2 years ago", "2022"), ("last year", "2023"),
      ("this month", "2024-05"), ("last month", "2024-04"), ("friday", "2024-05-17"), ("last friday", "2024-05-10"),
      ("thursday", "2024-05-16"), ("sat", "2024-05-11"), ("may 2024", "2024-05"), ("March 1966", "1966-03"),
      ("5 may 2024", "2024-05-05"), ("May 5, 2024", "2024-05-05"), ("2024 may 5", "2024-05-05"),
      ("may 5", "2024-05-05"),
      ("may 30", "2023-05-30"), ("june", "2023-06"), ("29 feb 2024", "2024-02-29"), ("29. feb 2023", nil),
      ("1958", "1958"), ("1966-03-07", "1966-03-07"), ("31 june 2024", nil), ("m", nil), ("ma 2024", nil), ("", nil),
      ("5 5 may 2024", nil), ("someday", nil), ("may may", nil), ("99999999999999999999 days ago", nil),
      ("100000 years ago", nil), ("two weeks ago", "2024-05-03"), ("an hour ago", nil), ("thirteen days ago", nil),
      ("1st of march 2020", "2020-03-01"), ("the 22nd of May 2023", "2023-05-22"), ("May 3rd, 2024", "2024-05-03"),
      ("Fri 17 May 2024", "2024-05-17"), ("friday, may 17 2024", "2024-05-17"), ("Thu 17 May 2024", nil),
      ("fri may 2024", nil), ("the", nil), ("of may", "2024-05"), ("th may 2024", nil), ("32nd may 2024", nil),
      ("2024-5-7", "2024-05-07"), ("2024/05/07", "2024-05-07"), ("2024.5.7", "2024-05-07"), ("2024/13/1", nil),
      ("2024-2-30", nil), ("5/7/2024", nil), ("2024/5", nil), ("2024--7", nil), ("+024/1/1", nil),
      ("19.6.1978", "1978-06-19"), ("01.05.2024", "2024-05-01"), ("31.6.2024", nil), ("1.5.24", nil), ("5.2024", nil),
      ("in 3 days", "2024-05-20"), ("in a week", "2024-05-24"), ("in two months", "2024-07"), ("in 1 year", "2025"),
      ("in 8000 years", nil), ("in 99999 months", nil), ("next month", "2024-06"), ("next year", "2025"),
      ("next friday", "2024-05-24"), ("next sat", "2024-05-18"), ("the day before yesterday", "2024-05-15"),
      ("day after tomorrow", "2024-05-19"), ("in days", nil), ("next", nil),
    ] as [(String, String?)])
  func date(_ text: String, _ expected: String?) {
    #expect(EverydayDate.date(text, today: "2024-05-17") == expected)
  }

  @Test(
    "a day that its month does not have is explained",
    arguments: [
      ("2024-02-30", "February 2024 has 29 days"), ("2023-02-29", "February 2023 has 28 days"),
      ("2024-06-31", "June 2024 has 30 days"), ("2024-01-00", "January 2024 has 31 days"),
      ("2024-13", "months are 01 to 12"), ("2024-00-10", "months are 01 to 12"), ("2024-02-29", nil), ("2024-12", nil),
      ("2024", nil), ("x", nil), ("2024-x-1", nil), ("2024-1-99999", nil), ("", nil), ("2024-", nil),
      ("5/7/2024", "use 2024-05-07 or 2024-07-05"), ("17/05/2024", "use 2024-05-17"), ("5/5/2024", "use 2024-05-05"),
      ("45/5/2024", nil), ("5/7/24", nil), ("a/b/2024", nil), ("//", nil),
    ] as [(String, String?)])
  func complaint(_ text: String, _ expected: String?) { #expect(EverydayDate.complaint(text) == expected) }

  @Test("days are counted across months, years and leap days") func borders() {
    #expect(EverydayDate.date("yesterday", today: "2024-03-01") == "2024-02-29")
    #expect(EverydayDate.date("tomorrow", today: "2023-12-31") == "2024-01-01")
    #expect(EverydayDate.date("monday", today: "1970-01-01") == "1969-12-29")
  }

  @Test("short identifiers are ends that only one has") func short() {
    let ids = ["0190-aaaa1234", "0190-bbbb1234", "0190-cccc9999", "18", "218"]
    let short = ShortIdentifiers(ids)
    #expect(ids.map { short[$0] } == ["a1234", "b1234", "9999", "18", "218"])
    #expect(short["other"] == "other")
  }

  @Test("tags are words that begin with #") func tags() {
    #expect(NoteTags.tags(in: "#Finale x#y #é-1, (#two) # https://e.org/#a ##b #FINALE") == ["finale", "e-1", "two"])
    #expect(throws: Never.self) { try NoteTags.adding(["#x", "finale"], to: "a #Finale") == "a #Finale #x" }
    for text in ["", "#", "a b", "a#b"] { #expect(throws: (any Error).self) { try NoteTags.folded(text) } }
  }
}
