public import Dispatch
import FilesinkiEngine
import FilesinkiModel
import FilesinkiNetwork
import FilesinkiRemote
import FilesinkiRules
import FilesinkiSystem
public import FoundationEssentials
import Glibc

/// A folder whose files are kept in step with other devices.
///
/// ```swift
/// let sinki = try await FileSinki(root: folder, remote: "dir:/mnt/shared/game")
/// let outcome = try await sinki.save(game, to: "SaveGames/player1.save")
/// let best = try await sinki.load(SaveGame.self, from: "SaveGames/player1.save")
/// ```
///
/// Files are written here at once and durably; what cannot be published now is published later, also by
/// a later process. Where two devices change one file, the methods of ``FileSyncable`` and ``FileMergable``
/// decide, once for each such divergence. Other processes, and the `filesinki` command, may work on the
/// same root meanwhile.
///
/// When the last reference goes, what is in flight is finished, and nothing is tried again.
public final class FileSinki: Sendable {
    let core: Core

    init(core: Core) { self.core = core }

    deinit { core.jobs.stop() }

    /// Opens a root, and makes it a replica if necessary.
    ///
    /// - Parameters:
    ///   - root: The folder; it is made when it is not there.
    ///   - remote: Where devices meet: `dir:/path`, `ssh://`, `host:path`, `http(s)://` of a
    ///     `filesinki serve`, `webdav(s)://`, `s3://` or `rclone:NAME:PATH`. Nil for the remote that the root has.
    ///   - device: This device's name, for people. Nil for the name of the machine.
    ///   - state: Where the root's state is kept, on the same file system; nil for `.filesinki` in it.
    ///   - failed: Called with errors that no caller waits for, such as a save that was retried and refused.
    /// - Throws: Code `usage` for an address that is not understood, `exists` when the root has another
    ///   remote, `unfit-store` when the place cannot keep a store. A remote that is away is no error.
    public convenience init(
        root: URL, remote: String? = nil, device: String? = nil, state: URL? = nil,
        failed: @escaping @Sendable (FileSinkiError) -> Void = { _ in }
    ) async throws(FileSinkiError) {
        let core = try Core(
            root: root.path, remote: remote, device: device, state: state?.path, failed: failed)
        self.init(core: core)
        try await withPublicErrors(root.path) { try await core.session.make() }
    }

    /// The folder that is kept in step.
    public var root: URL { URL(filePath: core.root, directoryHint: .isDirectory) }

    /// Where a file is.
    ///
    /// - Throws: Code `bad-path` for the root itself and for a path outside of it.
    public func url(of path: String) throws(FileSinkiError) -> URL {
        do {
            return root.appending(path: String(decoding: try core.path(path).bytes, as: UTF8.self))
        } catch {
            throw FileSinkiError(error, path)
        }
    }

    /// Publishes what waits, and brings here whatever others have changed, of all files.
    ///
    /// Files that this process has not saved, loaded or observed are resolved by the rules of the root,
    /// as the `filesinki` command does.
    ///
    /// - Throws: Code `away` when the remote cannot be reached.
    public func sync() async throws(FileSinkiError) {
        try await withPublicErrors(core.root) { [core] in
            let report = try await core.sync()
            if let failure = report.away ?? report.stopped { throw failure }
            if let problem = report.problems.first { throw problem.failure }
        }
    }

    /// Waits until all that was begun in the background is done, or waits for a remote that is away.
    public func settled() async { await core.jobs.settled() }
}

extension Core {
    /// - Throws: Code `usage` for an address that is not understood.
    convenience init(
        root: String, remote: String?, device: String?, state: String?,
        systemContext: SystemContext = .ofMachine,
        failed: @escaping @Sendable (FileSinkiError) -> Void
    ) throws(FileSinkiError) {
        var address: RemoteAddress?
        if let remote { address = try RemoteAddress(remote) }
        var options = ReplicaOptions(
            root: root.count > 1 && root.hasSuffix("/") ? String(root.dropLast()) : root,
            state: state, lockWait: .seconds(60), systemContext: systemContext,
            configuration: Settings.userFile { name in getenv(name).map { String(cString: $0) } },
            connect: RemoteAddress.connector(systemContext))
        options.connect = RemoteAddress.connector(
            systemContext, RemoteAccess(pinned: options.stateFolder.access))
        self.init(options, address, device: device ?? nameOfHost(), failed: failed)
    }
}

extension FileSinki {
    /// Says where devices meet. The one call that is another one than on Apple's systems; before it,
    /// files are kept here and go nowhere.
    ///
    /// - Parameters:
    ///   - remote: `dir:/path`, `ssh://`, `host:path`, `http(s)://` of a `filesinki serve`, `webdav(s)://`
    ///     or `s3://`; nil for none. ``Root/documentDirectory`` and ``Root/cachesDirectory`` meet beside it, at the same
    ///     address with `-documents` and `-caches` behind its path; where it has none, as
    ///     `s3://bucket`, their path is `documents` and `caches`.
    ///   - root: The folder of ``Root/applicationSupportDirectory``; nil for the one of this program.
    ///   - name: What the program's folders are called; nil for the name of its file.
    ///   - device: This device's name, for people; nil for the name of the machine.
    ///   - queue: Where closures are called. The main queue must be served: by a run loop,
    ///     `dispatchMain()`, or an `await` of the main actor.
    ///   - failed: Called on any thread with what went wrong; the other closures are called on success only.
    public static func setup(
        remote: String?, root: URL? = nil, name: String? = nil, device: String? = nil,
        queue: DispatchQueue = .main,
        failed: @escaping @Sendable (FileSinkiError) -> Void = { _ in }
    ) {
        var setupOptions = Shared.SetupOptions()
        setupOptions.remote = remote
        setupOptions.root = root?.path
        setupOptions.name = name ?? setupOptions.name
        setupOptions.device = device
        setupOptions.queue = queue
        setupOptions.failed = failed
        Shared.current.setUp(setupOptions)
    }

    /// Looks at once for what others have changed, and tries again what waits. Never needed: it is found
    /// in any case; call it where a program comes back to the front.
    public static func didBecomeActive() {
        for sink in Shared.current.sinks { sink.core.retryNow() }
        for observer in Shared.current.observers { observer.poll() }
    }

    /// Does what ``didBecomeActive()`` does: there are no notifications here that would say more.
    public static func receivedNotification(_ userInfo: [AnyHashable: Any]) { didBecomeActive() }

    /// Waits until every closure that is on its way was called, and all that was saved is published or
    /// waits for a remote that is away. For programs that end after their work is done, and for tests.
    public static func settled() async {
        await Shared.current.settled()
        for sink in Shared.current.sinks { await sink.settled() }
        await Shared.current.settled()
    }
}
