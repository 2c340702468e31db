import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote

/// Stores objects at a WebDAV server, fills slots, and makes the collections for them.
struct WebDAVWriter {
    let server: WebDAVServer

    /// Larger bodies are not sent before their collection is known to exist, in bytes.
    private static let smallBody = 16 << 10

    private var reader: WebDAVReader { WebDAVReader(server: server) }

    // MARK: - Objects

    /// Uploads the bytes beside their place and moves them there: five of nine measured servers show an
    /// unfinished upload under its final name.
    func store(_ bytes: [UInt8], at key: ObjectKey) async throws {
        let place = server.path(key)
        let temporary = place.temporarySibling
        try await upload(bytes, to: temporary, key)
        do {
            try await install(temporary, at: place, bytes, key)
        } catch let failure as Failure {
            // If the server is unreachable, so is the temporary object.
            if failure.code != .away { await discard(temporary) }
            throw failure
        }
    }

    /// Moves an object to its place. An existing object has the same bytes, normally, and is kept: on
    /// servers that remove before they move, replacing it would make it disappear for a moment.
    private func install(
        _ temporary: WebDAVPath, at place: WebDAVPath, _ bytes: [UInt8], _ key: ObjectKey
    ) async throws {
        var moved = try await server.move(temporary, to: place, overwrite: false)
        if !moved.reply.isMoved, let stored = try await reader.read(key) {
            if stored == bytes { return await discard(temporary) }
            moved = try await server.move(temporary, to: place, overwrite: true)
        }
        guard moved.reply.isMoved else { throw server.failure(moved.reply, key) }
        if !server.isProven(moved) {
            guard try await reader.isFile(place) else { throw misplacedError(key) }
            server.markProven(moved)
        }
    }

    /// - Parameter key: The key for messages.
    private func upload(_ bytes: [UInt8], to path: WebDAVPath, _ key: ObjectKey) async throws {
        let parent = path.parent ?? server.top
        if bytes.count > Self.smallBody, !parent.isTemporary, !server.isKnown(parent) {
            _ = try await makeCollections(parent)
        }
        var wasPresent = false
        for _ in 0..<4 {
            let reply = try await server.send(
                "PUT", path, fields: ["Content-Type": "application/octet-stream"], body: bytes)
            if reply.isSuccess { return server.remember(parent) }
            guard reply.mayMeanMissingParent, !wasPresent else { throw server.failure(reply, key) }
            server.forget(parent)
            // Another device may have made it a moment ago, but not twice.
            switch try await makeCollections(parent) {
            case .made: wasPresent = false
            case .wasPresent: wasPresent = true
            case .parentMissing(let reply), .failed(let reply): throw server.failure(reply, key)
            }
        }
        throw Failure.folderRemoved(key.description)
    }

    /// Deletes an unfinished object. It is never listed, so a failure does not matter.
    func discard(_ path: WebDAVPath) async {
        _ = try? await server.send("DELETE", path)
    }

    /// Starts to upload an object and cuts the connection: see ``CuttableRemote``.
    func cut(_ upload: CutUpload) async {
        let temporary = server.path(upload.key).temporarySibling
        _ = try? await server.send(
            "PUT", temporary, body: upload.bytes, cutAfter: upload.count)
        await discard(temporary)
    }

    private func misplacedError(_ key: ObjectKey) -> Failure {
        Failure(
            .unfitStore, path: key.description,
            "The server reported that it moved the object, but the object is not in its place.",
            remedy: "A proxy before the server may have to change the field Destination, too.")
    }

    // MARK: - Collections

    private enum MakeResult {
        case made
        case wasPresent
        /// The parent collection seems to be missing.
        case parentMissing(HTTPReply)
        case failed(HTTPReply)

        var isPresent: Bool {
            switch self {
            case .made, .wasPresent: true
            case .parentMissing, .failed: false
            }
        }
    }

    /// Makes a collection, and its parents that are missing.
    ///
    /// - Returns: Never `parentMissing`.
    private func makeCollections(_ collection: WebDAVPath) async throws -> MakeResult {
        var missing: [WebDAVPath] = []
        var next = collection
        var result = try await makeCollection(next)
        while case .parentMissing(let reply) = result {
            guard let parent = next.parent, parent.text != "/" else { return .failed(reply) }
            missing.append(next)
            next = parent
            result = try await makeCollection(next)
        }
        while result.isPresent, let next = missing.popLast() {
            result = try await makeCollection(next)
            // Another device may have removed the parent meanwhile.
            if case .parentMissing(let reply) = result { return .failed(reply) }
        }
        return result
    }

