import Dispatch
import FilesinkiSystem
import Glibc

/// Tells that a file was written, by inotify(7), without a thread that waits for it.
package enum WriteNotices {
    /// Hears of every file in a folder whose name begins like that. What is written before the last
    /// notice is taken counts as one.
    ///
    /// - Returns: Nil when the kernel gives the user no more watches, or the folder cannot be watched.
    package static func hear(in folder: String, prefix: String) -> AsyncStream<Void>? {
        guard let inotify = Inotify(),
            let opened = try? FileHandle(folder, O_RDONLY | O_DIRECTORY),
            case .watched = inotify.watch(opened)
        else { return nil }
        let (notices, continuation) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let source = DispatchSource.makeReadSource(fileDescriptor: inotify.file)
        source.setEventHandler {
            if inotify.read().contains(where: { isAbout(prefix, $0) }) { continuation.yield() }
        }
        // The descriptor stays open until the source has let go of it.
        source.setCancelHandler { withExtendedLifetime(inotify) {} }
        let hearing = Hearing(source: source)
        continuation.onTermination = { _ in hearing.end() }
        source.activate()
        return notices
    }

    /// An overflow names nothing, and may be about anything.
    static func isAbout(_ prefix: String, _ event: InotifyEvent) -> Bool {
        event.has(IN_Q_OVERFLOW) || event.name.starts(with: prefix.utf8)
    }
}

/// A source of notices, which any thread may end.
private struct Hearing: @unchecked Sendable {
    let source: any DispatchSourceRead

    func end() { source.cancel() }
}
