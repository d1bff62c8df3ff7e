// prose-lint: skip-file: it quotes the files of a service
extension TrackerFormats {
  /// The files of Trakt.
  static let trakt = #"""
    {"bb_source": 2, "name": "trakt", "summary": "Trakt: the zip of Settings, Data (JSON files), and files of its API", "files": ["*watched-history*.json", "watched/history*.json", "history*.json", "*watched-movies*.json", "*watched-shows*.json", "*ratings*.json", "*watchlist.json", "*lists-*.json"], "not": ["hidden-*", "watched-playback*", "collection*", "*comments*", "*followers*", "*likes*"],
     "words": {
      "kind": {"movie": "movie", "show": "show", "season": "show", "episode": "show"}},
     "shared": {
      "item": [{"name": "kind", "from": "/type", "steps": [{"words": "kind"}], "guess": {"/movie": "movie", "/show": "show"}}, {"name": "name", "from": ["/movie/title", "/show/title"]}, {"name": "year", "from": ["/movie/year", "/show/year"]}, {"name": "imdb", "from": ["/movie/ids/imdb", "/show/ids/imdb"]}, {"name": "tmdb", "from": ["/movie/ids/tmdb", "/show/ids/tmdb"]}, {"name": "tvdb", "from": "/show/ids/tvdb"}, {"name": "trakt", "from": ["/movie/ids/trakt", "/show/ids/trakt"]}, {"name": "season", "from": ["/episode/season", "/season/number"]}, {"name": "episode", "from": "/episode/number"}, {"name": "episode_imdb", "from": "/episode/ids/imdb"}, {"name": "episode_tmdb", "from": "/episode/ids/tmdb"}, {"name": "episode_tvdb", "from": "/episode/ids/tvdb"}, {"name": "episode_trakt", "from": "/episode/ids/trakt"}]},
     "datasets": [
      {"name": "history", "into": "watches", "each": true, "file": "*history*.json", "id": ["/id"], "or_id": ["/watched_at", "/movie/ids/tmdb", "/show/ids/tmdb", "/episode/season", "/episode/number", "/movie/title", "/show/title"], "columns": "item", "more": [{"name": "at", "from": "/watched_at", "null": ["unknown"]}]},
      {"name": "movies", "into": "watches", "file": "*watched-movies*.json", "as": "trakt-last", "unless_file": "*history*.json", "id": ["/movie/ids/trakt", "/movie/ids/tmdb", "/movie/title"], "columns": "item", "more": [{"name": "at", "from": "/last_watched_at"}, {"name": "times", "from": "/plays"}]},
      {"name": "shows", "into": "watches", "file": "*watched-shows*.json", "as": "trakt-last", "unless_file": "*history*.json", "explode": ["/seasons", "/episodes"], "id": ["#outer/#outer/show/ids/trakt", "#outer/number", "/number"], "columns": [{"name": "kind", "value": "show"}, {"name": "name", "from": "#outer/#outer/show/title"}, {"name": "year", "from": "#outer/#outer/show/year"}, {"name": "imdb", "from": "#outer/#outer/show/ids/imdb"}, {"name": "tmdb", "from": "#outer/#outer/show/ids/tmdb"}, {"name": "tvdb", "from": "#outer/#outer/show/ids/tvdb"}, {"name": "trakt", "from": "#outer/#outer/show/ids/trakt"}, {"name": "season", "from": "#outer/number"}, {"name": "episode", "from": "/number"}, {"name": "at", "from": "/last_watched_at"}, {"name": "times", "from": "/plays"}]},
      {"name": "ratings", "into": "ratings", "file": "*ratings*.json", "columns": "item", "more": [{"name": "rating", "from": "/rating"}, {"name": "at", "from": "/rated_at"}]},
      {"name": "lists", "into": "lists", "file": "*list*.json", "columns": "item", "more": [{"name": "list", "from": "#file", "steps": [{"cut": {"after": "lists-"}}]}, {"name": "position", "from": "/rank"}, {"name": "at", "from": "/listed_at"}, {"name": "text", "from": "/notes"}]}]}
    """#
}
