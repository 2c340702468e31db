package import FilesinkiModel

/// The store that is known from before: whoever reads its log makes sure that it is still the same.
package struct KnownStore: Hashable, Sendable {
    /// 16 bytes.
    package var id: [UInt8]
    package var epoch: UInt64

    package init(id: [UInt8], epoch: UInt64) {
        self.id = id
        self.epoch = epoch
    }

    /// What a description says of its store.
    package init(_ format: StoreFormat) { self.init(id: format.id, epoch: format.epoch) }

    /// What the store says of itself, as far as it matters for reading its log.
    package var assumedFormat: StoreFormat {
        StoreFormat(
            formatVersion: StoreFormat.currentVersion, id: id, epoch: epoch, slots: "")
    }

    /// Makes sure that what is at the remote is the store that was met, or any store before the
    /// first meeting.
    ///
    /// - Parameters:
    ///   - found: Nil when there is no store.
    ///   - known: Nil before the first meeting.
    ///   - remedy: How the user says that another store is meant now.
    /// - Throws: `Failure` with code `not-found` or `wrong-store`.
    package static func recognise(
        _ found: StoreFormat?, at address: String, known: KnownStore?, remedy: String
    ) throws(Failure) -> StoreFormat {
        guard let found else {
            throw Failure(
                known == nil ? .notFound : .wrongStore, path: address,
                "No store was found there.",
                remedy: known == nil
                    ? "Make one with filesinki init --remote URL."
                    : "If it was moved, set its new place with filesinki remote set URL.")
        }
        guard known == nil || known == KnownStore(found) else {
            throw Failure(
                .wrongStore, path: address,
                "This is not the store that the replica has met before; nothing was changed.",
                remedy: remedy)
        }
        return found
    }
}
