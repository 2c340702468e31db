import FilesinkiEngine
import FilesinkiModel
import FoundationEssentials

extension FileSinki {
    /// Tells what others change in a file, or with a slash behind the path in everything inside a folder,
    /// once it is here.
    ///
    /// - Parameters:
    ///   - observer: The object that observes. It is not retained. Once it is gone, nothing is called any more, and the
    ///     observation ends with the next change, or when it is cancelled.
    ///   - type: What the files hold. A file that holds something else is skipped; if it is the one
    ///     file that is observed, `failed` of `setup` is called with code `coding`.
    ///   - path: Below the root, or absolute and inside it.
    ///   - root: Which of the user's folders the path is below.
    ///   - itemsDeleted: Called with the path of each file that others have deleted.
    ///   - itemsChanged: Called for each change with the value.
    /// - Returns: The observation, to be cancelled when it is not needed any more.
    @discardableResult
    public static func addObserver<Item: FileSyncable>(
        _ observer: AnyObject, for type: Item.Type, path: String,
        root: Root = .applicationSupportDirectory,
        itemsDeleted: @escaping (_ path: String) -> Void = { _ in },
        itemsChanged: @escaping (_ changed: ChangedItem<Item>) -> Void
    ) -> Subscription {
        let closures = Passed((changed: itemsChanged, deleted: itemsDeleted))
        let form = FileForm(isCompressed: path.hasSuffix(FileForm.compressed.name("")))
        return observe(observer, path, root, form) { core, scope in
            let arrivals = FetchedChanges(core, scope, .typed(Item.self, form))
            return ChangeLoop(poll: { arrivals.poll() }) {
                let arrival = try await arrivals.next()
                let path = String(decoding: arrival.path.bytes, as: UTF8.self)
                return { @Sendable in
                    guard let content = arrival.content else { return closures.value.deleted(path) }
                    let item: Item? = core.value(of: content, at: path, form, scope)
                    guard let item else { return }
                    closures.value.changed(
                        ChangedItem(item: item, localURL: core.url(path), path: path))
                }
            }
        }
    }

    /// Tells what others change in a file, or with a slash behind the path in everything inside a folder.
    /// Nothing is brought here: the program loads what it wants.
    ///
    /// - Parameters:
    ///   - observer: The object that observes. It is not retained. Once it is gone, nothing is called any more, and the
    ///     observation ends with the next change, or when it is cancelled.
    ///   - path: Below the root, or absolute and inside it.
    ///   - root: Which of the user's folders the path is below.
    ///   - itemsChanged: Called for each change and deletion.
    /// - Returns: The observation, to be cancelled when it is not needed any more.
    @discardableResult
    public static func addObserver(
        _ observer: AnyObject, path: String, root: Root = .applicationSupportDirectory,
        itemsChanged: @escaping (_ changed: ChangedFiles) -> Void
    ) -> Subscription {
        let closure = Passed(itemsChanged)
        return observe(observer, path, root, .plain) { core, scope in
            let follower = Follower(core, scope)
            return ChangeLoop(poll: { Task { await follower.poll() } }) {
                let found = try await follower.next()
                let path = String(decoding: found.path.bytes, as: UTF8.self)
                let file = ChangedFile(
                    localURL: core.url(path), path: path, isDeleted: found.isDeleted)
                return { @Sendable in closure.value(ChangedFiles(file)) }
            }
        }
    }

    private static func observe(
        _ observer: AnyObject, _ path: String, _ root: Root, _ form: FileForm,
        _ begin: @escaping @Sendable (Core, EventScope) -> ChangeLoop
    ) -> Subscription {
        let watched = Watched(observer)
        let loop: ChangeLoop
        do {
            let core = try Shared.current.sink(root).core
            loop = begin(core, try EventScope(path, in: core, form))
        } catch {
            Shared.current.setupOptions.failed(FileSinkiError(error, path))
            return Subscription(polling: {})
        }
        let subscription = Subscription(polling: loop.poll)
        Shared.current.add(subscription)
        subscription.start { [subscription] in
            do {
                try await deliver(loop, watched) { !subscription.isCancelled }
            } catch is CancellationError {
                // The observation was cancelled.
            } catch {
                Shared.current.setupOptions.failed(FileSinkiError(error, path))
            }
            subscription.cancel()
        }
        return subscription
    }

    private static func deliver(
        _ loop: ChangeLoop, _ watched: Watched, while isWanted: @escaping @Sendable () -> Bool
    ) async throws {
        while !Task.isCancelled, watched.isThere {
            let call = try await loop.next()
            Shared.current.callProgram {
                if watched.isThere, isWanted() { call() }
            }
        }
    }
}

/// One step of an observer's task.
private struct ChangeLoop: Sendable {
    /// Polls the remote now.
    var poll: @Sendable () -> Void
    /// Waits for the next change, and returns the call of the closure.
    var next: @Sendable () async throws -> @Sendable () -> Void
}

/// The object that observes, by a weak reference.
private final class Watched: @unchecked Sendable {
    private weak var observer: AnyObject?

    init(_ observer: AnyObject) { self.observer = observer }

    var isThere: Bool { observer != nil }
}

extension Core {
    /// The value in the bytes of an observed file; nil when they are not one.
    ///
    /// A folder may hold files of several types, so an undecodable file is reported only when it is
    /// observed by its name.
    func value<Value: Decodable>(
        of file: [UInt8], at path: String, _ form: FileForm, _ scope: EventScope
    ) -> Value? {
        do {
            return try form.value(of: file, path)
        } catch {
            if scope.isFile { failed(error) }
            return nil
        }
    }

    fileprivate func url(_ path: String) -> URL { URL(filePath: root + "/" + path) }
}

/// An observation, which lasts until it is cancelled.
public final class Subscription: Sendable {
    private let task = Box<Task<Void, Never>?>(nil)
    private let polling: @Sendable () -> Void

    init(polling: @escaping @Sendable () -> Void) { self.polling = polling }

    func start(_ body: @escaping @Sendable () async -> Void) {
        task.value = Task { await body() }
    }

    /// Polls the remote now, without waiting for a change hint.
    func poll() { polling() }

    /// Ends the observation. A closure that is running is not interrupted; no other one is called.
    public func cancel() {
        task.value?.cancel()
        Shared.current.remove(self)
    }

    /// Whether it was cancelled.
    public var isCancelled: Bool { task.value?.isCancelled ?? false }
}
