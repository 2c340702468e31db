import FilesinkiEngine
import FilesinkiModel
public import FoundationEssentials

extension FileSinki {
    /// Saves a value: here at once and durably, and in the background at the remote.
    ///
    /// - Parameters:
    ///   - item: What to save.
    ///   - path: Below the root, or absolute and inside it.
    ///   - root: Which of the user's folders the path is below.
    ///   - finalVersion: Called when the file ends with another value than this one, because another
    ///     device had changed it, too: a merge, or a better value. Perhaps never, perhaps later. When
    ///     the file ends with a content that is not a value of the type, `failed` of `setup` is called
    ///     with code `coding` instead.
    /// - Returns: The bytes that were written; nil when nothing was saved.
    @discardableResult
    public static func save<Item: FileSyncable>(
        _ item: Item, toPath path: String, root: Root = .applicationSupportDirectory,
        finalVersion: @escaping (Item) -> Void = { _ in }
    ) -> Data? {
        save(item, path, root, .plain, finalVersion)
    }

    /// Loads a value.
    ///
    /// - Parameters:
    ///   - type: What the file holds.
    ///   - path: Below the root, or absolute and inside it.
    ///   - root: Which of the user's folders the path is below.
    ///   - loaded: Called once with what is here, nil when there is nothing; and once more with true
    ///     when the remote has made something else of it: nil then says that it was deleted. A content
    ///     that is not a value of the type is nil here, and is skipped when it comes from the remote;
    ///     in both cases `failed` of `setup` is called with code `coding`.
    public static func load<Item: FileSyncable>(
        _ type: Item.Type, fromPath path: String, root: Root = .applicationSupportDirectory,
        loaded: @escaping (_ item: Item?, _ wasRemote: Bool) -> Void
    ) {
        load(type, path, root, .plain, loaded)
    }

    /// Deletes a value's file, here at once and in the background everywhere.
    ///
    /// - Parameters:
    ///   - item: The value; it is not needed.
    ///   - path: Below the root, or absolute and inside it.
    ///   - root: Which of the user's folders the path is below.
    public static func delete<Item: FileSyncable>(
        _ item: Item, at path: String, root: Root = .applicationSupportDirectory
    ) {
        delete(path, root, .plain)
    }

    /// Deletes a file, here at once and in the background everywhere.
    public static func delete(at path: String, root: Root = .applicationSupportDirectory) {
        delete(path, root, .plain)
    }

    /// As ``save(_:toPath:root:finalVersion:)``, in a compressed file with `.zst` behind its name.
    @discardableResult
    public static func saveCompressed<Item: FileSyncable>(
        _ item: Item, toPath path: String, root: Root = .applicationSupportDirectory,
        finalVersion: @escaping (Item) -> Void = { _ in }
    ) -> Data? {
        save(item, path, root, .compressed, finalVersion)
    }

    /// As ``load(_:fromPath:root:loaded:)``, from a compressed file with `.zst` behind its name.
    public static func loadCompressed<Item: FileSyncable>(
        _ type: Item.Type, fromPath path: String, root: Root = .applicationSupportDirectory,
        loaded: @escaping (_ item: Item?, _ wasRemote: Bool) -> Void
    ) {
        load(type, path, root, .compressed, loaded)
    }

    /// As ``delete(_:at:root:)``, for a compressed file with `.zst` behind its name.
    public static func deleteCompressed<Item: FileSyncable>(
        _ item: Item, at path: String, root: Root = .applicationSupportDirectory
    ) {
        delete(path, root, .compressed)
    }
}

extension FileSinki {
    private static func save<Item: FileSyncable>(
        _ item: Item, _ path: String, _ root: Root, _ form: FileForm,
        _ finalVersion: @escaping (Item) -> Void
    ) -> Data? {
        let closure = Passed(finalVersion)
        return attempt(path) {
            let content = try ValueCoder.encode(item, path)
            let call = try Call(path, root, form, .typed(Item.self, form))
            return try call.save(content) { file in
                let value: Item? = attempt(path) { try form.value(of: file, path) }
                if let value { closure.value(value) }
            }
        }
    }

