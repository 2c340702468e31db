import FilesinkiHTTP
import FilesinkiModel
package import FilesinkiRemote

extension WebDAVRemote {
    /// A body larger than this is not sent before its collection is known to be there.
    private static let smallBody = 16 << 10

    /// Uploads the bytes beside their place and moves them there: five of nine servers that were
    /// measured show what came so far of an upload under its final name.
    func store(_ bytes: [UInt8], at key: ObjectKey) async throws {
        let place = server.path(key)
        let temporary = place.temporarySibling
        try await upload(bytes, to: temporary, key)
        do {
            try await install(temporary, at: place, bytes, key)
        } catch let failure as Failure {
            // A lost answer leaves nothing to do; else nobody would remove it.
            if failure.code != .away { await discard(temporary) }
            throw failure
        }
    }

    /// An object that is there already has the same bytes, as a rule, and is left alone: replacing it
    /// would take it away for a moment on servers that remove before they move.
    private func install(
        _ temporary: WebDAVPath, at place: WebDAVPath, _ bytes: [UInt8], _ key: ObjectKey
    ) async throws {
        var moved = try await server.move(temporary, to: place, overwrite: false)
        if !moved.reply.isMoved, let there = try await read(key) {
            if there == bytes { return await discard(temporary) }
            moved = try await server.move(temporary, to: place, overwrite: true)
        }
        guard moved.reply.isMoved else { throw moved.reply.failure(key.description, at: address) }
        if !server.isProven(moved) {
            guard try await isFile(place) else { throw misplaced(key) }
            server.prove(moved)
        }
    }

    /// - Parameter key: What failures are about.
    func upload(_ bytes: [UInt8], to path: WebDAVPath, _ key: ObjectKey) async throws {
        let parent = path.parent ?? server.top
        if bytes.count > Self.smallBody, !parent.isTemporary, !server.isKnown(parent) {
            _ = try await make(parent)
        }
        var wasThere = false
        for _ in 0..<4 {
            let reply = try await server.send(
                "PUT", path, fields: ["Content-Type": "application/octet-stream"], body: bytes)
            if reply.isSuccess { return server.remember(parent) }
            guard reply.isOfMissingParent, !wasThere else {
                throw reply.failure(key.description, at: address)
            }
            server.forget(parent)
            // Somebody else may have made it a moment ago, but not twice.
            switch try await make(parent) {
            case .made: wasThere = false
            case .wasThere: wasThere = true
            case .orphaned(let reply), .refused(let reply):
                throw reply.failure(key.description, at: address)
            }
        }
        throw vanished(key)
    }

    /// Removes what is not needed any more. Nobody lists it should that fail.
    func discard(_ path: WebDAVPath) async {
        _ = try? await server.send("DELETE", path)
    }

    func misplaced(_ key: ObjectKey) -> Failure {
        Failure(
            .unfitStore, path: key.description,
            "The server says that it moved this to its place, where it is not.",
            remedy: "A proxy before the server may have to change the field Destination, too.")
    }

    func vanished(_ key: ObjectKey) -> Failure {
        Failure(
            .busy, path: key.description,
            "A folder of the store was removed while it was filled.",
            remedy: "Run again when no other device prunes the store.")
    }
}

extension HTTPReply {
    /// Whether this may mean that the collection around the path is missing; the servers that were
    /// measured answer one of three.
    var isOfMissingParent: Bool { [404, 409, 500].contains(status) }

    /// Whether a move says that it was done. 207 is for one that was not.
    var isMoved: Bool { isSuccess && status != 207 }
}

extension WebDAVRemote: CuttableRemote {
    package func putCut(_ bytes: [UInt8], to key: ObjectKey, after count: Int) async {
        let temporary = server.path(key).temporarySibling
        _ = try? await server.send("PUT", temporary, body: bytes, cutAfter: count)
        await discard(temporary)
    }
}
