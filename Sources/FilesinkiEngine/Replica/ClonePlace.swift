package import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem

extension Replica {
    /// Whether a folder is no replica and has files, which `clone` merges with the store's and sends. What an interrupted
    /// `clone` left is none of them, nor is what a file system has in its root.
    package static func cloneMerges(_ options: ReplicaOptions) throws(Failure) -> Bool {
        // One that is not there is made; of anything else than a folder, that fails.
        guard try ReplicaConfig.read(options.stateFolder) == nil,
            let names = try? StateFile.names(in: options.root)
        else { return false }
        let others = StoreFolderNames.ofFileSystems.union([RelativePath.stateFolder])
        return !others.isSuperset(of: names)
    }
}
