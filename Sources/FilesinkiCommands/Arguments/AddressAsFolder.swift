import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

/// An address of a store where a command takes a folder.
enum AddressAsFolder {
    /// Whether a text is an address of another place than a folder of this machine: it has `://`, or is `HOST:PATH`.
    static func isAddress(_ text: String) -> Bool {
        if text.contains("://") { return true }
        do { return try SSHAddress(shortForm: text) != nil } catch { return true }
    }

    /// Refuses to make a folder whose name is an address: it was meant as one.
    ///
    /// - Parameters:
    ///   - argument: The folder, as the user wrote it.
    ///   - remedy: What to write instead, as a command.
    /// - Throws: `Failure` with code `usage`, unless such a folder is there.
    static func check(
        _ argument: String, in console: Console, remedy: (_ shown: String) -> String
    ) throws(Failure) {
        guard isAddress(argument) else { return }
        let path = try FilePlace.absoluteText(argument, in: console.currentFolder)
        guard FileCall.status(Array(path.utf8)) == nil else { return }
        let shown = ShellWord.shown(argument.utf8)
        throw Failure(
            .usage, path: argument, "This is the address of a store, not a folder.",
            remedy: "\(remedy(shown)); for a folder of this name write ./\(shown).")
    }
}
