import FilesinkiFileSystem
import FilesinkiHashing
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiReconcile
import FilesinkiStore

/// Writes single paths of the root, and replaces only what the last run found there.
struct RootEditor: ReplicaPart {
    let replica: ReplicaContext

    init(_ replica: ReplicaContext) { self.replica = replica }

    /// Returns what the last run found at a path, to be checked before the path is replaced or
    /// removed.
    ///
    /// A path that runs skip, such as an ignored one, is expected to be absent: its content exists
    /// nowhere else.
    func expectation(at path: RelativePath) throws -> Expectation {
        if let row = try manifest.local(path) {
            return row.entry.map { expectation($0, row.stamp, at: path) } ?? .absent
        }
        return try manifest.base(path).map(expectation) ?? .absent
    }

    /// Returns the expectation of a base row; absent for nil.
    func expectation(_ row: BaseRow?) -> Expectation {
        row.map { expectation($0.entry, $0.stamp, at: $0.path) } ?? .absent
    }

    /// A live database is compared by content, because its stamp changes without an edit.
    private func expectation(
        _ entry: Entry, _ stamp: FileStamp?, at path: RelativePath
    ) -> Expectation {
        // A symlink is what it leads to, whenever it was written. What takes the place of a removed folder expects nothing there.
        if entry.kind == .file, let stamp, !root.isLive(path) { return .stamp(stamp) }
        switch entry.kind {
        case .file: return .content(entry.content, size: entry.size)
        case .symlink: return .link(entry.target)
        case .directory, .tombstone: return .absent
        }
    }

    /// Writes content at a path of the root, and creates missing parent folders.
    ///
    /// - Returns: What was installed; nil if something unexpected was found at the path, which stays.
    func place(
        _ path: RelativePath, mode: UInt16, expecting expected: Expectation = .any,
        content write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> InstalledContent? {
        let writer = try makeWriter()
        try writer.makeFolders(above: path)
        let staged = try stage(path, in: writer.staging, mode: mode, content: write)
        return try install(staged, at: path, by: writer, expecting: expected)
    }

    /// Installs a staged content at a path, whose folders are there.
    ///
    /// - Returns: As ``place(_:mode:expecting:content:)``.
    func install(
        _ staged: StagedContent, at path: RelativePath, by writer: TreeWriter,
        expecting expected: Expectation = .any
    ) throws -> InstalledContent? {
        let outcome = try writer.install(staged.file, at: path, expecting: expected)
        switch outcome {
        case .surprised: return nil
        case .done(let status), .overtaken(let status):
            // The content of a live file is its snapshot, not the bytes of the file.
            return InstalledContent(
                path: path, content: staged.content,
                bytes: root.isLive(path) ? nil : staged.bytes, stamp: status.stamp)
        }
    }

    /// Writes a file to the staging folder, durably, and hashes it. It gets the mode of the file at the
    /// path, if there is one.
    ///
    /// - Throws: Code `exists` if the path is a folder.
    func stage(
        _ path: RelativePath, in staging: Staging, mode: UInt16, modified: Timestamp? = nil,
        content write: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedContent {
        let mode = try root.modeToKeep(at: path) ?? mode
        let staged = try staging.makeFile()
        var hasher = ContentHasher()
        var kept: [UInt8]? = []
        try write { bytes in
            hasher.update(bytes)
            try staged.write(bytes)
            if let count = kept?.count, count + bytes.count <= StagedContent.keptBytes {
                kept?.append(contentsOf: bytes)
            } else {
                kept = nil
            }
        }
        try staged.finish(mode: mode, modified: modified ?? systemContext.now(), sync: true)
        return StagedContent(file: staged, content: hasher.finish(), bytes: kept)
    }

    /// Writes an entry of the history into the root.
    ///
    /// - Parameters:
    ///   - contents: The source of the entry's content.
    ///   - expected: What may be replaced; nil for what the last run has found there.
    /// - Returns: False if something unexpected was found at the path, which stays.
    func write(
        _ entry: Entry, at path: RelativePath, from contents: ContentSource,
        expecting expected: Expectation? = nil
    ) async throws -> Bool {
        let expected = try expected ?? expectation(at: path)
        let writer = try makeWriter()
        let outcome: InstallOutcome
        switch entry.kind {
        case .file:
            let staged = try writer.staging.makeFile()
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

extension SyncEngine {
    /// Runs what follows a change that a command has made in the root. If it fails, the failure says that the change
    /// was made: the next run publishes it.
    ///
    /// - Parameter done: What the command did, such as `Deleted here`.
    func afterChange<Result: Sendable>(
        _ done: String, at path: RelativePath, _ body: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let failure as Failure {
            throw failure.saying(done, at: path)
        }
    }
}

extension Failure {
    /// The same failure with what was done here before it, and is not yet published.
    func saying(_ done: String, at changed: RelativePath) -> Failure {
        var failure = self
        let place = path == changed.bytes ? "" : "\(changed): "
        let kept = "\(place)\(done)\(Self.unpublished)"
        failure.remedy += remedy.isEmpty ? kept : " " + kept
        failure.isMadeHere = true
        return failure
    }

    private static let unpublished = ", not yet published; the next run that can will do that."

    /// What was done here, without why it is not published.
    package func madeHere(_ done: String) -> Failure {
        Failure(code, path: path, done + Self.unpublished, remedy: "")
    }
}

extension Problem {
    /// Reports a path that changed while a command worked on it.
    ///
    /// - Parameter action: What the command did to the path, such as `deleted`.
    static func changedMeanwhile(_ path: RelativePath, _ action: String) -> Problem {
        Problem(
            path,
            Failure(
                .changing, path: path.bytes,
                "The path changed while it was being \(action). The new content was kept.",
                remedy: "Run the command again if you still mean it."))
    }
}
