import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote

extension WebDAVRemote {
    /// Fills the slot unless it is full, and answers with what it then holds.
    ///
    /// A collection with one member is staged beside the slot and moved onto its name without
    /// overwriting. On servers that keep files in a file system this ends in rename(2) of a folder,
    /// which the kernel refuses where one is that holds something.
    ///
    /// - Throws: `Failure`: `bad-path` for a key without a folder, `corrupt` when an empty folder is
    ///   in the slot's place, `away` when it is not known whether the slot was filled.
    func fill(_ slot: ObjectKey, with bytes: [UInt8]) async throws -> PublishOutcome {
        guard let folder = slot.folder, let name = slot.description.split(separator: "/").last
        else {
            throw Failure(
                .badPath, path: slot.description, "A slot has to lie in a folder of its own.",
                remedy: "Publish to a key such as log/1/c.")
        }
        let place = server.collection(folder)
        for _ in 0..<3 {
            let staged = place.temporarySibling
            if let there = try await stage(bytes, as: String(name), in: staged, slot) {
                return outcome(there, bytes)
            }
            if let outcome = try await move(staged, to: place, slot, bytes) { return outcome }
        }
        throw vanished(slot)
    }

    /// - Returns: What the slot holds, when it is full already; then nothing is left staged.
    private func stage(
        _ bytes: [UInt8], as name: String, in staged: WebDAVPath, _ slot: ObjectKey
    ) async throws -> [UInt8]? {
        do {
            // Reading goes along with making, so that it costs an empty slot no time.
            async let before = read(slot)
            let making = try await make(staged)
            if let there = try await before {
                await discard(staged)
                return there
            }
            if case .refused(let reply) = making {
                throw reply.failure(slot.description, at: address)
            }
            try await upload(bytes, to: staged.member(name), slot)
            return nil
        } catch let failure as Failure {
            if failure.code != .away { await discard(staged) }
            throw failure
        }
    }

    /// Moves what is staged to its place, and reads the slot, whatever the server said.
    ///
    /// - Returns: Nil when what was staged is gone, and may be staged again.
    private func move(
        _ staged: WebDAVPath, to place: WebDAVPath, _ slot: ObjectKey, _ bytes: [UInt8]
    ) async throws -> PublishOutcome? {
        let moved = try await server.move(staged, to: place, overwrite: false)
        if let there = try await read(slot) {
            if there == bytes { server.prove(moved) }
            // The slot is full: nothing can move there any more, so this takes nothing from it.
            if !moved.reply.isMoved { await discard(staged) }
            return outcome(there, bytes)
        }
        if moved.reply.isMoved {
            // Once this worked, an empty slot is one that somebody deleted.
            if server.isProven(moved) { throw vanished(slot) }
            throw misplaced(slot)
        }
        let isInTheWay = try await server.properties(place) != nil
        // While a server, or a proxy before it, may still be at work, what is staged stays: to empty it
        // now could move an empty folder to the slot's place.
        if (400..<500).contains(moved.reply.status) { await discard(staged) }
        if isInTheWay { throw emptyFolder(slot) }
        if [404, 409].contains(moved.reply.status) { return nil }
        throw moved.reply.failure(slot.description, at: address)
    }

    private func outcome(_ there: [UInt8], _ own: [UInt8]) -> PublishOutcome {
        there == own ? .mine : .theirs(there)
    }

    /// WebDAV can neither fill an empty folder for one writer alone nor remove only an empty one.
    private func emptyFolder(_ slot: ObjectKey) -> Failure {
        Failure(
            .corrupt, path: slot.description,
            "A folder is in the place of this slot, and the slot is not in it.",
            remedy: "Look into that folder at the server, and remove it if it is empty.")
    }
}
