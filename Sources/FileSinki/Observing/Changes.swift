import FilesinkiEngine
import FilesinkiModel
public import FoundationEssentials

/// The changes of other devices, as they happen. Each change is synced before it is returned; changes of this
/// device are not returned. The sequence ends with the task that reads it.
///
/// It begins with what is not here yet when it is first asked. A remote that is away is waited for.
public struct Changes<Item: Sendable>: AsyncSequence, Sendable {
    /// One change.
    public typealias Element = Change<Item>
    /// What it may throw.
    public typealias Failure = FileSinkiError

    let begin: @Sendable () throws(FileSinkiError) -> (FetchedChanges, EventScope)
    let value: @Sendable ([UInt8], String, EventScope) -> Item?
    let path: String

    /// Begins to observe; each iterator hears of everything by itself.
    public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

    /// Waits as it is asked.
    public struct Iterator: AsyncIteratorProtocol {
        let changes: Changes
        private var begun: (arrivals: FetchedChanges, scope: EventScope)?

        init(changes: Changes) { self.changes = changes }

        /// Waits for the next change; nil when the task was cancelled.
        ///
        /// - Throws: Code `wrong-store`, `corrupt` and the like, when it makes no sense to go on.
        public mutating func next() async throws(FileSinkiError) -> Change<Item>? {
            if begun == nil { begun = try changes.begin() }
            guard let (arrivals, scope) = begun else { return nil }
            while true {
                let arrival: FetchedChange
                do {
                    arrival = try await arrivals.next()
                } catch is CancellationError {
                    return nil
                } catch {
                    throw FileSinkiError(error, changes.path)
                }
                let path = String(decoding: arrival.path.bytes, as: UTF8.self)
                guard let content = arrival.content else { return .deleted(path: path) }
                if let item = changes.value(content, path, scope) {
                    return .changed(item, path: path)
                }
            }
        }
    }
}

extension FileSinki {
    /// What others change in a file, or with a slash behind the path in everything inside a folder.
    ///
    /// A file that does not hold a value of the type is skipped; if it is the one file that is observed,
    /// `failed` of ``init(root:remote:device:state:failed:)`` is called with code `coding`.
    public func changes<Item: FileSyncable & Sendable>(
        of type: Item.Type, at path: String, compressed: Bool = false
    ) -> Changes<Item> {
        let form = FileForm(isCompressed: compressed)
        return changes(path, form, .typed(Item.self, form)) { [core] file, path, scope in
            core.value(of: file, at: path, form, scope)
        }
    }

    /// What others change in a file of any kind, or with a slash behind the path in everything inside a
    /// folder; an empty path for all of the root.
    ///
    /// What was changed here, too, is resolved as the program's last save or load of the file said, else
    /// by the rules of the root.
    public func changes(at path: String) -> Changes<Data> {
        changes(path, .plain, nil) { file, _, _ in Data(file) }
    }

    private func changes<Item: Sendable>(
        _ path: String, _ form: FileForm, _ handler: Handler?,
        _ value: @escaping @Sendable ([UInt8], String, EventScope) -> Item?
    ) -> Changes<Item> {
        // The sequence keeps all of it alive.
        let sinki = self
        return Changes(
            begin: { () throws(FileSinkiError) in
                do {
                    let scope = try EventScope(path, in: sinki.core, form)
                    return (FetchedChanges(sinki.core, scope, handler), scope)
                } catch {
                    throw FileSinkiError(error, path)
                }
            }, value: value, path: path)
    }
}

/// What another device has changed, once it is here.
public enum Change<Item> {
    /// This is in the file now.
    case changed(Item, path: String)
    /// The file was deleted.
    case deleted(path: String)

    /// Below the root.
    public var path: String {
        switch self {
        case .changed(_, let path), .deleted(let path): path
        }
    }

    /// The value; nil after a deletion.
    public var item: Item? {
        switch self {
        case .changed(let item, _): item
        case .deleted: nil
        }
    }
}

extension Change: Sendable where Item: Sendable {}
extension Change: Equatable where Item: Equatable {}

/// A value that another device has changed.
public struct ChangedItem<Item> {
    /// What is in the file now.
    public let item: Item
    /// Where the file is.
    public let localURL: URL
    /// The file's path below the root.
    public let path: String
}

extension ChangedItem: Sendable where Item: Sendable {}

/// A file that another device has changed or deleted.
public struct ChangedFile: Sendable, Hashable {
    /// Where the file is.
    public let localURL: URL
    /// The file's path below the root.
    public let path: String
    /// Whether it was deleted.
    public let isDeleted: Bool
}

/// The files that one change is about: at least one. For who needs only one, they have its properties.
public struct ChangedFiles: RandomAccessCollection, Sendable, Hashable {
    private let first: ChangedFile
    private let others: [ChangedFile]

    init(_ first: ChangedFile, _ others: [ChangedFile] = []) {
        self.first = first
        self.others = others
    }

    /// Where the first file is.
    public var startIndex: Int { 0 }
    /// Behind the last file.
    public var endIndex: Int { others.count + 1 }
    /// One of the files.
    public subscript(index: Int) -> ChangedFile { index == 0 ? first : others[index - 1] }

    /// Where the first file is.
    public var localURL: URL { first.localURL }
    /// The first file's path below the root.
    public var path: String { first.path }
    /// Whether the first file was deleted.
    public var isDeleted: Bool { first.isDeleted }
}
