// prose-lint: skip-file: it quotes the files of a service
extension TrackerFormats {
  static let simkl = #"""
    {"bb_source": 2, "name": "simkl", "summary": "Simkl: SimklBackup.json", "files": ["SimklBackup*.json"],
     "words": {
      "list": {"plantowatch": "watchlist", "watching": "watching", "hold": "on-hold", "dropped": "dropped", "notinteresting": "dropped", "completed": "completed"}},
     "shared": {
      "movie": [{"name": "kind", "value": "movie"}, {"name": "name", "from": "/movie/title"}, {"name": "year", "from": "/movie/year"}, {"name": "imdb", "from": "/movie/ids/imdb"}, {"name": "tmdb", "from": "/movie/ids/tmdb"}, {"name": "simkl", "from": "/movie/ids/simkl"}],
      "show": [{"name": "kind", "value": "show"}, {"name": "name", "from": "/show/title"}, {"name": "year", "from": "/show/year"}, {"name": "imdb", "from": "/show/ids/imdb"}, {"name": "tmdb", "from": "/show/ids/tmdb"}, {"name": "tvdb", "from": "/show/ids/tvdb"}, {"name": "simkl", "from": "/show/ids/simkl"}]},
     "datasets": [
      {"name": "episodes", "into": "watches", "file": "SimklBackup*.json", "records": {"at": "/", "lists": ["shows", "anime"]}, "explode": ["/seasons", "/episodes"], "id": ["#outer/#outer/show/ids/simkl", "#outer/#outer/show/ids/tmdb", "#outer/number", "/number"], "columns": [{"name": "kind", "value": "show"}, {"name": "name", "from": "#outer/#outer/show/title"}, {"name": "year", "from": "#outer/#outer/show/year"}, {"name": "imdb", "from": "#outer/#outer/show/ids/imdb"}, {"name": "tmdb", "from": "#outer/#outer/show/ids/tmdb"}, {"name": "tvdb", "from": "#outer/#outer/show/ids/tvdb"}, {"name": "simkl", "from": "#outer/#outer/show/ids/simkl"}, {"name": "season", "from": "#outer/number"}, {"name": "episode", "from": "/number"}, {"name": "at", "from": "/watched_at"}]},
      {"name": "movies", "into": "watches", "file": "SimklBackup*.json", "records": {"at": "/", "lists": ["movies"]}, "where": [{"at": "/last_watched_at", "is": "some"}], "id": ["/movie/ids/simkl", "/movie/ids/tmdb"], "columns": "movie", "more": [{"name": "at", "from": "/last_watched_at"}]},
      {"name": "movie-lists", "into": "lists", "file": "SimklBackup*.json", "records": {"at": "/", "lists": ["movies"]}, "where": [{"at": "/status", "is": "some"}], "columns": "movie", "more": [{"name": "list", "from": "/status", "steps": [{"words": "list"}]}, {"name": "at", "from": "/added_to_watchlist_at"}]},
      {"name": "show-lists", "into": "lists", "file": "SimklBackup*.json", "records": {"at": "/", "lists": ["shows", "anime"]}, "where": [{"at": "/status", "is": "some"}], "columns": "show", "more": [{"name": "list", "from": "/status", "steps": [{"words": "list"}]}, {"name": "at", "from": "/added_to_watchlist_at"}]},
      {"name": "movie-ratings", "into": "ratings", "file": "SimklBackup*.json", "records": {"at": "/", "lists": ["movies"]}, "where": [{"at": "/user_rating", "is": "some"}], "columns": "movie", "more": [{"name": "rating", "from": "/user_rating"}, {"name": "at", "from": "/user_rated_at"}]},
      {"name": "show-ratings", "into": "ratings", "file": "SimklBackup*.json", "records": {"at": "/", "lists": ["shows", "anime"]}, "where": [{"at": "/user_rating", "is": "some"}], "columns": "show", "more": [{"name": "rating", "from": "/user_rating"}, {"name": "at", "from": "/user_rated_at"}]}]}
    """#
}
