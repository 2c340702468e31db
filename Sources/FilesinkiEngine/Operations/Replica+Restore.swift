import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What `restore` brought back.
package struct RestoreReport: Sendable {
    package var restored: [RelativePath] = []
    package var sync: SyncReport?
    package var problems: [Problem] = []
}

extension Replica {
    /// Brings a path back to an older version, here and everywhere.
    package func restore(
        _ path: RelativePath, version: UInt64, _ options: SyncOptions
    ) async throws -> RestoreReport {
        let reader = try await historyReader()
        guard let entry = try await entry(path, at: version, in: reader), entry.kind != .tombstone
        else {
            throw Failure(
                .notFound, path: path.bytes, "There is no version \(version) of it.",
                remedy: "See which there are with filesinki log.")
        }
        // What is there now goes into the history before it is replaced.
        let before = try await runPaths([path], options)
        try await put(entry, at: path, after: before)
        let report = try await runPaths([path], options, after: before)
        return RestoreReport(restored: [path], sync: report)
    }

    /// Writes the tree as it was at a moment into a folder outside the root.
    ///
    /// - Parameters:
    ///   - moment: Commits made later are left out; their own clocks count.
    ///   - selection: Only these paths and what is below them; empty for all.
    ///   - write: Writes one entry; its content comes piece by piece.
    package func restore(
        at moment: Timestamp, _ selection: [RelativePath],
        write: @escaping @Sendable (RelativePath, Entry, [UInt8]?) throws -> Void
    ) async throws -> RestoreReport {
        let reader = try await historyReader()
        let tree = try await tree(of: reader) { $0.time <= moment }
        let chosen = PathSelection(paths: selection)
        var writing = TreeWriting(write: write)
        var wanted: [ContentID: [(RelativePath, Entry)]] = [:]
        for (path, known) in tree where chosen.contains(path) {
            if known.entry.kind == .file {
                wanted[known.entry.content, default: []].append((path, known.entry))
            } else {
                try writing.add(path, known.entry, .success(nil))
            }
        }
        let source = try await historyContents(reader)
        for job in try await ContentPlan(wanted.keys, source).jobs {
            try await writing.add(job, source, wanted)
        }
        writing.report.restored.sort()
        writing.report.problems.sort { $0.path < $1.path }
        return writing.report
    }
}

/// Writes the entries of a tree somewhere, and notes what came of it.
private struct TreeWriting {
    let write: @Sendable (RelativePath, Entry, [UInt8]?) throws -> Void
    var report = RestoreReport()

    mutating func add(
        _ path: RelativePath, _ entry: Entry, _ content: Result<[UInt8]?, any Error>
    ) throws {
        do {
            try write(path, entry, try content.get())
            report.restored.append(path)
        } catch let failure as Failure {
            report.problems.append(Problem(path, failure))
        }
    }

    /// Writes the files whose contents are read together.
    mutating func add(
        _ job: ContentJob, _ source: ContentSource,
        _ wanted: [ContentID: [(RelativePath, Entry)]]
    ) async throws {
        if case .single(let content) = job {
            for (path, entry) in wanted[content] ?? [] {
                try add(path, entry, await Self.single(entry, source))
            }
            return
        }
        try await source.read(job) { content, result in
            for (path, entry) in wanted[content] ?? [] {
                try add(path, entry, result.map { Array($0) })
            }
        }
    }

    private static func single(
        _ entry: Entry, _ source: ContentSource
    ) async -> Result<[UInt8]?, any Error> {
        do {
            return .success(try await source.read(entry.content, size: entry.size))
        } catch {
            return .failure(error)
        }
    }
}
