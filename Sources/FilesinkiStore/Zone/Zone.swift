package import FilesinkiModel
package import FilesinkiRemote

/// One zone of a store. Each zone has its own log.
package struct Zone: Sendable {
    /// 1 to 64 of `a-z 0-9 _ -`.
    package var name: String
    /// Whether the contents of items are stored in the commits that set them, and are read together
    /// with a checkpoint.
    package var carriesContents: Bool
    /// The limits of published commits.
    package var limits: CommitLimits
    /// The number of commits between two checkpoints.
    package var checkpointInterval: UInt64
    /// The remedy for another store: how the user accepts it.
    package var remedyForOther: String
    /// The remedy for missing commits: how the user goes on without them.
    package var remedyForMissing: String

    package init(
        name: String, carriesContents: Bool, limits: CommitLimits = .standard,
        checkpointInterval: UInt64 = CheckpointSchedule.interval,
        remedyForOther: String, remedyForMissing: String
    ) {
        self.name = name
        self.carriesContents = carriesContents
        self.limits = limits
        self.checkpointInterval = checkpointInterval
        self.remedyForOther = remedyForOther
        self.remedyForMissing = remedyForMissing
    }
}

extension Zone {
    /// Whether a fetch reads the note of a move with the end of the log. Zones of items look for it only before they publish:
    /// who may read one of them need not be allowed to read the note; see ``ZoneClient/findMove(from:)``.
    var readsMove: Bool { !carriesContents }

    /// - Throws: ``StoreMismatch`` for another store than the known one.
    func recognise(
        _ found: StoreFormat?, at remote: any Remote, _ known: KnownStore?
    ) throws -> StoreFormat {
        do throws(Failure) {
            let format = try KnownStore.recognise(
                found, at: remote.address, known: known, remedy: remedyForOther)
            try format.checkKey(of: remote)
            return format
        } catch {
            if error.code == .wrongStore { throw StoreMismatch(.foreign, error) }
            throw error
        }
    }
}

/// A zone of a store at an open remote.
package struct ZoneConnection: Sendable {
    package let remote: any Remote
    package let format: StoreFormat
    package let log: CommitLog
    package let checkpoints: CheckpointStore
    package let devices: DeviceRegistry
    /// Whether this process has proved the end of the log.
    var isEndProven = false

    package init(remote: any Remote, format: StoreFormat, zone: Zone) throws(Failure) {
        self.remote = remote
        self.format = format
        var log = try CommitLog(
            remote: remote, zone: zone.name, store: format, limits: zone.limits)
        // Only the zone of files has plans to approve.
        if zone.carriesContents { log.remedyForMissing = zone.remedyForMissing }
        self.log = log
        checkpoints = try CheckpointStore(remote: remote, zone: zone.name, store: format)
        devices = try DeviceRegistry(remote: remote, zone: zone.name, store: format)
    }
}

extension ZoneConnection {
    /// The folders of a store in a folder into which a run of the zone of files, with this name, writes.
    package func writtenFolders(of zone: String) -> [String] {
        [
            StoreLayout.log(of: zone), StoreLayout.checkpoints(of: zone),
            StoreLayout.archives(of: zone), StoreLayout.packs(of: nil),
        ].map { String($0.dropLast()) }
    }
}

/// The identity of the store that a replica uses. Readers of its log verify that it has not
/// changed.
package struct KnownStore: Hashable, Sendable {
    /// 16 bytes.
    package var id: [UInt8]
    package var epoch: UInt64

    package init(id: [UInt8], epoch: UInt64) {
        self.id = id
        self.epoch = epoch
    }

    /// The identity of a described store.
    package init(_ format: StoreFormat) { self.init(id: format.id, epoch: format.epoch) }

    /// A description with the fields that are needed to read the log.
    package var assumedFormat: StoreFormat {
        StoreFormat(
            formatVersion: StoreFormat.currentVersion, id: id, epoch: epoch, slots: "")
    }

    /// Verifies that the remote holds the known store, or any store if none is known yet.
    ///
    /// - Parameters:
    ///   - found: The description at the remote; nil when there is no store.
    ///   - known: The known store; nil before the first connection.
    ///   - remedy: How the user accepts another store.
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
                    : "If it was moved, set its new address with filesinki remote set URL. "
                        + Failure.lostStoreRemedy)
        }
        guard known == nil || known == KnownStore(found) else {
            throw Failure(
                .wrongStore, path: address,
                "This is not the store of this replica.",
                remedy: remedy)
        }
        return found
    }
}
