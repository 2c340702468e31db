import FilesinkiEngine
import FilesinkiModel
public import FoundationEssentials

extension FileSinki {
    /// Saves a value: here at once and durably, and then at the remote.
    ///
    /// - Parameters:
    ///   - item: What to save.
    ///   - path: Below the root, or absolute and inside it. Folders are made.
    ///   - compressed: Whether the file is compressed, and has `.zst` behind its name.
    /// - Returns: What came of it, also where another device had changed the file, too.
    /// - Throws: Code `coding`, `bad-path`, `io` or `full` when nothing was saved; another one when the
    ///   value is here and cannot be published. A remote that is away is no error.
    @discardableResult
    public func save<Item: FileSyncable & Sendable>(
        _ item: Item, to path: String, compressed: Bool = false
    ) async throws(FileSinkiError) -> SaveOutcome<Item> {
        let form = FileForm(isCompressed: compressed)
        let content = try ValueCoder.encode(item, path)
        return try await withPublicErrors(path) { [core] in
            let ended = try await core.save(
                content, to: path, form, Handler.typed(Item.self, form))
            return try ended.outcome { file in
                try ValueCoder.decode(try form.content(of: file, path), path)
            }
        }
    }

    /// The best value that there is: what is here, after a look at the remote.
    ///
    /// - Returns: Nil if the file is known not to exist.
    /// - Throws: Code `away` when nothing is here and the remote cannot be asked; `coding` when the file
    ///   holds something else, `corrupt` when what the remote has is damaged.
    public func load<Item: FileSyncable & Sendable>(
        _ type: Item.Type, from path: String, compressed: Bool = false
    ) async throws(FileSinkiError) -> Item? {
        let form = FileForm(isCompressed: compressed)
        return try await withPublicErrors(path) { [core] in
            guard let file = try await core.load(path, form, Handler.typed(Item.self, form)) else {
                return nil
            }
            return try ValueCoder.decode(try form.content(of: file, path), path)
        }
    }

    /// The value that is here, at once, and then what the remote makes of it, if that is something else.
    public func loads<Item: FileSyncable & Sendable>(
        _ type: Item.Type, from path: String, compressed: Bool = false
    ) -> Loads<Item> {
        let form = FileForm(isCompressed: compressed)
        return loads(from: path, form, Handler.typed(Item.self, form)) {
            file throws(FileSinkiError) in try form.value(of: file, path)
        }
    }

    /// Deletes a file, here at once and then everywhere. What it held stays in the history.
    ///
    /// - Throws: Code `bad-path` or `io` when nothing was deleted.
    @discardableResult
    public func delete(
        _ path: String, compressed: Bool = false
    ) async throws(FileSinkiError) -> DeleteOutcome {
        let name = FileForm(isCompressed: compressed).name(path)
        return try await withPublicErrors(path) { [core] in
            try await core.delete(try core.path(name))
        }
    }

    func loads<Item: Sendable>(
        from path: String, _ form: FileForm, _ handler: Handler,
        _ decode: @escaping @Sendable ([UInt8]) throws(FileSinkiError) -> Item
    ) -> Loads<Item> {
        let core = core
        let name = form.name(path)
        let first = Box<[UInt8]?>(nil)
        return Loads {
            () throws(FileSinkiError) in
            do {
                let place = try core.path(name)
                let file = try core.files.read(place)
                core.recordSeen(file, at: place)
                first.value = file
                return file.flatMap { try? decode($0) }
            } catch {
                throw FileSinkiError(error, path)
            }
        } there: {
            () async throws(FileSinkiError) in
            try await withPublicErrors(path) {
                let result = try await core.refresh(try core.path(name), handler)
                if let away = result.report.away {
                    core.submitWaiting(try core.path(name), handler)
                    throw away
                }
                guard result.content != first.value else { return nil }
                _ = core.recordSeen(result.content, insteadOf: first.value, at: try core.path(name))
                return Loaded(
                    item: try result.content.map(decode), wasRemote: true, isFinal: true)
            }
        }
    }
}

extension FileSinki {
    /// Makes one content of two; nil where it cannot, so that the rules of the root decide: by default
    /// both contents are kept side by side.
    ///
    /// The three are what is here, what another device has published, and what both started from, nil
    /// if that is not available. It is called once for each divergence, on a background thread; nothing is
    /// locked while it waits.
    public typealias BytesMerge =
        @Sendable (_ here: Data, _ there: Data, _ base: Data?) async -> Data?

