public import Dispatch
public import FoundationEssentials

extension FileSinki {
    /// Says where devices meet. The one call that is another one than on Apple's systems; before it,
    /// files are kept here and go nowhere.
    ///
    /// - Parameters:
    ///   - remote: `dir:/path`, `http(s)://` of a `filesinki serve`, `webdav(s)://` or `s3://`; nil for
    ///     none. ``Root/documentDirectory`` and ``Root/cachesDirectory`` meet beside it, at the same
    ///     address with `-documents` and `-caches` behind its path; where it has none, as
    ///     `s3://bucket`, their path is `documents` and `caches`.
    ///   - root: The folder of ``Root/applicationSupportDirectory``; nil for the one of this program.
    ///   - name: What the program's folders are called; nil for the name of its file.
    ///   - device: This device's name, for people; nil for the name of the machine.
    ///   - queue: Where closures are called. On the main queue somebody has to be at work: a run loop,
    ///     `dispatchMain()`, or an `await` of the main actor.
    ///   - failed: Told on any thread what went wrong; the other closures are only told what went well.
    public static func setup(
        remote: String?, root: URL? = nil, name: String? = nil, device: String? = nil,
        queue: DispatchQueue = .main,
        failed: @escaping @Sendable (FileSinkiError) -> Void = { _ in }
    ) {
        var wishes = Shared.Wishes()
        wishes.remote = remote
        wishes.root = root?.path
        wishes.name = name ?? wishes.name
        wishes.device = device
        wishes.queue = queue
        wishes.failed = failed
        Shared.current.setUp(wishes)
    }

    /// Looks at once for what others have changed, and tries again what waits. Never needed: it is found
    /// in any case; call it where a program comes back to the front.
    public static func didBecomeActive() {
        for sink in Shared.current.sinks { sink.core.retryNow() }
        for observer in Shared.current.observers { observer.look() }
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
