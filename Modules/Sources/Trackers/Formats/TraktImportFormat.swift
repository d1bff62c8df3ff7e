// prose-lint: skip-file: it quotes the files of a service
extension TrackerFormats {
  /// The files of Trakt's CSV and JSON import format.
  static let traktImport = #"""
    {"bb_source": 2, "name": "trakt-import", "summary": "Trakt's CSV and JSON import format: also what bb writes", "files": ["trakt-import*.csv", "trakt-import*.json"],
     "words": {
      "kind": {"movie": "movie", "show": "show", "season": "show", "episode": "show"}},
     "shared": {
      "item": [{"name": "kind", "from": "/type", "steps": [{"words": "kind"}]}, {"name": "name", "from": "/title"}, {"name": "year", "from": "/year"}, {"name": "own_imdb", "from": "/imdb_id"}, {"name": "own_tmdb", "from": "/tmdb_id"}, {"name": "own_tvdb", "from": "/tvdb_id"}, {"name": "own_trakt", "from": "/trakt_id"}, {"name": "season", "from": "/season"}, {"name": "episode", "from": "/episode"}]},
     "datasets": [
      {"name": "history", "into": "watches", "each": true, "file": "trakt-import*.*", "where": [{"at": "/watched_at", "is": "some"}], "id": ["/type", "/trakt_id", "/imdb_id", "/tmdb_id", "/tvdb_id", "/season", "/episode", "/watched_at"], "columns": "item", "more": [{"name": "at", "from": "/watched_at", "null": ["unknown"]}]},
      {"name": "ratings", "into": "ratings", "file": "trakt-import*.*", "where": [{"at": "/rating", "is": "some"}], "columns": "item", "more": [{"name": "rating", "from": "/rating"}, {"name": "at", "from": "/rated_at"}]},
      {"name": "watchlist", "into": "lists", "file": "trakt-import*.*", "where": [{"at": "/watchlisted_at", "is": "some"}], "columns": "item", "more": [{"name": "list", "value": "watchlist"}, {"name": "at", "from": "/watchlisted_at", "null": ["unknown"]}]}],
     "exports": [
      {"file": "trakt-import.csv", "from": "all", "columns": [["type", "trakt_kind"], ["title", "name"], ["year", "year"], ["trakt_id", "trakt"], ["imdb_id", "imdb"], ["tmdb_id", "tmdb"], ["tvdb_id", "tvdb"], ["season", "season"], ["episode", "episode"], ["watched_at", "watched_at"], ["watchlisted_at", "watchlisted_at"], ["rating", "rating"], ["rated_at", "rated_at"]]}]}
    """#
}