    private func makeCollection(_ collection: WebDAVPath) async throws -> MakeResult {
        let reply = try await server.send("MKCOL", collection)
        if reply.isSuccess || reply.status == 405 {
            server.remember(collection)
            return reply.isSuccess ? .made : .wasPresent
        }
        let isTop = collection.parent == nil || collection.parent?.text == "/"
        if reply.mayMeanMissingParent, !isTop { return .parentMissing(reply) }
        // Apache replies 403 to one of two clients that make it at once.
        guard try await server.properties(collection)?.own.isCollection == true else {
            return .failed(reply)
        }
        server.remember(collection)
        return .wasPresent
    }

    // MARK: - Slots

    /// Fills the slot unless it is full, and returns what it then holds.
    ///
    /// A collection with one member is staged beside the slot and moved to its name without overwriting.
    /// On servers that keep files in a file system this ends in rename(2) of a folder, which cannot replace
    /// a folder that is not empty.
    ///
    /// - Throws: `Failure`: `bad-path` for a key without a folder, `corrupt` when an empty folder is in the
    ///   slot's place, `away` when it is unknown whether the slot was filled.
    func fill(_ slot: ObjectKey, with bytes: [UInt8]) async throws -> PublishOutcome {
        guard let folder = slot.folder else { throw Failure.slotWithoutFolder(slot) }
        let place = server.collection(folder)
        for _ in 0..<3 {
            let staged = place.temporarySibling
            if let stored = try await stage(bytes, in: staged, slot) {
                return PublishOutcome(stored: stored, own: bytes)
            }
            if let outcome = try await moveStaged(staged, to: place, slot, bytes) {
                return outcome
            }
        }
        throw Failure.folderRemoved(slot.description)
    }

    /// - Returns: What the slot holds if it is full already; then nothing remains staged.
    private func stage(
        _ bytes: [UInt8], in staged: WebDAVPath, _ slot: ObjectKey
    ) async throws -> [UInt8]? {
        do {
            // Concurrently, so that reading an empty slot costs no time.
            async let before = reader.read(slot)
            let result = try await makeCollections(staged)
            if let stored = try await before {
                await discard(staged)
                return stored
            }
            if case .failed(let reply) = result { throw server.failure(reply, slot) }
            try await upload(bytes, to: staged.member(slot.name), slot)
            return nil
        } catch let failure as Failure {
            if failure.code != .away { await discard(staged) }
            throw failure
        }
    }

    /// Moves the staged collection to its place, and then reads the slot, whatever the server replied.
    ///
    /// - Returns: Nil when the staged collection is gone, and may be staged again.
    private func moveStaged(
        _ staged: WebDAVPath, to place: WebDAVPath, _ slot: ObjectKey, _ bytes: [UInt8]
    ) async throws -> PublishOutcome? {
        let moved = try await server.move(staged, to: place, overwrite: false)
        if let stored = try await reader.read(slot) {
            if stored == bytes { server.markProven(moved) }
            // The slot is full, so the staged collection cannot have been moved there late.
            if !moved.reply.isMoved { await discard(staged) }
            return PublishOutcome(stored: stored, own: bytes)
        }
        if moved.reply.isMoved {
            // If moves have worked before, another device has deleted the slot.
            if server.isProven(moved) { throw Failure.folderRemoved(slot.description) }
            throw misplacedError(slot)
        }
        if moved.reply.status == 423 {
            // Locked while another writer's move is under way. rclone shows that one's folder before its file: it is no
            // empty folder, and read again by the next try.
            await discard(staged)
            throw server.failure(moved.reply, slot)
        }
        let isInTheWay = try await server.properties(place) != nil
        // While the server, or a proxy before it, may still be moving, the staged collection stays:
        // emptying it now could move an empty folder to the slot's place.
        if (400..<500).contains(moved.reply.status) { await discard(staged) }
        if isInTheWay { throw emptyFolderError(slot) }
        if [404, 409].contains(moved.reply.status) { return nil }
        throw server.failure(moved.reply, slot)
    }

    /// WebDAV can neither fill an empty folder for one writer alone nor remove only an empty one.
    private func emptyFolderError(_ slot: ObjectKey) -> Failure {
        Failure(
            .corrupt, path: slot.description, "The folder of this slot exists without its file.",
            remedy: "Check that folder at the server, and remove it if it is empty.")
    }
}

extension HTTPReply {
    /// Whether this may mean that the parent collection is missing. Each measured server sends one of
    /// these.
    fileprivate var mayMeanMissingParent: Bool { [404, 409, 500].contains(status) }
}
