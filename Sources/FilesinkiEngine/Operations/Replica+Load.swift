import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// What `load` found.
package struct LoadReport: Sendable {
    /// The run that looked for something newer; nil when only what is here was asked for.
    package var sync: SyncReport?
    package var entry: Entry
    /// The number of the commit that the path is at; 0 for a state that is not published yet.
    package var version: UInt64
}

extension Saves {
    /// Fetches, reconciles the path, and gives the best content that there is.
    ///
    /// - Parameter isOffline: Look only at what is here.
    /// - Throws: Code `not-found` when the path is known to be absent; `away` when nothing is here
    ///   and the remote cannot be asked, `corrupt` when what it has is damaged: absent, unreachable
    ///   and unreadable are never mixed up.
    func load(
        _ path: RelativePath, isOffline: Bool, _ options: SyncOptions,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> LoadReport {
        try await sync.reporting { try await read(path, isOffline: isOffline, options, body) }
    }

    private func read(
        _ path: RelativePath, isOffline: Bool, _ options: SyncOptions,
        _ body: @Sendable (UnsafeRawBufferPointer) throws -> Void
    ) async throws -> LoadReport {
        let report = isOffline ? nil : try await sync.syncPaths([path], options)
        let problem = report?.problems.first { $0.path == path }
        guard let status = try root.status(path) else {
            if let failure = problem?.failure ?? report?.away { throw failure }
            throw Failure(
                .notFound, path: path.bytes, "There is nothing at this path.",
                remedy: "See what there is with filesinki ls.")
        }
        if let problem { throw problem.failure }
        let row = try manifest.base(path)
        let isOpen = try manifest.local(path) != nil
        switch status.kind {
        case .file:
            var size: Int64 = 0
            let read = try root.readChunks(path, bufferSize: 1 << 20) {
                size += Int64($0.count)
                try body($0)
            }
            let entry = Entry.file(
                row?.entry.content ?? .none, size: size, mode: read.mode,
                modified: read.stamp.modified)
            return LoadReport(sync: report, entry: entry, version: isOpen ? 0 : row?.version ?? 0)
        case .symlink:
            let target = try root.readLink(path)
            try target.withUnsafeBytes(body)
            return LoadReport(
                sync: report, entry: .symlink(to: target, modified: status.stamp.modified),
                version: isOpen ? 0 : row?.version ?? 0)
        case .directory, .special:
            throw Failure(
                .notFound, path: path.bytes, "Not a regular file.",
                remedy: "See what is in a folder with filesinki ls.")
        }
    }
}
