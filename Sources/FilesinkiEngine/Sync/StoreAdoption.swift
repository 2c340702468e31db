import FilesinkiEncryption
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

extension SyncEngine {
    /// Adopts a store that is not the one that was synced before, if the user has approved exactly this
    /// one. Nothing is deleted: both sides are compared as for the first time.
    ///
    /// - Parameter mismatch: What was noticed.
    /// - Throws: The failure, with the id to approve in its remedy, until it is approved.
    func adoptStore(_ run: inout SyncRun, _ mismatch: StoreMismatch) async throws -> RemoteView {
        let failure = mismatch.failure
        // A replica that has read nothing compares with nothing: the log itself cannot be read, approved or not.
        if mismatch.kind == .rolledBack, try manifest.token == nil { throw failure }
        guard !run.isPartial, config.remote != nil else { throw failure }
        let remote = try options.openRemote(config)
        guard let present = try await zone.presentStore(at: remote) else { throw failure }
        let id = try await approval(of: present)
        guard run.options.approved == id else {
            var failure = failure
            failure.remedy =
                "Nothing was changed. To merge both sides as at a first sync, so that nothing is lost, "
                + "run filesinki sync --approve \(id)."
            // What cannot be found out here is no reason to say less of the store.
            let lost = try? await unsentNotices(
                LocalDeletions(replica).find(in: run).map(\.path))
            for notice in lost ?? [] { failure.remedy += " \(notice.message) \(notice.remedy)" }
            throw failure
        }
        if run.options.isDryRun { throw failure }
        let accepted = try await zone.lastProven(present)
        try forgetStore(accepting: accepted)
        config.store = present.format.id
        config.epoch = present.format.epoch
        zone.disconnect()
        try manifest.write { try $0.forgetMove() }
        try saveConfig()
        // The approval was for the store, not for a plan.
        run.options.approved = nil
        run.base = BaseIndex([])
        run.hasFetchedBase = true
        run.preserved = [:]
        do { return try await fetchView(run) } catch let mismatch as StoreMismatch {
            throw mismatch.failure
        }
    }

    /// Forgets the store that is left.
    ///
    /// - Parameter end: The last proven commit of the store that is accepted.
    private func forgetStore(accepting end: UInt64) throws {
        let ends = try conflicts.unsentEnds()
        try memory.forgetPublishing()
        try manifest.write { writer in
            try writer.forgetStore()
            try writer.noteEnds(ends, in: manifest)
            try writer.forgetConflictVersions(in: manifest)
            try writer.set([.acceptedEnd: end])
        }
    }

    /// An id of the store in its present state: its id and epoch, and the commit at this replica's
    /// position.
    private func approval(of store: ZoneConnection) async throws -> String {
        var hasher = ContentHasher()
        let format = store.format
        hasher.update(Array("store".utf8) + format.id + Array(String(format.epoch).utf8))
        if let token = try manifest.token {
            let present = try? await store.log.read(token.sequence)
            hasher.update(present?.token.hash.bytes ?? [])
        }
        return String(hasher.finish().description.prefix(16))
    }

    /// Sets another address of the replica's store or, if accepted, another store.
    ///
    /// - Parameter acceptingOther: Start anew with whatever store is there: nothing is lost here
    ///   or there, and both sides are compared as for the first time.
    ///   - keys: How the key of an encrypted store is opened.
    ///   - zones: Which zones of values and records lack commits there.
    /// - Returns: Notices about the store that is left, and that the new one was moved elsewhere.
    /// - Throws: Code `wrong-store` for another store, and for one that lacks what this replica has seen, as a copy that
    ///   was made before; what ``requireReceived(leavingFor:isSame:)`` throws. Nothing is changed then.
    func setRemote(
        _ address: String, acceptingOther: Bool, _ keys: KeyOptions, lacking zones: LackingZones
    ) async throws -> [Failure] {
        try RootPlacement(root: options.root).check(against: address)
        let plain = try options.connect(address)
        let (format, key, _) = try await StoreOpening(options, keys, device: config.device)
            .open(at: plain, address, makesStore: false, acceptingOther: acceptingOther)
        let remote = SealedRemote.seal(plain, with: key, systemContext)
        guard let present = try await zone.presentStore(at: remote) else {
            throw Failure.noStore(at: remote.address)
        }
        var wanted = config
        (wanted.store, wanted.remote) = (format.id, address)
        try RootPlacement(root: options.root).check(against: wanted)
        let isOther =
            !config.store.isEmpty && (format.id != config.store || format.epoch != config.epoch)
        guard !isOther || acceptingOther else {
            throw Failure(
                .wrongStore, path: remote.address, "Another store is at this address.",
                remedy: "To accept it, add --accept; nothing is lost.")
        }
        if !acceptingOther {
            let lacksFiles = try await !zone.holdsSeenCommits(present)
            // At its own address the replica changes nothing for zones that are stopped there.
            let isKnown = lacksFiles || address == config.remote
            let lacking = try await isKnown ? [] : zones(remote, format.id)
            if lacksFiles || !lacking.isEmpty {
                let wasLeft = try await move(noted: remote, of: format, at: address) != nil
                throw Failure.lacksSeenCommits(
                    of: lacking, address, await canCopy(to: remote), wasLeft: wasLeft,
                    decrypting: config.keyFingerprint != nil && format.keyFingerprint == nil)
            }
        }
        let moved = try await moveNotice(at: remote, of: format, address)
        var notices: [Failure] = []
        if isOther || acceptingOther {
            notices = try await requireReceived(leavingFor: address, isSame: !isOther)
            let accepted = try await zone.lastProven(present)
            try forgetStore(accepting: accepted)
        }
        try useStore(format, key, at: address)
        return notices + [moved].compactMap(\.self)
    }

