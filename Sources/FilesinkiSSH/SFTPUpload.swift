import FilesinkiModel
import FilesinkiRemote

/// Writes objects beside their place under a temporary name, and renames them there.
struct SFTPUpload: Sendable {
    let store: SFTPStore

    /// Stores bytes under a key that only they can have, replacing equal or damaged ones.
    func store(_ bytes: [UInt8], at key: ObjectKey) async throws {
        let text = key.description
        let session = try await store.link.session()
        try session.requireRename(store.link.address.text)
        var last: Failure?
        for _ in 0..<SFTPStore.maximumTries {
            let staged = store.path(key.folders + [TemporaryName.make()])
            let opened = try await session.perform(.create(staged))
            guard let handle = try await created(opened, text, session) else {
                last = try await store.createFolders(key.folders, for: text, session) ?? last
                continue
            }
            try await write(bytes, to: handle, staged, text, session)
            let replies = try await session.connection.perform([
                .close(handle: handle), .rename(staged, to: store.path(key)),
            ])
            let renamed = try replies[1].requireStatus()
            if renamed.code == SFTPStatus.success { return }
            session.connection.post(.remove(staged))
            if renamed.code == SFTPStatus.noSuchFile { continue }
            if let found = try await session.attributes(of: store.path(key)), found.isFolder {
                throw SFTPStore.notAFile(text)
            }
            throw await store.failure(renamed, "write a file in the store", text, session)
        }
        throw last ?? .folderRemoved(text)
    }

    /// Fills a slot unless it is full, and returns what it then holds.
    ///
    /// The slot `a/b/c` is the folder `a/b` with the one member `c`. It is staged as a folder beside its
    /// place and moved there by rename(2) at the host, which cannot replace a folder that is not empty: of
    /// several writers, exactly one wins.
    func fill(_ slot: ObjectKey, with bytes: [UInt8]) async throws -> PublishOutcome {
        guard let place = slot.folders.last else { throw Failure.slotWithoutFolder(slot) }
        if let stored = try await store.read(slot) {
            return PublishOutcome(stored: stored, own: bytes)
        }
        let text = slot.description
        let collection = slot.folders.dropLast()
        let session = try await store.link.session()
        try session.requireRename(store.link.address.text)
        var last: Failure?
        for _ in 0..<SFTPStore.maximumTries {
            let staged = store.path(collection + [TemporaryName.make()])
            let member = staged + [UInt8(ascii: "/")] + Array(slot.name.utf8)
            guard let handle = try await makeFolder(staged, with: member, text, session) else {
                last = try await store.createFolders(collection, for: text, session) ?? last
                continue
            }
            do { try await write(bytes, to: handle, member, text, session) } catch {
                session.connection.post(.removeFolder(staged))
                throw error
            }
            let target = store.path(collection + [place])
            let replies = try await session.connection.perform([
                .close(handle: handle), .rename(staged, to: target),
                .openForReading(store.path(slot)), .attributesFollowing(store.root),
            ])
            let renamed = try replies[1].requireStatus()
            if renamed.code != SFTPStatus.success {
                try await discard(staged, member, session)
            }
            // Reading the slot decides, whatever the rename returned. A host may have opened it too early.
            var stored = try await store.read(slot, Array(replies[2...]), session)
            if stored == nil { stored = try await store.read(slot) }
            if let stored { return PublishOutcome(stored: stored, own: bytes) }
            try await requireFillable(target, after: renamed, text, session)
        }
        throw last ?? .folderRemoved(text)
    }

    /// Verifies that another try may fill a slot that is empty after a rename.
    private func requireFillable(
        _ target: [UInt8], after renamed: SFTPStatus, _ key: String, _ session: SFTPSession
    ) async throws {
        if renamed.code == SFTPStatus.success { return }
        // Something without the member is there; if it was not deleted since, it is no slot.
        let found = try await session.attributes(of: target)
        if let found, renamed.code != SFTPStatus.noSuchFile || !found.isFolder {
            throw SFTPStore.notAFile(key)
        }
        if renamed.code == SFTPStatus.noSuchFile { return }
        throw await store.failure(renamed, "fill the slot", key, session)
    }

    /// Makes a new folder with one empty file.
    ///
    /// - Returns: The handle of the file; nil when the folder around it does not exist.
    private func makeFolder(
        _ folder: [UInt8], with member: [UInt8], _ key: String, _ session: SFTPSession
    ) async throws -> [UInt8]? {
        let replies = try await session.connection.perform([.makeFolder(folder), .create(member)])
        let made = try replies[0].requireStatus()
        if case .handle(let handle) = replies[1] { return handle }
        if made.code == SFTPStatus.noSuchFile { return nil }
        guard made.code == SFTPStatus.success else {
            throw await store.failure(made, "create a folder in the store", key, session)
        }
        // A host need not keep the order of requests.
        return try await created(await session.perform(.create(member)), key, session)
    }

    /// The handle of a created file; nil when the folder around it does not exist.
    private func created(
        _ reply: SFTPReply, _ key: String, _ session: SFTPSession
    ) async throws -> [UInt8]? {
        if case .handle(let handle) = reply { return handle }
        let status = try reply.requireStatus()
        if status.code == SFTPStatus.noSuchFile { return nil }
        throw await store.failure(status, "create a file in the store", key, session)
    }

    /// Writes and syncs; removes the file if that fails.
    private func write(
        _ bytes: [UInt8], to handle: [UInt8], _ path: [UInt8], _ key: String, _ session: SFTPSession
    ) async throws {
        let problem: SFTPStatus?
        do { problem = try await session.write(bytes, to: handle) } catch {
            session.connection.post(.close(handle: handle))
            session.connection.post(.remove(path))
            throw error
        }
        guard let problem else { return }
        // Asked before the file is removed, which may make room.
        let failure = await store.failure(problem, "write a file in the store", key, session)
        session.connection.post(.close(handle: handle))
        session.connection.post(.remove(path))
        throw failure
    }

    /// Removes a staged slot.
    private func discard(
        _ folder: [UInt8], _ member: [UInt8], _ session: SFTPSession
    ) async throws {
        _ = try await session.perform(.remove(member))
        session.connection.post(.removeFolder(folder))
    }

    /// The most uploads that are written at once before they are cut.
    private static let parallelCuts = 8

    /// Starts uploads, and cuts the connection of their own that they share once each one has sent its bytes. What is left
    /// has names that no listing shows, and is removed.
    func cut(_ uploads: [CutUpload]) async {
        guard let session = try? await store.link.separateSession() else { return }
        let staged = try? await mapConcurrently(uploads, limit: Self.parallelCuts) { upload in
            let (key, folders) = (upload.key.description, upload.key.folders)
            _ = try? await store.createFolders(folders, for: key, session)
            let staged = store.path(folders + [TemporaryName.make()])
            if case .handle(let handle)? = try? await session.perform(.create(staged)) {
                _ = try? await session.write(Array(upload.sentBytes), to: handle)
            }
            return staged
        }
        session.connection.close()
        guard let staged, let session = try? await store.link.session() else { return }
        _ = try? await session.connection.perform(staged.map { .remove($0) })
    }
}
