import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

/// Tells a replica that still uses the old remote of a store that the store was copied to another one; see
/// ``FilesinkiStore/StoreMove``.
///
/// Each fetch reads the note with the end of the log, and the manifest keeps it: so whoever publishes knows it, also where a
/// command does not ask the remote again.
extension SyncEngine {
    /// Reports that the store was moved, if it was: a run for everything, and each dry run, for what it plans would be stopped.
    func reportMove(_ run: inout SyncRun) throws {
        guard !run.isPartial || run.options.isDryRun, let move = try knownMove(run) else { return }
        if run.options.isDryRun { run.report.move = move }
        run.report.notices.append(
            run.report.refusal?.foretold("The run would stop, and send nothing.")
                ?? Problem(RelativePath(unchecked: []), .moved(move), isUrgent: true))
    }

    /// Finds out whether the move would stop a dry run, as ``requireUnmoved(_:isScanned:)`` stops the run itself.
    func foreseeStop(_ run: inout SyncRun) throws {
        guard run.report.steps.contains(where: { $0.action.writesTheirs }),
            let move = try knownMove(run)
        else { return }
        run.report.refusal = .moved(move).stoppingPublication(at: config.remote)
        if run.isPartial { run.report.unsent = try unsentContents(run) }
    }

    /// A dry run writes no note to the manifest: it goes by what it has fetched.
    private func knownMove(_ run: SyncRun) throws -> MovedStore? {
        guard run.options.isDryRun, let fetched = run.remote.fetched else {
            return try manifest.movedStore
        }
        return fetched.move?.away(from: config.remote)
    }

    /// Stops a run before it publishes at a remote that the store was moved away from: what it published would not be in the
    /// copy, and the next merge there would have no base. What it would have sent is recorded as waiting.
    ///
    /// - Parameter isScanned: Whether the local tree of the run is that of the root.
    /// - Throws: Code `wrong-store`.
    func requireUnmoved(_ run: inout SyncRun, isScanned: Bool = true) throws {
        guard try manifest.movedStore != nil else { return }
        // A run in batches has not scanned the root as a whole.
        if isScanned { try recordWaiting(&run) }
        try memory.checkPublication()
    }

    /// Looks at the remote now, and changes nothing. Costs one request.
    ///
    /// - Returns: That the store was moved, as a warning; nil if it was not.
    func findMove() async throws -> Failure? { try await moveNote().map { .moved($0) } }

    /// Where the store was moved to, as a note at the remote says; nil if it was not.
    func moveNote() async throws -> MovedStore? {
        let note = try await StoreMove.read(at: connected().remote, of: config.store)
        return note?.away(from: config.remote)
    }

    /// Where a store at another address was moved to, as the note there says; nil if it was not, or who asks may not look.
    func move(
        noted remote: any Remote, of format: StoreFormat, at address: String
    ) async throws -> MovedStore? {
        do {
            return try await StoreMove.read(at: remote, of: format.id)?.away(from: address)
        } catch let failure as Failure where failure.isRefusal {
            return nil
        }
    }

    /// That the store at an address which the replica is to use was itself moved, perhaps to where the replica is now.
    func moveNotice(
        at remote: any Remote, of format: StoreFormat, _ address: String
    ) async throws -> Failure? {
        guard let move = try await move(noted: remote, of: format, at: address) else { return nil }
        return move.address == config.remote
            ? Failure.cameBack(from: move, to: address) : Failure.moved(move)
    }

    /// Stops a command that changes the store otherwise than by a commit, where the store was moved away from.
    ///
    /// - Throws: Code `wrong-store`.
    func requireStoreUnmoved() async throws {
        var found: MovedStore?
        do { found = try await moveNote() } catch let failure as Failure where failure.isRefusal {
            // Who may not look goes on.
        }
        guard let found else { return }
        throw Failure.moved(found).stoppingPublication(at: config.remote)
    }

    /// Remembers what a fetch has found, also that a move was taken back.
    func noteMove(_ note: StoreMove?, _ run: SyncRun) throws {
        guard replica.lock != nil, !run.options.isDryRun else { return }
        let move = note?.away(from: config.remote)
        guard try move != manifest.movedStore else { return }
        try manifest.write { try $0.setMovedStore(move) }
    }
}

extension FilesMemory {
    func checkPublication() throws {
        guard let move = try manifest.movedStore else { return }
        throw Failure.moved(move).stoppingPublication(at: config.remote)
    }
}

