import FilesinkiEngine
import FilesinkiModel

extension Console {
    /// Refuses to make the root of the file system a replica. Of the home folder it says what that means, and asks where somebody
    /// can answer: it is the current folder of whoever forgot to go to another one.
    ///
    /// - Parameter root: The absolute path of the new replica.
    /// - Returns: False if the user declined.
    /// - Throws: `Failure` with code `usage` for `/`.
    func confirmsWholeTree(at root: String) throws(Failure) -> Bool {
        try Self.refuseFileSystem(root, remedy: "Give the folder to sync: filesinki init DIR.")
        return isHome(root) ? confirms(Self.wholeHome(root)) : true
    }

    /// Says what a command is about to do, and asks where somebody can answer.
    ///
    /// - Returns: False if the user declined.
    func confirms(_ said: String) -> Bool {
        guard canAsk else {
            say(said)
            return true
        }
        ask(said + " Go on? [y/N]")
        if ["y", "yes"].contains(readAnswer()?.lowercased() ?? "") { return true }
        say("Nothing was changed.")
        return false
    }

    /// Whether somebody reads a question, and can answer it.
    var canAsk: Bool { terminals.input && terminals.talk }

    /// What it means to sync a home folder.
    static func wholeHome(_ root: String) -> String {
        "\(printable(root.utf8)) is your home folder: all of it is synced, with keys and caches, but for what "
            + "its .filesinkiignore lists."
    }

    /// Whether an absolute path is that of the user's home folder.
    func isHome(_ root: String) -> Bool {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return false }
        return RootPlacement.realPath(Array(home.utf8)) == RootPlacement.realPath(Array(root.utf8))
    }

    /// - Parameter root: The absolute path of a new replica.
    /// - Throws: `Failure` with code `usage` for `/`.
    static func refuseFileSystem(_ root: String, remedy: String) throws(Failure) {
        guard RootPlacement.realPath(Array(root.utf8)) == Array("/".utf8) else { return }
        throw Failure(.usage, path: root, "This is the root of the file system.", remedy: remedy)
    }
}
