public import FoundationEssentials

extension FileSinki {
    /// Takes the content that a merge has made.
    public typealias DataMergedClosure = @Sendable (Data) -> Void

    /// Makes one content of two: `left` is what is here, `right` what another device has published.
    /// It is called once for each divergence, on a background thread, and calls `merged` when it likes;
    /// when `merged` goes without having been called, both contents are kept side by side.
    public typealias DataMerge = (
        _ left: Data, _ right: Data, _ merged: @escaping DataMergedClosure
    ) -> Void

    /// Saves bytes: here at once and durably, and in the background at the remote.
    ///
    /// - Parameters:
    ///   - data: What to save.
    ///   - path: Below the root, or absolute and inside it.
    ///   - root: Which of the user's folders the path is below.
    ///   - mergeAsync: Makes one content of two; nil for the rules of the root, by default to keep both
    ///     contents side by side.
    ///   - finalVersion: Called when the file ends with other bytes.
    /// - Returns: The bytes that were written; nil when nothing was saved.
    @discardableResult
    public static func saveBinaryFile(
        _ data: Data, toPath path: String, root: Root = .applicationSupportDirectory,
        mergeAsync: DataMerge? = nil, finalVersion: @escaping (Data) -> Void = { _ in }
    ) -> Data? {
        save(data, path, root, .plain, mergeAsync, finalVersion)
    }

    /// Loads bytes; see ``load(_:fromPath:root:loaded:)``.
    public static func loadBinaryFile(
        fromPath path: String, root: Root = .applicationSupportDirectory,
        mergeAsync: DataMerge? = nil, loaded: @escaping (_ data: Data?, _ wasRemote: Bool) -> Void
    ) {
        load(path, root, .plain, mergeAsync, loaded)
    }

    /// Deletes a file, here at once and in the background everywhere.
    ///
    /// - Parameters:
    ///   - data: The content; it is not needed.
    ///   - path: Below the root, or absolute and inside it.
    ///   - root: Which of the user's folders the path is below.
    public static func deleteBinaryFile(
        _ data: Data, at path: String, root: Root = .applicationSupportDirectory
    ) {
        delete(path, root, .plain)
    }

    /// As ``saveBinaryFile(_:toPath:root:mergeAsync:finalVersion:)``, in a compressed file with `.zst`
    /// behind its name.
    @discardableResult
    public static func saveBinaryFileCompressed(
        _ data: Data, toPath path: String, root: Root = .applicationSupportDirectory,
        mergeAsync: DataMerge? = nil, finalVersion: @escaping (Data) -> Void = { _ in }
    ) -> Data? {
        save(data, path, root, .compressed, mergeAsync, finalVersion)
    }

    /// As ``loadBinaryFile(fromPath:root:mergeAsync:loaded:)``, from a compressed file with `.zst` behind
    /// its name.
    public static func loadBinaryFileCompressed(
        fromPath path: String, root: Root = .applicationSupportDirectory,
        mergeAsync: DataMerge? = nil, loaded: @escaping (_ data: Data?, _ wasRemote: Bool) -> Void
    ) {
        load(path, root, .compressed, mergeAsync, loaded)
    }

    /// As ``deleteBinaryFile(_:at:root:)``, for a compressed file with `.zst` behind its name.
    public static func deleteBinaryFileCompressed(
        _ data: Data, at path: String, root: Root = .applicationSupportDirectory
    ) {
        delete(path, root, .compressed)
    }
}

extension FileSinki {
    private static func save(
        _ data: Data, _ path: String, _ root: Root, _ form: FileForm, _ merge: DataMerge?,
        _ finalVersion: @escaping (Data) -> Void
    ) -> Data? {
        let closure = Passed(finalVersion)
        return attempt(path) {
            try Call(path, root, form, .merging(form, merge)).save(Array(data)) { file in
                let content = attempt(path) { try form.content(of: file, path) }
                if let content { closure.value(Data(content)) }
            }
        }
    }

    private static func load(
        _ path: String, _ root: Root, _ form: FileForm, _ merge: DataMerge?,
        _ loaded: @escaping (Data?, Bool) -> Void
    ) {
        let closure = Passed(loaded)
        attempt(path) {
            try Call(path, root, form, .merging(form, merge)).load { file, wasRemote in
                let content = file.flatMap { file in
                    attempt(path) { try form.content(of: file, path) }
                }
                // Nil would say that the file was deleted.
                if wasRemote, file != nil, content == nil { return }
                closure.value(content.map { Data($0) }, wasRemote)
            }
        }
    }
}

extension Handler {
    /// Resolves by a closure with a closure; nil for the chain of rules.
    fileprivate static func merging(_ form: FileForm, _ merge: FileSinki.DataMerge?) -> Handler {
        guard let merge else { return .bytes(form, nil) }
        let closure = Passed(merge)
        return .bytes(form) { here, there, _, reply in
            closure.value(Data(here), Data(there)) { reply.give(Array($0), form) }
        }
    }
}
