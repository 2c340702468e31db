package import FilesinkiModel
package import FilesinkiWatch

/// What a watch is asked to do.
package struct WatchOptions: Sendable {
    /// When changes have come to rest.
    package var settling = Debouncer.Limits()
    /// When to look without having heard anything, and the pauses after failures.
    package var agenda = WatchScheduler.Limits()
    /// How often the remote is asked although it told nothing.
    package var poll = Duration.seconds(30)
    /// Bounds in place of the system's own, for tests.
    package var bounds = TreeWatch.Bounds()
    /// What each run is asked to do.
    package var sync = SyncOptions()

    package init() {}
}

/// What a person or a program may want to know of a watch.
package enum WatchNotice: Sendable {
    /// Everything is heard of from now on; so many folders are watched.
    case began(folders: Int)
    /// A run that did something, or has to say something that was not said before.
    case ran(SyncReport)
    /// The remote is away, or another run at work; the watch tries again.
    case away(Failure)
    /// The remote is back.
    case back
    /// A run failed; the watch tries again.
    case trouble(Failure)
    /// Not all of the tree is heard of, so it is looked at now and then.
    case shortage(TreeWatch.Shortage)
    /// The rules were read anew.
    case rulesRead
    /// Everything is looked at, and why.
    case lookingAtAll(LocalNotice.Reason)
}
