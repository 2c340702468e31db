import FilesinkiManifest
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

/// Tells a replica that still uses the old remote of a store that the store was copied to another one; see
/// ``FilesinkiStore/StoreMove``.
extension SyncEngine {
    /// How often a run that publishes nothing asks the remote. It costs one request otherwise.
    private static let secondsPerLook: Int64 = 24 * 60 * 60

    /// Reports that the store was moved, if it was. Asks the remote at the first run for everything, then once a day, unless
    /// ``requireUnmoved(_:isScanned:)`` has asked.
    func reportMove(_ run: inout SyncRun) async throws {
        guard !run.isPartial else { return }
        if !run.options.isDryRun, !run.hasLookedForMove, try isLookDue() {
            try await lookForMove(isDue: true)
        }
        guard let move = try manifest.movedStore else { return }
        run.report.notices.append(
            Problem(RelativePath(unchecked: []), .moved(move), isUrgent: true))
    }

    /// Stops a run before it publishes at a remote that the store was moved away from: what it published would not be in the
    /// copy, and the next merge there would have no base. What it would have sent is recorded as waiting.
    ///
    /// Costs one request in each run for everything that publishes. A run for some paths, as of `save`, asks only where a
    /// move is known already, so that one that was taken back stops nothing.
    ///
    /// - Parameter isScanned: Whether the local tree of the run is that of the root.
    /// - Throws: Code `wrong-store`.
    func requireUnmoved(_ run: inout SyncRun, isScanned: Bool = true) async throws {
        let isKnown = try manifest.movedStore != nil
        if !run.hasLookedForMove, isKnown || !run.isPartial {
            run.hasLookedForMove = true
            try await lookForMove(isDue: isLookDue())
        }
        guard let move = try manifest.movedStore else { return }
        // A run in batches has not scanned the root as a whole.
        if isScanned { try recordWaiting(&run) }
        throw Failure.moved(move).stoppingPublication(at: config.remote)
    }

    /// Looks at the remote now, and changes nothing. Costs one request.
    ///
    /// - Returns: That the store was moved, as a warning; nil if it was not.
    func findMove() async throws -> Failure? { try await moveNote().map { .moved($0) } }

    /// Where the store was moved to, as a note at the remote says; nil if it was not.
    func moveNote() async throws -> MovedStore? {
        let notes = try await StoreMove.read(at: connected().remote, of: config.store)
        return notes.away(from: config.remote).map { MovedStore($0) }
    }

    private func isLookDue() throws -> Bool {
        guard let bytes = try manifest.value(ManifestDatabase.moveLook),
            let last = Int64(String(decoding: bytes, as: UTF8.self))
        else { return true }
        let (passed, isHuge) = systemContext.now().seconds.subtractingReportingOverflow(last)
        // A clock that was set back asks again.
        return isHuge || passed < 0 || passed >= Self.secondsPerLook
    }

    /// A look that fails is no failure of the run.
    ///
    /// - Parameter isDue: Whether the look is the one of the day. Another one writes only what is new to the manifest.
    private func lookForMove(isDue: Bool) async throws {
        let remote = try await connected().remote
        let notes: [StoreMove]
        do { notes = try await StoreMove.read(at: remote, of: config.store) } catch {
            if (error as? Failure)?.code == .interrupted || error is CancellationError {
                throw error
            }
            return
        }
        let other = notes.away(from: config.remote)
        guard try isDue || other.map(MovedStore.init) != manifest.movedStore else { return }
        let now = systemContext.now().seconds
        try manifest.write { writer in
            try writer.setValue(ManifestDatabase.moveLook, Array(String(now).utf8))
            try writer.setMovedStore(other)
        }
    }
}

/// Where a store was moved to, as a replica remembers it.
package struct MovedStore: Hashable, Sendable {
    package var address: String
    /// The device that moved it.
    package var device: String
}

extension MovedStore {
    fileprivate init(_ note: StoreMove) { self.init(address: note.address, device: note.device) }
}

extension [StoreMove] {
    /// The note that leads elsewhere. One about the remote that it lies at is left over from a way there and back.
    fileprivate func away(from remote: String?) -> StoreMove? { first { $0.address != remote } }
}

extension ManifestDatabase {
    fileprivate static let moveLook = "move-look"
    fileprivate static let moveAddress = "moved-to"
    fileprivate static let moveDevice = "moved-by"
    static let moveValues = [moveLook, moveAddress, moveDevice]

    /// Where the store was moved to; nil if nobody has said so.
    var movedStore: MovedStore? {
        get throws {
            guard let address = try value(Self.moveAddress) else { return nil }
            return MovedStore(
                address: String(decoding: address, as: UTF8.self),
                device: String(decoding: try value(Self.moveDevice) ?? [], as: UTF8.self))
        }
    }
}

extension ManifestWriter {
    fileprivate func setMovedStore(_ move: StoreMove?) throws {
        try setValue(ManifestDatabase.moveAddress, move.map { Array($0.address.utf8) })
        try setValue(ManifestDatabase.moveDevice, move.map { Array($0.device.utf8) })
    }

    /// Forgets where the store was moved to: another remote is asked from now on.
    func forgetMove() throws {
        for name in ManifestDatabase.moveValues { try setValue(name, nil) }
    }
}

extension Failure {
    /// The store has a note that it was copied to another place.
    fileprivate static func moved(_ move: MovedStore) -> Failure {
        storeMoved(to: move.address, by: move.device)
    }

    /// A store that was moved is not moved elsewhere: two of them would go on.
    static func movedAlready(_ move: MovedStore, from source: String) -> Failure {
        var failure = moved(move)
        failure.code = .exists
        failure.remedy =
            "To follow it, run filesinki remote set \(ShellWord.shown(move.address.utf8)). If that is gone, run filesinki "
            + "remote set \(ShellWord.shown(source.utf8)) --migrate, and then this again."
        return failure
    }
}
