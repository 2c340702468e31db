import FilesinkiModel
import FilesinkiSystem
import FilesinkiText

extension RootPlacement {
    /// Refuses a root that has files, which a first sync would send to everybody who shares the store. What an interrupted
    /// `clone` left is none of them, nor is what a file system has in its root.
    ///
    /// - Parameter address: The store's.
    /// - Throws: `Failure` with code `usage`.
    func checkIsEmpty(toClone address: String) throws(Failure) {
        // One that is not there is made; of anything else than a folder, that fails.
        guard let names = try? StateFile.names(in: root) else { return }
        let accepted = StorePlace.ofFileSystems.union([RelativePath.stateFolder])
        guard !accepted.isSuperset(of: names) else { return }
        let (folder, store) = (ShellWord.shown(root.utf8), ShellWord.shown(address.utf8))
        throw Failure(
            .usage, path: root, "The folder is not empty: its files would be sent to the store.",
            remedy: "Give a new or an empty folder. To merge this one with the store, run "
                + "filesinki init \(folder) --remote \(store), then filesinki sync \(folder).")
    }
}
