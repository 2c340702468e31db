import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote

extension WebDAVRemote {
    /// Removes an object, and with the member of a slot the slot's folder.
    ///
    /// Other folders stay, even empty: a server's `DELETE` of a folder takes all that is in it, also
    /// what another device put there a moment ago.
    func remove(_ key: ObjectKey) async throws {
        if key.isSlot, let folder = key.folder {
            return try await removeSlot(server.collection(folder), key)
        }
        // Of a folder there are only the members to delete, and a server would take them all.
        guard try await isFile(server.path(key)) else { return }
        try await removeFile(key)
    }

    private func removeFile(_ key: ObjectKey) async throws {
        let reply = try await server.send("DELETE", server.path(key))
        guard reply.isSuccess && reply.status != 207 || [404, 410].contains(reply.status) else {
            throw reply.failure(key.description, at: address)
        }
    }

    /// Moves the slot's folder away before it deletes it: an empty one in its place would be in the way
    /// of everybody who fills the slot.
    private func removeSlot(_ place: WebDAVPath, _ key: ObjectKey) async throws {
        guard let there = try await server.properties(place, withMembers: true) else { return }
        let members = there.members.filter { $0.names.last?.first != UInt8(ascii: ".") }
        let isThere = members.contains { !$0.isCollection && $0.names == server.path(key).names }
        guard isThere else { return }
        guard members.count == 1 else { return try await removeFile(key) }
        let away = place.temporarySibling
        let moved = try await server.move(place, to: away, overwrite: false)
        guard moved.reply.isMoved else {
            // Somebody else may have removed it.
            if try await read(key, range: 0..<1) == nil { return }
            throw moved.reply.failure(key.description, at: address)
        }
        await discard(away)
    }
}
