import FilesinkiModel
import FilesinkiStore

extension Restores {
    /// Exports a tree of the history to a folder outside the root. Contents are read pack by pack;
    /// memory holds one file at a time.
    ///
    /// - Parameter write: Writes one entry, given a file's content. A `Failure` that it throws
    ///   becomes a problem of the path.
    func export(
        _ tree: TreeAtPoint,
        write: @escaping @Sendable (RelativePath, Entry, [UInt8]?) throws -> Void
    ) async throws -> RestoreReport {
        var export = TreeExport(write: write)
        var wanted: [ContentID: [(RelativePath, Entry)]] = [:]
        for (path, known) in tree.all {
            if known.entry.kind == .file {
                wanted[known.entry.content, default: []].append((path, known.entry))
            } else {
                try export.writeEntry(path, known.entry, .success(nil))
            }
        }
        let source = try await history.historyContents(tree.reader)
        try await source.locate(wanted.keys)
        for (content, files) in wanted {
            guard let (path, entry) = files.first else { continue }
            do {
                try await history.requireUnpruned(entry, at: path, in: tree.reader, source)
            } catch let failure as Failure where failure.code == .notFound {
                for (path, entry) in files {
                    var failure = failure
                    failure.path = path.bytes
                    try export.writeEntry(path, entry, .failure(failure))
                }
                wanted[content] = nil
            }
        }
        for job in try await ContentPlan(wanted.keys, source).jobs {
            try await export.writeFiles(of: job, source, wanted)
        }
        export.report.restored.sort()
        export.report.problems.sort { $0.path < $1.path }
        return export.report
    }
}

/// Writes exported entries and collects the report.
private struct TreeExport {
    let write: @Sendable (RelativePath, Entry, [UInt8]?) throws -> Void
    var report = RestoreReport()

    /// - Parameter content: The file's content, or why it cannot be read; nil for other kinds.
    mutating func writeEntry(
        _ path: RelativePath, _ entry: Entry, _ content: Result<[UInt8]?, any Error>
    ) throws {
        do {
            try write(path, entry, try content.get())
            report.add(restored: path, entry)
        } catch let failure as Failure {
            report.problems.append(Problem(path, failure))
        }
    }

    /// Writes the files whose contents are read in one job.
    mutating func writeFiles(
        of job: ContentJob, _ source: ContentSource,
        _ wanted: [ContentID: [(RelativePath, Entry)]]
    ) async throws {
        if case .single(let content) = job {
            for (path, entry) in wanted[content] ?? [] {
                try writeEntry(path, entry, await Self.readWhole(entry, source))
            }
            return
        }
        try await source.read(job) { content, result in
            for (path, entry) in wanted[content] ?? [] {
                try writeEntry(path, entry, result.map { Array($0) })
            }
        }
    }

    private static func readWhole(
        _ entry: Entry, _ source: ContentSource
    ) async -> Result<[UInt8]?, any Error> {
        do {
            return .success(try await source.read(entry.content, size: entry.size))
        } catch {
            return .failure(error)
        }
    }
}
