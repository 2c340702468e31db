package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension RootFolder {
    /// Whether a folder below the root is itself a replica of the root's store, as far as its state is kept in it.
    ///
    /// What is in such a folder is left alone: the store has it already, and to sync it from here would give that
    /// replica its own files again, one folder deeper with each run.
    package func holdsOwnStore(_ folder: RelativePath) -> Bool {
        guard let sharesStore else { return false }
        let path = folder.appending(
            "\(RelativePath.stateFolder)/\(RelativePath.configurationFile)".utf8)
        let flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
        guard let file = FileHandle(openBeneath(path, flags)),
            let bytes = try? file.read(upTo: Self.configurationLimit)
        else { return false }
        return sharesStore(bytes)
    }

    /// No configuration of a replica is longer, in bytes.
    private static var configurationLimit: Int { 1 << 16 }
}

/// The filter inside a folder that is a replica of the root's store: nothing in it is synced from here.
struct OwnReplicaFilter: ScanFilter {
    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool { true }

    func entering(
        _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
    ) rethrows -> any ScanFilter { self }
}
