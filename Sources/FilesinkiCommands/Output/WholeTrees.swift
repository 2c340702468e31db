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
        let place = try Self.belowFileSystem(
            root, remedy: "Give the folder to sync: filesinki init DIR.")
        guard isHome(place) else { return true }
        let said = Self.wholeHome(root)
        guard terminals.input, terminals.talk else {
            say(said)
            return true
        }
        ask(said + " Go on? [y/N]")
        if ["y", "yes"].contains(readAnswer()?.lowercased() ?? "") { return true }
        say("Nothing was changed.")
        return false
    }

    /// What it means to sync a home folder.
    static func wholeHome(_ root: String) -> String {
        "\(printable(root.utf8)) is your home folder: all of it is synced, with keys and caches, but for what "
            + "its .filesinkiignore lists."
    }

    /// Whether a real path is that of the user's home folder.
    func isHome(_ place: [UInt8]) -> Bool {
        guard let home = environment["HOME"], home.hasPrefix("/") else { return false }
        return RootPlacement.realPath(Array(home.utf8)) == place
    }

    /// The real path of a new replica.
    ///
    /// - Throws: `Failure` with code `usage` for `/`.
    @discardableResult
    static func belowFileSystem(_ root: String, remedy: String) throws(Failure) -> [UInt8] {
        let place = RootPlacement.realPath(Array(root.utf8))
        guard place != Array("/".utf8) else {
            throw Failure(
                .usage, path: root, "This is the root of the file system.", remedy: remedy)
        }
        return place
    }
}
