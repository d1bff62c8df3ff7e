import AppShell
import CommandLineKit
import Domain

/// The texts of `bb-notes help TOPIC`.
enum Topics {
  static let all: [Program.Topic] = [selection, storages, .exitCodes, environment]

  private static let selection = Program.Topic(
    "selection", "how to filter, sort and limit records",
    """
    \(Program.Topic.conditions)

      bb-notes list --where 'text ~ heisenberg' --sort updated_at:desc
      bb-notes places list --where 'visited_on = 2024' --columns name
    """)

  private static let storages = Program.Topic(
    "storages", "the kinds of stores",
    """
    sqlite:FILE                  a database in one file
    csv:DIR, json:DIR            a directory with a file per dataset
    postgres://HOST/DATABASE     a schema of a PostgreSQL database; a team can
                                 share it

    A store is created by the first change. All kinds behave the same; migrate
    copies a store with its history.

      bb-notes migrate --to postgres://db.example.org/team
      bb-notes list --storage 'postgres:service=team schema=bb_storage'

    What follows postgres: is for libpq (the package libpq5): users, TLS,
    services, ~/.pgpass, several hosts. Passwords are never shown. Views called
    NAME_typed have the types of PostgreSQL. Images of actors are stored in
    $XDG_DATA_HOME/bb/servers. PostgreSQL has no U+0000 in text, and no names of
    more than 63 bytes: such data is refused.

    A dataset can be spread over several PostgreSQL servers by postgres_fdw
    (with batch_size '5000'). Sync it, create a table with the same columns and
    the key on each server, and replace the table by a partitioned one:

      BEGIN;
      CREATE TABLE q (LIKE bb_storage.quotes) PARTITION BY HASH (id);
      CREATE FOREIGN TABLE q0 PARTITION OF q
        FOR VALUES WITH (MODULUS 2, REMAINDER 0)
        SERVER one OPTIONS (table_name 'quotes');
      CREATE FOREIGN TABLE q1 PARTITION OF q
        FOR VALUES WITH (MODULUS 2, REMAINDER 1)
        SERVER two OPTIONS (table_name 'quotes');
      INSERT INTO q SELECT * FROM bb_storage.quotes;
      DROP VIEW bb_storage.quotes_typed;
      DROP TABLE bb_storage.quotes;
      ALTER TABLE q RENAME TO quotes;
      ALTER TABLE quotes SET SCHEMA bb_storage;
      COMMIT;

    Citus, CockroachDB and YugabyteDB speak the protocol; they were not tried.
    """)

  private static let environment = Program.Topic(
    "environment", "environment variables and files",
    """
    BB_STORAGE        store to use when --storage is not given
    BB_PRODUCTION     show to use when a key does not name one [default:
                      \(TitleNames.usual)]
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
