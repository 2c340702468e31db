import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

extension Replica {
    /// A device says how far it has seen the log after so many commits, or after a day.
    static let commitsPerSighting: UInt64 = 64

    private static let secondsPerSighting: Int64 = 24 * 60 * 60

    /// What a run leaves behind once its work is done: a checkpoint and word of how far this device
    /// has seen the log, each when it is due.
    ///
    /// Neither is part of the run's work, so a failure to store one is a notice. A run for some paths
    /// looks after checkpoints too, for a store may be filled by such runs alone.
    func conclude(_ run: inout SyncRun) async throws {
        guard let token = try manifest.token else { return }
        run.report.sequence = token.sequence
        if !run.isPartial, try isSightingDue(token) {
            do {
                try await noteSightingNow(token)
            } catch let failure as Failure where failure.code != .interrupted {
                run.report.notices.append(.notStored("how far this device has seen it", failure))
                try manifest.write { try $0.setCounter("sighting-failed", token.sequence) }
            }
        }
        if try checkpointSchedule().isDue(at: token.sequence) {
            do {
                try await ensureCheckpoint(token)
            } catch let failure as Failure where failure.code != .interrupted {
                run.report.notices.append(.notStored("a checkpoint", failure))
                try manifest.write { try $0.setCounter("checkpoint-failed", token.sequence) }
            }
        }
    }

    /// Three requests, so not after each run. Nobody relies on the latest word: who prunes a log
    /// keeps what was not seen by the last one.
    private func noteSightingNow(_ token: ChangeToken) async throws {
        try await noteSighting()
        let now = UInt64(clamping: surroundings.now().seconds)
        try manifest.write { writer in
            try writer.setCounter("sighting", token.sequence)
            try writer.setCounter("sighting-time", now)
            try writer.setValue("sighting-failed", nil)
        }
    }

    private func isSightingDue(_ token: ChangeToken) throws -> Bool {
        let told = try manifest.counter("sighting")
        guard token.sequence > told else { return false }
        let failed = try manifest.counter("sighting-failed")
        if failed > 0, failed <= token.sequence,
            token.sequence - failed < CheckpointSchedule.retryInterval
        {
            return false
        }
        if told == 0 || token.sequence - told >= Self.commitsPerSighting { return true }
        let time = Int64(clamping: try manifest.counter("sighting-time"))
        // A clock that was set back says nothing: better once too often.
        let passed = surroundings.now().seconds.subtractingReportingOverflow(time)
        return passed.overflow || !(0..<Self.secondsPerSighting).contains(passed.partialValue)
    }

    private func checkpointSchedule() throws -> CheckpointSchedule {
        CheckpointSchedule(
            newest: try manifest.counter("checkpoint"),
            failed: try manifest.counter("checkpoint-failed"))
    }

    /// Stores a checkpoint unless the store has a recent one.
    private func ensureCheckpoint(_ token: ChangeToken) async throws {
        let shelf = try await connected().shelf
        var newest = try await shelf.newest(after: try manifest.counter("checkpoint"))
        if CheckpointSchedule(newest: newest).isDue(at: token.sequence) {
            try await shelf.save(try checkpoint(at: token))
            newest = token.sequence
        }
        try manifest.write { writer in
            try writer.setCounter("checkpoint", newest)
            try writer.setValue("checkpoint-failed", nil)
        }
    }

    /// The remote tree as this replica knows it: its base, and what differs from it there.
    private func checkpoint(at token: ChangeToken) throws -> Checkpoint {
        var rows: [RelativePath: CheckpointRow] = [:]
        for row in try manifest.loadBase() {
            rows[row.path] = CheckpointRow(
                path: row.path, entry: VersionedEntry(row.entry, version: row.version))
        }
        // What nobody has published has no version, and is no part of the remote tree.
        for row in try manifest.loadTombstones() where rows[row.path] == nil && row.version > 0 {
            rows[row.path] = CheckpointRow(
                path: row.path, entry: VersionedEntry(.tombstone, version: row.version),
                formerContents: row.contents)
        }
        for row in try manifest.loadRemote() {
            var former = rows[row.path]?.formerContents ?? []
            if let before = rows[row.path]?.entry.entry, before.kind == .file {
                former.append(before.content)
            }
            rows[row.path] = CheckpointRow(
                path: row.path, entry: row.entry,
                formerContents: row.entry.entry.kind == .tombstone ? former : [])
        }
        return Checkpoint(
            token: token, entries: rows.values.sorted { $0.path < $1.path },
            packs: try manifest.loadPacks().map(PackReference.init(row:)),
            inline: try manifest.loadInline().map {
                InlineLocation(id: $0.content, sequence: $0.sequence)
            })
    }
}

extension PackReference {
    init(row: PackRow) {
        self.init(id: row.id, size: row.size, indexHash: row.indexHash)
    }

    /// The row that the manifest keeps of the pack, with the commit that named it.
    func manifestRow(_ sequence: UInt64) -> PackRow {
        PackRow(id: id, size: size, indexHash: indexHash, sequence: sequence)
    }
}

extension ManifestDatabase {
    /// A number that is kept under a name; 0 before it was first set.
    func counter(_ name: String) throws -> UInt64 {
        guard let bytes = try value(name) else { return 0 }
        return UInt64(String(decoding: bytes, as: UTF8.self)) ?? 0
    }
}

extension ManifestWriter {
    func setCounter(_ name: String, _ number: UInt64) throws {
        try setValue(name, Array(String(number).utf8))
    }

    /// Forgets what was seen of a store, to meet it or another one as for the first time.
    func forgetStore() throws {
        try clearTrees()
        try setToken(nil)
        let names = [
            "sighting", "sighting-time", "sighting-failed", "checkpoint", "checkpoint-failed",
            "end-proven", "accepted-end",
        ]
        for name in names { try setValue(name, nil) }
        try setDevicesSeen(DevicesSeen())
    }
}

extension Problem {
    /// What could not be stored for other devices although the run itself is complete. It is about the
    /// store, so it has an empty path.
    fileprivate static func notStored(_ what: String, _ failure: Failure) -> Problem {
        Problem(
            RelativePath(unchecked: []),
            Failure(
                failure.code, path: failure.path,
                "Cannot write \(what) to the store: \(failure.message)",
                remedy: "The run itself is complete; a later run tries again.", cause: failure))
    }
}
