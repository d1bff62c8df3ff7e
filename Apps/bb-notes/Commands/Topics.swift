import AppShell
import CommandLineKit

/// The texts of `bb-notes help TOPIC`.
enum Topics {
  static let all: [Program.Topic] = [selection, .exitCodes, environment]

  private static let selection = Program.Topic(
    "selection", "how to filter, sort and limit records",
    """
    \(Program.Topic.conditions)

      bb-notes list --where 'text ~ heisenberg' --sort updated_at:desc
      bb-notes places list --where 'visited_on = 2024' --columns name
    """)

  private static let environment = Program.Topic(
    "environment", "environment variables and files",
    """
    BB_STORAGE        store to use when --storage is not given
    BB_PRODUCTION     show to use when a key does not name one [default:
                      Breaking Bad]
    BB_EDITOR         editor command [default: $VISUAL, $EDITOR, vi]
    BB_PAGER          pager, used on a terminal only [default: $PAGER, less];
                      cat to disable
    BB_API_URL        server to fetch new episodes from
    BB_KEY            any other setting, for example BB_FORMAT=csv; `bb-notes help
                      config` lists the keys
    BB_NOW            current time for new records, in seconds since 1970
                      (for tests)

    $XDG_CONFIG_HOME/bb/config   settings, one per line: production = bcs,
                                 storage = csv:/home/me/notes,
                                 editor = code --wait
    $XDG_DATA_HOME/bb/bb.db      default store
    $XDG_STATE_HOME/bb/drafts    texts that could not be saved
    $XDG_CACHE_HOME/bb           cached API responses
    """)
}