    /// Saves bytes: here at once and durably, and then at the remote.
    ///
    /// - Parameters:
    ///   - data: What to save.
    ///   - path: Below the root, or absolute and inside it. Folders are made.
    ///   - compressed: Whether the file is compressed, and has `.zst` behind its name.
    ///   - merge: Makes one content of two where another device has changed the file, too.
    /// - Throws: As ``save(_:to:compressed:)`` for values does.
    @discardableResult
    public func save(
        _ data: Data, to path: String, compressed: Bool = false, merge: BytesMerge? = nil
    ) async throws(FileSinkiError) -> SaveOutcome<Data> {
        let form = FileForm(isCompressed: compressed)
        return try await withPublicErrors(path) { [core] in
            let ended = try await core.save(
                Array(data), to: path, form, Handler.merging(form, merge))
            return try ended.outcome { Data(try form.content(of: $0, path)) }
        }
    }

    /// The best bytes that there are: what is here, after a look at the remote.
    ///
    /// - Returns: Nil when it is known that there is no file.
    /// - Throws: Code `away` when nothing is here and the remote cannot be asked.
    public func load(
        from path: String, compressed: Bool = false, merge: BytesMerge? = nil
    ) async throws(FileSinkiError) -> Data? {
        let form = FileForm(isCompressed: compressed)
        return try await withPublicErrors(path) { [core] in
            guard let file = try await core.load(path, form, Handler.merging(form, merge)) else {
                return nil
            }
            return Data(try form.content(of: file, path))
        }
    }

    /// The bytes that are here, at once, and then what the remote makes of them, if that is something
    /// else.
    public func loads(
        from path: String, compressed: Bool = false, merge: BytesMerge? = nil
    ) -> Loads<Data> {
        let form = FileForm(isCompressed: compressed)
        return loads(from: path, form, Handler.merging(form, merge)) {
            file throws(FileSinkiError) in Data(try form.content(of: file, path))
        }
    }
}

extension Handler {
    /// Resolves by a closure that may wait; nil for the chain of rules.
    static func merging(_ form: FileForm, _ merge: FileSinki.BytesMerge?) -> Handler {
        guard let merge else { return .bytes(form, nil) }
        return .bytes(form) { here, there, base, reply in
            Task {
                let merged = await merge(Data(here), Data(there), base.map { Data($0) })
                reply.give(merged.map { Array($0) }, form)
            }
        }
    }
}

extension Reply {
    /// Takes what a merge of bytes has made.
    func give(_ merged: [UInt8]?, _ form: FileForm) {
        guard let merged, let file = try? form.encode(merged) else {
            return give(.declined("The program did not merge the contents."))
        }
        give(.merged(file))
    }
}

/// The answers to one load: what is here at once, and then, if the remote has made something else of it,
/// that.
///
/// It ends after the second one, or without a second one when nothing has changed. It throws code `away`
/// behind the first one when the remote cannot be asked, `coding` when the remote has a content that is
/// not a value of the type, and ends with `cancelled` with its task.
public struct Loads<Item: Sendable>: AsyncSequence, Sendable {
    /// One answer.
    public typealias Element = Loaded<Item>
    /// What it may throw.
    public typealias Failure = FileSinkiError

    let here: @Sendable () throws(FileSinkiError) -> Item?
    /// What is there after the remote was asked; nil when nothing has changed.
    let there: @Sendable () async throws(FileSinkiError) -> Loaded<Item>?

    /// Begins a load; each iterator is one of its own.
    public func makeAsyncIterator() -> Iterator { Iterator(loads: self) }

    /// Asks as it is asked.
    public struct Iterator: AsyncIteratorProtocol {
        private enum Place { case here, there, end }

        let loads: Loads
        private var place = Place.here

        init(loads: Loads) { self.loads = loads }

        /// The next value; nil after the last one.
        ///
        /// - Throws: As ``FileSinki/load(_:from:compressed:)`` does; code `away` also where something is
        ///   here.
        public mutating func next() async throws(FileSinkiError) -> Loaded<Item>? {
            switch place {
            case .here:
                place = .there
                return Loaded(item: try loads.here(), wasRemote: false, isFinal: false)
            case .there:
                place = .end
                return try await loads.there()
            case .end: return nil
            }
        }
    }
}
