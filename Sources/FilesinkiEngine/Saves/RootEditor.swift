import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Writes single paths of the root, in place of what the last run found there.
struct RootEditor: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// What the last run found at a path, so that nothing is replaced or removed that came since.
    ///
    /// A path that no run looks at, as an ignored one, counts as absent: what is there is nowhere else.
    func expectation(at path: RelativePath) throws -> Expectation {
        if let row = try manifest.local(path) {
            return row.entry.map { expectation($0, row.stamp, at: path) } ?? .absent
        }
        return try manifest.base(path).map(expectation) ?? .absent
    }

    /// What a base row says of the tree.
    func expectation(_ row: BaseRow?) -> Expectation {
        row.map { expectation($0.entry, $0.stamp, at: $0.path) } ?? .absent
    }

    /// Of a live file the content counts, because its stamp says little.
    private func expectation(
        _ entry: Entry, _ stamp: FileStamp?, at path: RelativePath
    ) -> Expectation {
        if let stamp, !root.isLive(path) { return .stamp(stamp) }
        switch entry.kind {
        case .file: return .content(entry.content, size: entry.size)
        case .symlink: return .link(entry.target)
        case .directory, .tombstone: return .absent
        }
    }

    /// Puts content at a path of the root.
    ///
    /// - Returns: The content's identity; nil when something else was found than expected, which stays.
    func place(
        _ path: RelativePath, mode: UInt16, expecting expected: Expectation = .any,
        content write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> ContentID? {
        let staging = try Staging(root: root, folder: state.staging)
        let writer = TreeWriter(root: root, staging: staging, sync: .each)
        try writer.makeFolders(above: path)
        let (staged, content) = try stage(
            path, in: staging, mode: mode, content: write)
        let outcome = try writer.install(staged, at: path, expecting: expected)
        if case .surprised = outcome { return nil }
        return content
    }

    /// Makes a file ready that is to be put at a path. One that is there keeps its mode.
    ///
    /// - Throws: Code `exists` where the path is a folder.
    func stage(
        _ path: RelativePath, in staging: Staging, mode: UInt16, modified: Timestamp? = nil,
        content write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> (file: StagedFile, content: ContentID) {
        let mode = try root.modeToKeep(at: path) ?? mode
        let staged = try staging.makeFile()
        var hasher = ContentHasher()
        try write { bytes in
            hasher.update(bytes)
            try staged.write(bytes)
        }
        try staged.finish(mode: mode, modified: modified ?? systemContext.now(), sync: true)
        return (staged, hasher.finish())
    }

    /// Writes an entry of the history into the root, in place of what the last run found there.
    ///
    /// - Parameter contents: Where the entry's content is.
    /// - Returns: False when something else was found, which stays.
    func put(
        _ entry: Entry, at path: RelativePath, from contents: ContentSource
    ) async throws -> Bool {
        let expected = try expectation(at: path)
        let writer = try makeWriter()
        let outcome: InstallOutcome
        switch entry.kind {
        case .file:
            let staged = try Staging(root: root, folder: state.staging).makeFile()
            try await contents.stream(entry.content, size: entry.size) { try staged.write($0) }
            try writer.makeFolders(above: path)
            try staged.finish(mode: entry.mode, modified: entry.modified, sync: true)
            outcome = try writer.install(staged, at: path, expecting: expected)
        case .symlink:
            try writer.makeFolders(above: path)
            outcome = try writer.makeSymlink(
                target: entry.target, at: path, modified: entry.modified, expecting: expected)
        case .directory:
            try writer.makeFolders(above: path)
            outcome = try writer.makeDirectory(path, mode: entry.mode)
        case .tombstone:
            guard try root.status(path) != nil else { return true }
            outcome = try writer.remove(path, expecting: expected)
        }
        if case .surprised = outcome { return false }
        return true
    }

    func makeWriter() throws -> TreeWriter {
        TreeWriter(
            root: root, staging: try Staging(root: root, folder: state.staging), sync: .each)
    }
}

extension Problem {
    /// - Parameter deed: What was to be done with the path, as `deleted`.
    static func changedMeanwhile(_ path: RelativePath, _ deed: String) -> Problem {
        Problem(
            path,
            Failure(
                .changing, path: path.bytes,
                "The path changed while it was being \(deed). The new content was kept.",
                remedy: "Run the command again if you still mean it."))
    }
}
