import FilesinkiEngine
import FilesinkiModel

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
        return try await told(path) { [core] in
            let ended = try await core.save(
                content, to: path, form, Handler.typed(Item.self, form))
            return try ended.outcome { file in
                try ValueCoder.decode(try form.content(of: file, path), path)
            }
        }
    }

    /// The best value that there is: what is here, after a look at the remote.
    ///
    /// - Returns: Nil when it is known that there is none.
    /// - Throws: Code `away` when nothing is here and the remote cannot be asked; `coding` when the file
    ///   holds something else, `corrupt` when what the remote has is damaged.
    public func load<Item: FileSyncable & Sendable>(
        _ type: Item.Type, from path: String, compressed: Bool = false
    ) async throws(FileSinkiError) -> Item? {
        let form = FileForm(isCompressed: compressed)
        return try await told(path) { [core] in
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
        return try await told(path) { [core] in try await core.delete(try core.path(name)) }
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
                core.see(file, at: place)
                first.value = file
                return file.flatMap { try? decode($0) }
            } catch {
                throw FileSinkiError(error, path)
            }
        } there: {
            () async throws(FileSinkiError) in
            try await told(path) {
                let ran = try await core.refresh(try core.path(name), handler)
                if let away = ran.report.away {
                    core.submitWaiting(try core.path(name), handler)
                    throw away
                }
                guard ran.content != first.value else { return nil }
                _ = core.see(ran.content, insteadOf: first.value, at: try core.path(name))
                return Loaded(
                    item: try ran.content.map(decode), wasRemote: true, isFinal: true)
            }
        }
    }
}
