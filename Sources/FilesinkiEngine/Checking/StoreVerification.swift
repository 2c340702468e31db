import FilesinkiEncryption
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// Verifies the store of a replica, and that it is the one this replica knows.
struct StoreVerification: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Verifies every commit against its parent, every pack's index against the commit that names
    /// it, that every content of the tree exists, and that the key objects of an encrypted store are sound.
    ///
    /// Reads the whole log; with `all`, every object; with `part`, every object but the packs that are not in
    /// the part. Without both, the assets of current records are looked for as the contents of files are. A completed
    /// check of a share moves the position that the next one begins at.
    ///
    /// - Parameter data: The contents that are also read and compared with their hashes.
    /// - Throws: What the remote throws. Damage becomes a failure in the report.
    func check(
        _ data: CheckedData, progress: (@Sendable (Progress) -> Void)?
    ) async throws -> CheckReport {
        let connection = try await connected()
        var report = CheckReport()
        let (log, failures) = try await readLogBeyondDamage(connection)
        report.commits = log.commits
        report.failures = failures + (try await StoreKeys(replica).check().failures)
        report.tip = log.view.token
        report.packs = log.view.packs.count
        switch data {
        case .none, .current:
            try await checkContents(log, readData: data == .current, &report, progress)
            report.add(try await AssetCheck(replica).check(connection))
        case .part(let part) where !part.isAll:
            let position = CheckedPosition(path: state.checked)
            let range = PackIDRange(part, start: position.read(systemContext))
            var check = StoreCheck(
                connection, progress, packs: range, indexes: IndexFolder(path: state.indexes))
            try await check.readEverything(files: log)
            report.add(check.report)
            if case .share = part { position.write(range.end) }
        case .all, .part:
            var check = StoreCheck(connection, progress)
            try await check.readEverything(files: log)
            report.add(check.report)
        }
        return report
    }

    /// Reads the whole log, and compares an undamaged one with the log that this replica has read.
    func readLog(_ connection: ZoneConnection) async throws -> (log: LogCheck, failures: [Failure])
    {
        var log = LogCheck(connection.log)
        try await log.read()
        guard log.failures.isEmpty else { return (log, log.failures) }
        return (log, try differencesFromKnown(log, connection))
    }

    /// As ``readLog(_:)``, and goes on behind damage, as far as commits can be read on their own.
    func readLogBeyondDamage(
        _ connection: ZoneConnection
    ) async throws -> (log: LogCheck, failures: [Failure]) {
        var (log, failures) = try await readLog(connection)
        guard !failures.isEmpty else { return (log, failures) }
        let listing = try await StoreListing.read(from: connection.remote)
        if let zone = listing.zones[Zone.filesName] {
            try await log.read(beyondDamage: zone)
        }
        // Where several commits are gone, the log seemed to end before them.
        if !log.failures.isEmpty { failures = log.failures }
        return (log, failures)
    }

    /// Returns the differences between an undamaged log and the log that this replica has read.
    private func differencesFromKnown(
        _ log: LogCheck, _ connection: ZoneConnection
    ) throws -> [Failure] {
        guard let token = try manifest.token else { return [] }
        if token.sequence > log.view.token.sequence {
            return [
                Failure(
                    .wrongStore, path: connection.remote.address,
                    "The log ends at \(log.view.token.sequence), but \(token.sequence) was seen.",
                    remedy: "The store was rolled back or restored from a backup. To publish this "
                        + "replica again, run filesinki sync: it names the plan to approve.")
            ]
        }
        // Every commit but the last is verified by its successor.
        guard token.sequence == log.view.token.sequence, token != log.view.token else { return [] }
        return [log.changed(token.sequence, known: try manifest.storedHeader(of: token))]
    }

    private func checkContents(
        _ log: LogCheck, readData: Bool, _ report: inout CheckReport,
        _ progress: (@Sendable (Progress) -> Void)?
    ) async throws {
        let source = try await storedContents.source(log.view)
        var files: [ContentID: (path: RelativePath, size: Int64)] = [:]
        for (path, change) in log.view.changes.sorted(by: { $0.key < $1.key }) {
            let entry = change.entry.entry
            guard entry.kind == .file, files[entry.content] == nil else { continue }
            files[entry.content] = (path, entry.size)
        }
        var lost: Set<ContentID> = []
        for content in log.history.lost where files[content] != nil {
            guard try await !source.holds(content) else { continue }
            files[content] = nil
            lost.insert(content)
        }
        report.lost = log.history.versions(with: lost, in: log.view.changes).filter(\.isCurrent)
        var found: [(path: RelativePath, failure: Failure)] = []
        for job in try await ContentPlan(files.keys, source).jobs {
            let failures = try await failures(
                job, source, files, readData, isComplete: log.failures.isEmpty)
            for (content, failure) in failures {
                guard failure.code != .away else { throw failure }
                guard let path = files[content]?.path else { continue }
                found.append((path, failure))
            }
            report.contents += job.contents.count
            if readData {
                let sound = Set(job.contents).subtracting(failures.map(\.0))
                report.bytes += sound.reduce(0) { $0 + (files[$1]?.size ?? 0) }
            }
            progress?(Progress(.fetching, files: report.contents, bytes: report.bytes))
        }
        for (path, var failure) in found.sorted(by: { $0.path < $1.path }) {
            failure.message = "\(path): \(failure.message)"
            report.failures.append(failure)
        }
    }

    /// Returns the contents of a job that cannot be read.
    ///
    /// - Parameter isComplete: Whether all commits were read; else one that is missing may name the pack of a content.
    private func failures(
        _ job: ContentJob, _ source: ContentSource,
        _ files: [ContentID: (path: RelativePath, size: Int64)], _ readData: Bool,
        isComplete: Bool
    ) async throws -> [(ContentID, Failure)] {
        var found: [(ContentID, Failure)] = []
        if case .single(let content) = job, let file = files[content] {
            do {
                guard try await source.holds(content) else {
                    if isComplete { throw Failure.missing(file.path) }
                    return []
                }
                if readData { try await source.stream(content, size: file.size) { _ in } }
            } catch let failure as Failure {
                found.append((content, failure))
            }
        } else if readData {
            try await source.read(job) { content, result in
                do {
                    let bytes = try result.get()
                    try ContentSource.check(bytes.count, content, files[content]?.size ?? .max)
                } catch let failure as Failure {
                    found.append((content, failure))
                }
            }
        }
        return found
    }
}

