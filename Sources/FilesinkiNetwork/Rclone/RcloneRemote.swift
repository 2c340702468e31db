import FilesinkiModel
import FilesinkiRemote
import FilesinkiWebDAV

/// A remote that the user's rclone reaches, as a WebDAV server for this process alone.
///
/// A slot is filled by moving a folder, as at other WebDAV servers. Two devices run two rclones, and only few of
/// its types keep that only one of them wins: at all others one device publishes, or none. See
/// Docs/Decisions/0610-rclone.md.
struct RcloneRemote: FolderRemote {
    private let place: RcloneAddress
    private let link: RcloneLink
    /// The link of another remote, which this one uses where only one device may publish.
    private let shared: RcloneLink?
    private let writers: RcloneWriters

    init(_ link: RcloneLink, _ writers: RcloneWriters, shared: RcloneLink? = nil) {
        place = link.command.address
        self.link = link
        self.writers = writers
        self.shared = shared
    }

    var address: String { place.text }

    var alternative: String {
        "If this device alone publishes there, add --single-writer; the others cannot use it then. For "
            + "several devices use a folder, ssh://, webdav:// or s3:// directly, or filesinki serve."
    }

    private func perform<Result: Sendable>(
        _ body: @Sendable (WebDAVRemote) async throws -> Result
    ) async throws -> Result {
        var link = self.link
        if let shared, try await !link.movesExclusively() { link = shared }
        let way = try await link.way()
        let count = way.server.log.count
        do { return try await body(way.remote) } catch let failure as Failure {
            throw way.described(failure, place, after: count)
        }
    }

    /// - Throws: `Failure` when this device may not change the object.
    private func checkWriter(_ key: ObjectKey) async throws {
        try await writers.check(key, link, place) { marks, own in
            try await perform { remote in
                let found = try await remote.list(
                    prefix: marks, after: nil, limit: RcloneWriters.maximumMarks
                ).map(\.key)
                if found.isEmpty, let own { try await remote.put(own.content, to: own.key) }
                return found
            }
        }
    }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await perform { try await $0.get(key, range: range) }
    }

    func publish(_ bytes: [UInt8], to slot: ObjectKey) async throws -> PublishOutcome {
        try await checkWriter(slot)
        return try await perform { try await $0.publish(bytes, to: slot) }
    }

    func put(_ bytes: [UInt8], to key: ObjectKey) async throws {
        try await checkWriter(key)
        try await perform { try await $0.put(bytes, to: key) }
    }

    func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        guard limit > 0, RcloneWriters.folder.hasPrefix(prefix), prefix != RcloneWriters.folder
        else {
            return try await perform {
                try await $0.list(prefix: prefix, after: after, limit: limit)
            }
        }
        // The marks are no part of the store.
        let found = try await perform {
            try await $0.list(
                prefix: prefix, after: after, limit: limit + RcloneWriters.maximumMarks)
        }
        return Array(
            found.filter { !$0.key.description.hasPrefix(RcloneWriters.folder) }.prefix(limit))
    }

    func delete(_ key: ObjectKey) async throws {
        try await checkWriter(key)
        try await perform { try await $0.delete(key) }
    }

    func wait(prefix: String, timeout: Duration) async throws {
        try await perform { try await $0.wait(prefix: prefix, timeout: timeout) }
    }
}

extension RcloneRemote: SweepableRemote {
    func sweep(_ folders: [String], olderThan age: Duration, isDryRun: Bool) async throws -> Int {
        try await perform {
            try await $0.sweep(folders, olderThan: age, isDryRun: isDryRun)
        }
    }
}

extension RcloneRemote: CuttableRemote {
    func putCut(_ upload: CutUpload) async {
        try? await perform { await $0.putCut(upload) }
    }
}

extension RcloneRemote: TestFolderRemote {
    func removeTestFolder(_ folder: String) async {
        try? await perform { await $0.removeTestFolder(folder) }
    }
}

extension RcloneRemote: SharedConnectionRemote {
    /// With an rclone of its own, as another device has.
    func separated() -> any Remote {
        RcloneRemote(link.separated(), writers, shared: link)
    }
}

extension RcloneRemote: SingleWriterRemote {
    func hasOneWriter() async throws -> Bool {
        guard writers.isSingle else { return false }
        return try await !link.movesExclusively()
    }
}

extension RcloneRemote: FitnessReporting {
    var fitness: ProbeReport.Check {
        .init(
            name: "writers",
            guarantee: "Several devices can publish at once, or only one publishes.",
            holds: true,
            detail: writers.isSingle
                ? "This device alone publishes there (--single-writer)."
                : "rclone moves folders there in a way that only one device wins.",
            consequence: "Of two devices that sync at once, one would lose its changes.")
    }

    func unfitness() async throws -> String? {
        if try await link.movesExclusively() { return nil }
        guard !writers.isSingle else { return nil }
        return
            "rclone cannot move a folder at '\(place.remote)' in a way that only one device wins."
    }
}
