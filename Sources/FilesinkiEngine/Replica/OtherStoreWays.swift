import FilesinkiModel
import FilesinkiText

extension Failure {
    /// What to do where another store is to be accepted at an address, and none is there: the way to one that begins
    /// anew, and that to a copy of the replica's, with all that its history has.
    ///
    /// - Parameters:
    ///   - isEncrypted: Whether the replica's store is encrypted; its copy is, too.
    ///   - expectsEncryption: Whether the user gave a secret for the store there.
    package static func waysToOtherStore(
        at address: String, isEncrypted: Bool, expectsEncryption: Bool
    ) -> String {
        let shown = ShellWord.shown(address.utf8)
        let beginning = isEncrypted || expectsEncryption ? " --encrypt" : ""
        let copying = expectsEncryption && !isEncrypted ? " --encrypt" : ""
        return "To begin a new store there, without the history, run filesinki init DIR --remote "
            + "\(shown)\(beginning) with an empty folder, filesinki deinit --root DIR, and then this command again. "
            + "To copy the replica's store there, with all of its history, run filesinki remote set "
            + "\(shown) --migrate\(copying)."
    }
}
