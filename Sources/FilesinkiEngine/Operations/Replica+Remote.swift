import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension SyncEngine {
    /// Gives the replica another address of its store, or, when it is accepted, another store.
    ///
    /// - Parameter acceptingOther: Start anew with whatever store is there: nothing is deleted here
    ///   or there, and both sides meet as for the first time.
    func setRemote(_ address: String, acceptingOther: Bool) async throws {
        try RootPlacement(root: options.root).check(against: address)
        let remote = try options.connect(address)
        guard let present = try await zone.presentStore(at: remote) else {
            throw Failure.noStore(at: remote.address)
        }
        let format = present.format
        let isOther =
            !config.store.isEmpty && (format.id != config.store || format.epoch != config.epoch)
        guard !isOther || acceptingOther else {
            throw Failure(
                .wrongStore, path: remote.address, "Another store is there.",
                remedy: "To start anew with it, add --accept; nothing is deleted by that.")
        }
        if isOther || acceptingOther {
            let accepted = try await zone.lastProven(present)
            try memory.forgetPublishing()
            try manifest.write { writer in
                try writer.forgetStore()
                try writer.set([.acceptedEnd: accepted])
            }
        }
        config.remote = address
        config.store = format.id
        config.epoch = format.epoch
        zone.disconnect()
        try saveConfig()
    }
}

extension Failure {
    /// There is no store at an address.
    static func noStore(at address: String) -> Failure {
        Failure(
            .notFound, path: address, "No store was found there.",
            remedy: "Check the address, or make a store with filesinki init --remote.")
    }
}
