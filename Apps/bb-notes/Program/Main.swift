import bb_notes

@main enum Main {
  static func main() { NotesProgram.main() }
}
