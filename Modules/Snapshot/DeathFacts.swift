// swift-format-ignore-file
// Made by Tools/make-snapshot.

/// Permanent data of deaths, without causes, details and last words: one record per line, fields in the order of the
/// dataset's columns.
let deathFacts: StaticString = """
    1\tEmilio\t~\t~\t[Walter White\t~\t~\tBreaking Bad\t1\t1\t~\t~
    2\tWalter White\t~\t~\t[Walter White\t~\t~\tBreaking Bad\t5\t16\t~\t~
    3\tKrazy-8\t~\t~\t[Walter White\t~\t~\tBreaking Bad\t1\t3\t~\t~
    4\tHank Schrader\t~\t~\t[Jack Welker\t~\t~\tBreaking Bad\t5\t14\t~\t~
    5\tSteve Gomez\t~\t~\t[Jack Welker|Todd|Kenny|Matt|Frankie|Lester\t~\t~\tBreaking Bad\t5\t14\t~\t~
    6\tChuck McGill\t~\t~\t[Chuck McGill\t~\t~\tBetter Call Saul\t3\t10\t~\t~
    7\tHoward Hamlin\t~\t~\t[Walter White\t~\t~\tBetter Call Saul\t6\t7\t~\t~
    8\tMike Ehrmantraut\t~\t~\t[Walter White\t~\t~\tBreaking Bad\t5\t7\t~\t~
    """