    /// Whether a migration could copy what another store lacks. It is offered, too, where that cannot be found out: it says
    /// why then.
    private func canCopy(to remote: any Remote) async -> CopyOfLacking {
        guard let source = try? options.openRemote(config) else { return .possible }
        do {
            return try await StoreMigration.canComplete(remote, from: source) ? .possible : .never
        } catch let failure as Failure where failure.code == .away {
            return .notNow
        } catch {
            return .possible
        }
    }

    /// Makes a store the replica's own.
    func useStore(_ format: StoreFormat, _ key: StoreKey?, at address: String) throws {
        try key?.write(state.storeKey)
        config.remote = address
        config.store = format.id
        config.epoch = format.epoch
        config.keyFingerprint = key?.fingerprint
        zone.disconnect()
        // What was said at the former address, or of the former access to this one, is over.
        let last = try manifest.runs(limit: 1).first
        try manifest.write { writer in
            try writer.forgetMove()
            try writer.forgetRefusal()
            try writer.leaveRemote(of: last)
        }
        try saveConfig()
    }
}

/// Whether the commits that another copy of the store lacks can be copied to it.
private enum CopyOfLacking {
    case possible
    /// The present remote, which has them, is away.
    case notNow
    /// It was used since it was copied, and has others instead.
    case never
}

extension Failure {
    /// A store of the same id was copied, or backed up, before its last commits.
    ///
    /// - Parameters:
    ///   - zones: The zones of values and records of which it lacks some, if it has all of the files.
    ///   - copy: Whether the commits can be copied to it.
    ///   - wasLeft: Whether it has a note that the store was moved away from there.
    ///   - isDecrypting: Whether they are encrypted where they are, and would not be there.
    fileprivate static func lacksSeenCommits(
        of zones: [String], _ address: String, _ copy: CopyOfLacking, wasLeft: Bool,
        decrypting isDecrypting: Bool
    ) -> Failure {
        let names = zones.map { "of the \($0)" }.joined(separator: ", ")
        let commits =
            "This store lacks commits that this device has seen"
            + (zones.isEmpty ? "" : ", \(names)")
        let others =
            zones.isEmpty
            ? "" : " Values and records are not merged: the command says how to go on with them."
        let command = "filesinki remote set \(ShellWord.shown(address.utf8))"
        let copying = command + " --migrate" + (isDecrypting ? " --no-encrypt" : "")
        let plainly = isDecrypting ? " in plain text" : ""
        guard copy != .never else {
            return Failure(
                .wrongStore, path: address,
                "\(commits), and has others instead: both stores were used since one was copied to the other.",
                remedy:
                    "To merge both sides as at a first sync, run \(command) --accept. Nothing is lost: what was deleted "
                    + "in one of them comes back, and edits may become conflict copies." + others)
        }
        let steps =
            wasLeft
            ? StoreElsewhere(lacksSeenCommits: true, wasLeft: true).steps(at: address)
            : "\(command) --accept"
        let ways =
            copy == .notNow
            ? "The present remote, which has them, was not reached. If it is lost, run \(steps): both "
                + "sides are merged as at a first sync, so that nothing is lost. If it comes back, \(copying) "
                + "copies them\(plainly)."
            : "To copy them from the present remote\(plainly), run \(copying). To merge both sides as at a "
                + "first sync, so that nothing is lost, run \(command) --accept."
        return Failure(
            .wrongStore, path: address,
            "\(commits): it was copied before them, or is an old copy.", remedy: ways + others)
    }

    /// There is no store at an address.
    static func noStore(at address: String) -> Failure {
        Failure(
            .notFound, path: address, "No store was found there.",
            remedy: "Check the address, or make a store with filesinki init --remote.")
    }
}