    private static func load<Item: FileSyncable>(
        _ type: Item.Type, _ path: String, _ root: Root, _ form: FileForm,
        _ loaded: @escaping (Item?, Bool) -> Void
    ) {
        let closure = Passed(loaded)
        attempt(path) {
            try Call(path, root, form, .typed(Item.self, form)).load { file, wasRemote in
                let value: Item? = file.flatMap { file in
                    attempt(path) { try form.value(of: file, path) }
                }
                // Nil would say that the file was deleted.
                if wasRemote, file != nil, value == nil { return }
                closure.value(value, wasRemote)
            }
        }
    }

    static func delete(_ path: String, _ root: Root, _ form: FileForm) {
        attempt(path) { try Call(path, root, form, .rules).delete() }
    }

    /// Tells the one who wants to hear of failures.
    @discardableResult
    static func attempt<Answer>(_ path: String, _ body: () throws -> Answer) -> Answer? {
        do {
            return try body()
        } catch {
            Shared.current.setupOptions.failed(FileSinkiError(error, path))
            return nil
        }
    }
}

/// One of the calls with closures, without its types.
struct Call {
    private let sink: FileSinki
    private let path: RelativePath
    private let form: FileForm
    private let handler: Handler

    /// - Throws: Code `bad-path` for a path outside of the root.
    init(_ text: String, _ root: FileSinki.Root, _ form: FileForm, _ handler: Handler) throws {
        sink = try Shared.current.sink(root)
        path = try sink.core.path(form.name(text))
        self.form = form
        self.handler = handler
    }

    private var core: Core { sink.core }

    /// - Parameter final: Called with the file's bytes when they are others in the end.
    func save(_ content: [UInt8], _ final: @escaping @Sendable ([UInt8]) -> Void) throws -> Data {
        let file = try form.encode(content)
        let late = try core.write(file, to: path)
        var job = Job(kind: .save, handler: handler, late: late)
        job.done = [
            { [core, path] result in
                guard let found = result.content, found != file else { return }
                Shared.current.callProgram {
                    if core.recordSeen(found, insteadOf: file, at: path) { final(found) }
                }
            }
        ]
        core.submit(job, path)
        return Data(content)
    }

    /// - Parameter loaded: Called with the file's bytes, and whether they come from the remote.
    func load(_ loaded: @escaping @Sendable ([UInt8]?, Bool) -> Void) throws {
        let file = try core.files.read(path)
        core.recordSeen(file, at: path)
        Shared.current.callProgram { loaded(file, false) }
        Shared.current.begin()
        Task { [sink, path, handler] in
            await Self.refresh(sink, path, handler, file, loaded)
            Shared.current.end()
        }
    }

    private static func refresh(
        _ sink: FileSinki, _ path: RelativePath, _ handler: Handler, _ file: [UInt8]?,
        _ loaded: @escaping @Sendable ([UInt8]?, Bool) -> Void
    ) async {
        let core = sink.core
        let tell: @Sendable (PathRun) -> Void = { result in
            guard result.content != file else { return }
            Shared.current.callProgram {
                if core.recordSeen(result.content, insteadOf: file, at: path) {
                    loaded(result.content, true)
                }
            }
        }
        do {
            let result = try await core.refresh(path, handler)
            guard result.report.away != nil else { return tell(result) }
            if result.content != nil {
                core.submit(Job(kind: .save, handler: handler, done: [tell]), path)
            }
        } catch {
            core.failed(FileSinkiError(error, "\(path)"))
        }
    }

    func delete() throws {
        _ = try core.remove(path)
        core.submit(Job(kind: .delete, handler: .rules), path)
    }
}
