import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What `check` found.
package struct CheckReport: Sendable {
    package var commits = 0
    package var packs = 0
    package var contents = 0
    package var bytes: Int64 = 0
    /// What is wrong with the store; each names the object or the path.
    package var failures: [Failure] = []
    /// The last commit, whose hash two users can compare.
    package var tip: ChangeToken?

    package init() {}
}

extension Replica {
    /// Proves the store: every commit against its parent, every pack's index against the commit
    /// that names it, every content of the tree to be there.
    ///
    /// - Parameter readData: Read every content of the tree, too, and compare it with its hash.
    package func check(
        readData: Bool, progress: (@Sendable (Progress) -> Void)?
    ) async throws -> CheckReport {
        let connection = try await connected()
        var report = CheckReport()
        var view = RemoteView(token: connection.log.genesis)
        do {
            var reader = LogReader(connection.log, after: view.token)
            while let commit = try await reader.next() {
                view.fold(commit)
                report.commits += 1
                report.failures += commit.refused.map(\.failure)
            }
        } catch let failure as Failure where failure.code != .away {
            report.failures.append(failure)
        }
        report.tip = view.token
        report.packs = view.packs.count
        if let token = try manifest.token, token.sequence > view.token.sequence {
            report.failures.append(
                Failure(
                    .wrongStore, path: connection.remote.address,
                    "The log ends at \(view.token.sequence), but \(token.sequence) was seen.",
                    remedy: "The store was rolled back or restored from a backup."))
        }
        try await checkContents(view, readData: readData, &report, progress)
        return report
    }

    private func checkContents(
        _ view: RemoteView, readData: Bool, _ report: inout CheckReport,
        _ progress: (@Sendable (Progress) -> Void)?
    ) async throws {
        let source = try await contentSource(view)
        var files: [ContentID: (path: RelativePath, size: Int64)] = [:]
        for (path, change) in view.changes.sorted(by: { $0.key < $1.key }) {
            let entry = change.entry.entry
            guard entry.kind == .file, files[entry.content] == nil else { continue }
            files[entry.content] = (path, entry.size)
        }
        var found: [(path: RelativePath, failure: Failure)] = []
        for job in try await ContentPlan(files.keys, source).jobs {
            let failures = try await failures(job, source, files, readData)
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

    /// What is wrong with the contents of a job.
    private func failures(
        _ job: ContentJob, _ source: ContentSource,
        _ files: [ContentID: (path: RelativePath, size: Int64)], _ readData: Bool
    ) async throws -> [(ContentID, Failure)] {
        var found: [(ContentID, Failure)] = []
        if case .single(let content) = job, let file = files[content] {
            do {
                guard try await source.holds(content) else { throw Self.missing(file.path) }
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

    private static func missing(_ path: RelativePath) -> Failure {
        Failure(
            .corrupt, path: path.bytes, "No pack and no commit holds its content.",
            remedy: "A device that still has the file publishes it again when it is touched.")
    }
}
