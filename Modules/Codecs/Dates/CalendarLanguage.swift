import Rows

/// The names of months and weekdays in a language.
public enum CalendarLanguage: String, Sendable, Hashable, CaseIterable {
  case english = "en"
  case german = "de"
  case french = "fr"
  case spanish = "es"
  case italian = "it"
  case portuguese = "pt"
  case dutch = "nl"
  case polish = "pl"

  /// Removes the name of a month, in full or abbreviated, from the beginning of a text; returns its number, 1 to 12.
  /// - Parameter keepsPeriod: whether a period after an abbreviation stays.
  func month(_ rest: inout ArraySlice<UInt8>, keepsPeriod: Bool) -> Int? {
    Self.place(of: monthNames, &rest, keepsPeriod).map { $0 % 12 + 1 }
  }

  /// Removes the name of a weekday from the beginning of a text; returns whether there was one.
  func weekday(_ rest: inout ArraySlice<UInt8>, keepsPeriod: Bool) -> Bool {
    Self.place(of: weekdayNames, &rest, keepsPeriod) != nil
  }

  /// The place of the name that the text begins with, ignoring case; at least three letters of a name suffice.
  private static func place(of names: [String], _ rest: inout ArraySlice<UInt8>, _ keepsPeriod: Bool) -> Int? {
    // Letters of any script and periods; a name ends before anything else.
    let word = String(decoding: rest.prefix { ($0 | 32) &- 97 < 26 || $0 >= 0x80 }, as: UTF8.self)
    let lower = word.lowercased()
    func isAbbreviated(_ name: String) -> Bool { name.count > 4 && lower.count >= 3 && name.hasPrefix(lower) }
    guard let place = names.firstIndex(of: lower) ?? names.firstIndex(where: isAbbreviated) else { return nil }
    rest = rest.dropFirst(word.utf8.count)
    if rest.first == UInt8(ascii: "."), !keepsPeriod { rest = rest.dropFirst() }
    return place
  }

  /// Twelve full names, then twelve short ones; more spellings follow in the same order.
  private var monthNames: [String] {
    let text: String =
      switch self {
      case .english:
        "january february march april may june july august september october november december "
          + "jan feb mar apr may jun jul aug sep oct nov dec jan feb mar apr may jun jul aug sept oct nov dec"
      case .german:
        "januar februar märz april mai juni juli august september oktober november dezember "
          + "jan feb mär apr mai jun jul aug sep okt nov dez jän feb mrz apr mai juni juli aug sept okt nov dez "
          + "jänner februar maerz april mai juni juli august september oktober november dezember"
      case .french:
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre "
          + "janv févr mars avr mai juin juil août sept oct nov déc jan fév mar avr mai jun jul aoû sep oct nov dec"
      case .spanish:
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre "
          + "ene feb mar abr may jun jul ago sep oct nov dic ene feb mar abr may jun jul ago sept oct nov dic"
      case .italian:
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre "
          + "gen feb mar apr mag giu lug ago set ott nov dic gen feb mar apr mag giu lug ago sett ott nov dic"
      case .portuguese:
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro "
          + "jan fev mar abr mai jun jul ago set out nov dez"
      case .dutch:
        "januari februari maart april mei juni juli augustus september oktober november december "
          + "jan feb mrt apr mei jun jul aug sep okt nov dec jan feb maa apr mei jun jul aug sept okt nov dec"
      case .polish:
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia "
          + "sty lut mar kwi maj cze lip sie wrz paź lis gru "
          + "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień"
      }
    return text.split(at: " ").map(String.init)
  }

  private var weekdayNames: [String] {
    let text: String =
      switch self {
      case .english:
        "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun tues thur thurs"
      case .german: "montag dienstag mittwoch donnerstag freitag samstag sonntag sonnabend mo di mi do fr sa so"
      case .french: "lundi mardi mercredi jeudi vendredi samedi dimanche lun mar mer jeu ven sam dim"
      case .spanish: "lunes martes miércoles jueves viernes sábado domingo lun mar mié jue vie sáb dom"
      case .italian: "lunedì martedì mercoledì giovedì venerdì sabato domenica lun mar mer gio ven sab dom"
      case .portuguese: "segunda terça quarta quinta sexta sábado domingo seg ter qua qui sex sáb dom"
      case .dutch: "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag ma di wo do vr za zo"
      case .polish: "poniedziałek wtorek środa czwartek piątek sobota niedziela pon wt śr czw pt sob niedz"
      }
    return text.split(at: " ").map(String.init)
  }
}
