import FilesinkiEngine
public import FoundationEssentials

extension FileSinki {
    /// Makes one content of two; nil where it cannot, so that the rules of the root decide: by default
    /// both contents are kept side by side.
    ///
    /// The three are what is here, what another device has published, and what both started from, nil
    /// where nobody has that. It is called once for each divergence, on a background thread; nothing is
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
        return try await told(path) { [core] in
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
        return try await told(path) { [core] in
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
            return give(.declined("The program merged nothing."))
        }
        give(.merged(file))
    }
}
