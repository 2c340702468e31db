import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import Synchronization

/// One root with everything that keeps it in step: what stands behind each `FileSinki`.
final class Core: Sendable {
    let root: String
    let options: ReplicaOptions
    let resolutions = Resolutions()
    let session: Session
    let jobs = Jobs()
    /// Told what nobody waits for, such as a save in the background that was refused.
    let failed: @Sendable (FileSinkiError) -> Void
    private let opened = Mutex<RootFiles?>(nil)
    /// What the program has seen last of each file, so that a save which does not know a newer content
    /// is told from one that replaces it.
    private let seen = Mutex<[RelativePath: Sight]>([:])

    init(
        _ made: ReplicaOptions, _ address: RemoteAddress?, device: String,
        failed: @escaping @Sendable (FileSinkiError) -> Void
    ) {
        var options = made
        options.resolver = resolutions
        root = options.root
        self.options = options
        self.failed = failed
        session = Session(options, address, device: device)
    }

    /// The files of the root, which is made when it is not there.
    var files: RootFiles {
        get throws(Failure) {
            if let found = opened.withLock({ $0 }) { return found }
            let made = try RootFiles(options)
            return opened.withLock { opened in
                if opened == nil { opened = made }
                return opened ?? made
            }
        }
    }

    /// The path below the root that a program's path names: relative, or absolute and inside the root.
    ///
    /// - Throws: Code `bad-path` for the root itself and what lies outside.
    func path(_ text: String) throws -> RelativePath {
        guard text.hasPrefix("/") else { return try RelativePath(text) }
        let folder = root.hasSuffix("/") ? root : root + "/"
        guard text.hasPrefix(folder) else {
            throw Failure(
                .badPath, path: text, "It is outside of the root \(root).",
                remedy: "Use a path below the root.")
        }
        return try RelativePath(String(text.dropFirst(folder.count)))
    }

    // MARK: What the program has seen

    func seen(_ path: RelativePath) -> Sight? { seen.withLock { $0[path] } }

    /// Notes what the program has just saved, or is told in any case.
    func see(_ content: [UInt8]?, at path: RelativePath) {
        seen.withLock { $0[path] = Sight(content) }
    }

    /// Notes what the program is told in place of what it has seen so far.
    ///
    /// - Returns: False when it has saved something else meanwhile: then it is not to be told.
    func see(_ content: [UInt8]?, insteadOf old: [UInt8]?, at path: RelativePath) -> Bool {
        seen.withLock { seen in
            if let last = seen[path], last != Sight(old) { return false }
            seen[path] = Sight(content)
            return true
        }
    }
}
