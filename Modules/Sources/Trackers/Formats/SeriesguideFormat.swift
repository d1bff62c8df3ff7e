// prose-lint: skip-file: it quotes the files of a service
extension TrackerFormats {
  static let seriesguide = #"""
    {"bb_source": 2, "name": "seriesguide", "summary": "SeriesGuide: sg-shows-export.json, sg-movies-export.json", "files": ["*sg-shows*.json", "*sg-movies*.json"],
     "shared": {
      "show": [{"name": "kind", "value": "show"}, {"name": "name", "from": "/title"}, {"name": "tmdb", "from": "/tmdb_id"}, {"name": "tvdb", "from": "/tvdb_id"}, {"name": "imdb", "from": "/imdb_id"}, {"name": "trakt", "from": "/trakt_id"}, {"name": "year", "from": "/first_aired", "steps": ["year"]}],
      "movie": [{"name": "kind", "value": "movie"}, {"name": "name", "from": "/title"}, {"name": "tmdb", "from": "/tmdb_id"}, {"name": "imdb", "from": "/imdb_id"}]},
     "datasets": [
      {"name": "episodes", "into": "watches", "file": "*sg-shows*.json", "explode": ["/seasons", "/episodes"], "where": [{"at": "/watched", "is": "true"}], "id": ["#outer/#outer/tmdb_id", "#outer/#outer/tvdb_id", "#outer/season", "/episode", "/tmdb_id"], "columns": [{"name": "kind", "value": "show"}, {"name": "name", "from": "#outer/#outer/title"}, {"name": "tmdb", "from": "#outer/#outer/tmdb_id"}, {"name": "tvdb", "from": "#outer/#outer/tvdb_id"}, {"name": "imdb", "from": "#outer/#outer/imdb_id"}, {"name": "trakt", "from": "#outer/#outer/trakt_id"}, {"name": "year", "from": "#outer/#outer/first_aired", "steps": ["year"]}, {"name": "season", "from": "#outer/season"}, {"name": "episode", "from": "/episode"}, {"name": "episode_tmdb", "from": "/tmdb_id"}, {"name": "episode_tvdb", "from": "/tvdb_id"}, {"name": "times", "from": "/plays"}]},
      {"name": "show-ratings", "into": "ratings", "file": "*sg-shows*.json", "where": [{"at": "/rating_user", "is": "some"}], "columns": "show", "more": [{"name": "rating", "from": "/rating_user"}]},
      {"name": "episode-ratings", "into": "ratings", "file": "*sg-shows*.json", "explode": ["/seasons", "/episodes"], "where": [{"at": "/rating_user", "is": "some"}], "columns": [{"name": "kind", "value": "show"}, {"name": "name", "from": "#outer/#outer/title"}, {"name": "tmdb", "from": "#outer/#outer/tmdb_id"}, {"name": "season", "from": "#outer/season"}, {"name": "episode", "from": "/episode"}, {"name": "rating", "from": "/rating_user"}]},
      {"name": "following", "into": "lists", "file": "*sg-shows*.json", "columns": "show", "more": [{"name": "list", "value": "following"}]},
      {"name": "notes", "into": "notes", "file": "*sg-shows*.json", "where": [{"at": "/user_note", "is": "some"}], "columns": "show", "more": [{"name": "text", "from": "/user_note"}]},
      {"name": "movies", "into": "watches", "file": "*sg-movies*.json", "where": [{"at": "/watched", "is": "true"}], "id": ["/tmdb_id", "/imdb_id"], "columns": "movie", "more": [{"name": "times", "from": "/plays"}]},
      {"name": "movies-later", "into": "lists", "file": "*sg-movies*.json", "where": [{"at": "/in_watchlist", "is": "true"}], "columns": "movie", "more": [{"name": "list", "value": "watchlist"}]}]}
    """#
}