/// How much of the contents `check` reads.
package enum CheckedData: Hashable, Sendable {
    /// No contents; only that the packs' indexes list each content of the tree.
    case none
    /// The contents of the current tree.
    case current
    /// Every object of the store but a part of the packs.
    case part(PackPart)
    /// Every object of the store, which includes every version in the history.
    case all
}

/// The result of `check`.
package struct CheckReport: Sendable {
    package var commits = 0
    package var packs = 0
    /// The number of packs that were read; 0 unless all packs or a part of them are read.
    package var readPacks = 0
    package var contents = 0
    /// The number of versions that prunes have dropped; 0 unless all packs or a part of them are read.
    package var prunedVersions = 0
    /// The versions whose contents were given up by a repair and are in no pack: of the current tree, or of all that
    /// was checked.
    package var lost: [LostVersion] = []
    package var bytes: Int64 = 0
    /// The number of objects that were read; 0 unless all packs or a part of them are read.
    package var objects = 0
    /// The number of objects that are not of the store's format and were skipped.
    package var foreignObjects = 0
    /// The damage that was found; each names the object or the path.
    package var failures: [Failure] = []
    /// The last commit, whose hash two users can compare.
    package var tip: ChangeToken?

    package init() {}

    fileprivate mutating func add(_ other: AssetCheck.Report) {
        contents += other.contents
        failures += other.failures
    }

    fileprivate mutating func add(_ other: CheckReport) {
        packs = other.packs
        readPacks = other.readPacks
        contents += other.contents
        prunedVersions += other.prunedVersions
        lost += other.lost
        bytes += other.bytes
        objects += other.objects
        foreignObjects += other.foreignObjects
        failures += other.failures
    }
}

extension Failure {
    /// A path whose content the store does not hold.
    static func missing(_ path: RelativePath) -> Failure {
        Failure(
            .corrupt, path: path.bytes, "No pack and no commit holds its content.",
            remedy: "Run filesinki repair on a device that still has the file."
        )
        .forOtherDevice
    }
}
