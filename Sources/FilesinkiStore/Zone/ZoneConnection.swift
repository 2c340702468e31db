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
