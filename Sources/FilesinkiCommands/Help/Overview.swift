/// What the program prints without arguments: the commands to begin with. All of them are in its help.
enum Overview {
    /// Lines of at most 80 columns.
    static let text = """
        Sync folders between machines without losing data.

        USAGE: filesinki COMMAND [ARGUMENTS]

          filesinki init DIR --remote URL   Make a folder a replica of a store.
          filesinki clone URL DIR           Create a replica of an existing store.
          filesinki sync                    Send and receive changes, once.
          filesinki watch                   Sync continuously as files change.
          filesinki status                  Show pending changes and conflicts.
          filesinki conflicts               List open conflicts.
          filesinki log PATH                Show the versions of a path.
          filesinki restore PATH@VERSION    Go back to an older version.
          filesinki undelete PATH           Restore what was deleted.

        filesinki help lists all commands, filesinki help COMMAND the options of one.
        Where a store can be: filesinki help remotes.
        """
}
