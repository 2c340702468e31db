package import FilesinkiModel
package import FilesinkiRemote

/// One of a store's zones: a log of its own.
package struct Zone: Sendable {
    /// 1 to 64 of `a-z 0-9 _ -`.
    package var name: String
    /// Whether the contents of its items travel in the commits that set them, and are read with a
    /// checkpoint.
    package var carriesContents: Bool
    /// What the commits that are published keep to.
    package var limits: CommitLimits
    /// How the user says that another store is meant now.
    package var remedyForOther: String
    /// How the user goes on without commits that are missing.
    package var remedyForMissing: String

    package init(
        name: String, carriesContents: Bool, limits: CommitLimits = .standard,
        remedyForOther: String, remedyForMissing: String
    ) {
        self.name = name
        self.carriesContents = carriesContents
        self.limits = limits
        self.remedyForOther = remedyForOther
        self.remedyForMissing = remedyForMissing
    }
}

extension Zone {
    /// - Throws: ``StoreMismatch`` for another store than the known one.
    func recognise(
        _ found: StoreFormat?, at remote: any Remote, _ known: KnownStore?
    ) throws -> StoreFormat {
        do throws(Failure) {
            return try KnownStore.recognise(
                found, at: remote.address, known: known, remedy: remedyForOther)
        } catch {
            if error.code == .wrongStore { throw StoreMismatch(.foreign, error) }
            throw error
        }
    }
}

/// The way into a zone of a store while a process lasts.
package struct ZoneConnection: Sendable {
    package let remote: any Remote
    package let format: StoreFormat
    package let log: CommitLog
    package let checkpoints: CheckpointStore
    package let devices: DeviceRegistry
    /// Whether the end of the log was proved in this process.
    var isEndProven = false

    package init(remote: any Remote, format: StoreFormat, zone: Zone) throws(Failure) {
        self.remote = remote
        self.format = format
        log = try CommitLog(remote: remote, zone: zone.name, store: format, limits: zone.limits)
        checkpoints = try CheckpointStore(remote: remote, zone: zone.name, store: format)
        devices = try DeviceRegistry(remote: remote, zone: zone.name, store: format)
    }
}

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