/// Where a store was moved to, as a replica remembers it; the cause of the failures that say so.
package struct MovedStore: Error, Hashable, CustomStringConvertible {
    package var address: String
    /// The device that moved it.
    package var device: String
    /// What opens the store there, for a replica that has no key of it.
    var secret: StoreMove.Secret?

    /// The options that such a replica needs there, each after a space.
    package var options: String { secret?.option ?? "" }
    /// The same for programs, without the space; nil for none.
    package var option: String? { secret.map { String($0.option.dropFirst()) } }

    package var description: String { "the store has a note of the move" }
}

extension StoreMove {
    /// Where the note leads; nil for one about the remote that it lies at, which is left over from a way there and back.
    fileprivate func away(from remote: String?) -> MovedStore? {
        address == remote ? nil : MovedStore(address: address, device: device, secret: secret)
    }
}

extension ManifestDatabase {
    fileprivate static let moveAddress = "moved-to"
    fileprivate static let moveDevice = "moved-by"
    fileprivate static let moveSecret = "moved-secret"
    static let moveValues = [moveAddress, moveDevice, moveSecret]

    /// Where the store was moved to; nil if nobody has said so.
    var movedStore: MovedStore? {
        get throws {
            guard let address = try value(Self.moveAddress) else { return nil }
            return MovedStore(
                address: String(decoding: address, as: UTF8.self),
                device: String(decoding: try value(Self.moveDevice) ?? [], as: UTF8.self),
                secret: StoreMove.Secret(
                    rawValue: String(decoding: try value(Self.moveSecret) ?? [], as: UTF8.self)))
        }
    }
}

extension ManifestWriter {
    fileprivate func setMovedStore(_ move: MovedStore?) throws {
        try setValue(ManifestDatabase.moveAddress, move.map { Array($0.address.utf8) })
        try setValue(ManifestDatabase.moveDevice, move.map { Array($0.device.utf8) })
        try setValue(ManifestDatabase.moveSecret, move?.secret.map { Array($0.rawValue.utf8) })
    }

    /// Forgets where the store was moved to: another remote is asked from now on.
    func forgetMove() throws {
        for name in ManifestDatabase.moveValues { try setValue(name, nil) }
    }
}

extension Failure {
    /// The store has a note that it was copied to another place.
    static func moved(_ move: MovedStore) -> Failure {
        var failure = storeMoved(to: move.address, by: move.device, options: move.options)
        failure.cause = move
        return failure
    }

    /// The replica goes back to the place from which the store was moved to the one that it leaves, which may be lost.
    fileprivate static func cameBack(from move: MovedStore, to address: String) -> Failure {
        let back = commandFollowing(moveTo: move.address, options: move.options)
        var failure = Failure(
            .wrongStore,
            "The store was moved from here to \(printable(move.address.utf8)), so that nothing can be sent here.",
            remedy:
                "If that is gone, run filesinki remote set \(ShellWord.shown(address.utf8)) --migrate, which goes "
                + "on here. To go back there, run \(back).")
        failure.cause = move
        return failure
    }

    /// The notice of a plan whose command would stop with this failure.
    ///
    /// - Parameter outcome: What the command would do, as a sentence.
    func foretold(_ outcome: String) -> Problem {
        var failure = self
        failure.message += " " + outcome
        return Problem(RelativePath(unchecked: []), failure, isUrgent: true)
    }

    /// A store was moved on from where a device at the one before wants to go.
    static func movedOn(_ move: MovedStore, from address: String) -> Failure {
        var failure = moved(move)
        failure.code = .exists
        failure.path = Array(address.utf8)
        failure.message += " Nothing was copied."
        let command = "filesinki remote set \(ShellWord.shown(address.utf8))"
        failure.remedy +=
            " If that is gone, run \(command), and then \(command) --migrate, which goes on there."
        return failure
    }

    /// A store that was moved is not moved elsewhere: two of them would go on.
    static func movedAlready(_ move: MovedStore, from source: String) -> Failure {
        var failure = moved(move)
        failure.code = .exists
        failure.remedy =
            "To follow it, run \(commandFollowing(moveTo: move.address, options: move.options)). "
            + "If that is gone, run filesinki remote set \(ShellWord.shown(source.utf8)) --migrate, and then this "
            + "again."
        return failure
    }
}
