import CommandLineKit

/// The texts behind `bb-notes help TOPIC`.
enum Topics {
  static let all: [Program.Topic] = [selection, .exitCodes, environment]

  private static let selection = Program.Topic(
    "selection", "which records and columns, in what order",
    """
    \(Program.Topic.conditions)

      bb-notes list --where 'text ~ heisenberg' --sort updated_at:desc
      bb-notes places list --where 'visited_on = 2024' --columns name
    """)

  private static let environment = Program.Topic(
    "environment", "variables and files that matter",
    """
    BB_STORAGE        where the records are, when --storage does not say
    BB_PRODUCTION     the show of a key that names none; else Breaking Bad
    BB_EDITOR         the editor, with its arguments; else VISUAL, EDITOR, vi
    BB_PAGER          the pager, on a terminal only; else PAGER, less; cat for
                      none
    BB_API_URL        the server that new episodes are asked from
    BB_KEY            any other setting, as in BB_FORMAT=csv; `bb-notes help
                      config` lists the keys
    BB_NOW            the time that is written into records, in seconds since
                      1970, instead of the clock's

    $XDG_CONFIG_HOME/bb/config   settings, a line each: production = bcs,
                                 storage = csv:/home/me/notes,
                                 editor = code --wait
    $XDG_DATA_HOME/bb/bb.db      the storage when nobody names another
    $XDG_STATE_HOME/bb/drafts    texts that could not be saved
    $XDG_CACHE_HOME/bb           answers of the API
    """)
}
