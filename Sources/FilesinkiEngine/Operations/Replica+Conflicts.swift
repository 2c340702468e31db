import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiStore

/// A conflict that waits for a person.
package struct OpenConflict: Sendable {
    package var path: RelativePath
    package var base: Entry?
    package var here: Entry?
    package var there: Entry?
    /// Where the content that gave way is kept; nil when both sides stay as they are.
    package var copy: RelativePath?
    package var rule: String
    package var time: Timestamp
}

/// Which content ends a conflict.
package enum Resolution: Sendable {
    /// What is at the path in this replica.
    case here
    /// What is committed; with a conflict copy, what the copy gave way to.
    case there
    /// What both sides started from.
    case base
    /// An older or newer version of the path.
    case version(UInt64)
    /// Bytes of the user's own.
    case bytes([UInt8])
}

extension Replica {
    /// The conflicts that are open, the oldest first. One whose copy the user has removed is over.
    package func conflicts() throws -> [OpenConflict] {
        try manifest.conflicts(.open).filter { row in
            guard let copy = row.copyPath else { return true }
            return try root.status(copy) != nil
        }.map { row in
            OpenConflict(
                path: row.path, base: row.base, here: row.here, there: row.there,
                copy: row.copyPath, rule: row.rule, time: row.time)
        }
    }

    /// Ends the open conflicts of a path: the chosen content gets the name, a copy goes.
    ///
    /// - Throws: Code `not-found` when there is no conflict, or no such content.
    package func resolve(
        _ path: RelativePath, _ resolution: Resolution, _ options: SyncOptions
    ) async throws -> SyncReport {
        let rows = try manifest.openConflicts(at: path)
        guard let row = rows.last else {
            throw Failure(
                .notFound, path: path.bytes, "There is no open conflict.",
                remedy: "See the open ones with filesinki conflicts.")
        }
        try await put(resolution, row)
        for copy in rows.compactMap(\.copyPath) where try root.status(copy) != nil {
            _ = try makeWriter().remove(copy, expecting: .any)
        }
        try acknowledge(path)
        var options = options
        // What is at the path now is the user's own word.
        options.strategy = Strategy([.choice(.here)])
        let report = try await runPaths([path] + rows.compactMap(\.copyPath), options)
        try manifest.write { writer in
            for row in rows { try writer.resolveConflict(row.id) }
        }
        return report
    }

    /// The person has seen what is committed and answers it: from now on the path is based on it.
    private func acknowledge(_ path: RelativePath) throws {
        guard let there = try manifest.remote(path) else { return }
        try manifest.write { writer in
            try writer.removeRemote(path)
            if there.entry.entry.kind == .tombstone {
                try writer.removeBase(path)
            } else {
                try writer.putBase(
                    BaseRow(
                        path: path, entry: there.entry.entry, version: there.entry.version,
                        stamp: nil))
            }
        }
    }

    private func put(_ resolution: Resolution, _ row: ConflictRow) async throws {
        let path = row.path
        switch resolution {
        case .here:
            if row.copyPath != nil, let here = row.here { try await put(here, at: path) }
        case .there:
            try await putSide(row.there, at: path)
        case .base:
            try await putSide(row.base, at: path)
        case .version(let version):
            guard let entry = try await entry(path, at: version) else {
                throw Self.noSuchSide(path)
            }
            try await putSide(entry, at: path)
        case .bytes(let bytes):
            _ = try place(path, mode: 0o644) { try bytes.withUnsafeBytes($0) }
        }
    }

    private func putSide(_ entry: Entry?, at path: RelativePath) async throws {
        guard let entry else { throw Self.noSuchSide(path) }
        if entry.kind == .tombstone {
            _ = try makeWriter().remove(path, expecting: .any)
        } else {
            try await put(entry, at: path)
        }
    }

    private static func noSuchSide(_ path: RelativePath) -> Failure {
        Failure(
            .notFound, path: path.bytes, "That side of the conflict has no content.",
            remedy: "Choose another one; filesinki conflicts shows them.")
    }
}
