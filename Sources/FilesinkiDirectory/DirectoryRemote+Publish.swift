import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

extension DirectoryRemote {
    /// Fills the slot unless it is full, and answers with what it then holds.
    ///
    /// - Throws: `Failure`: `bad-path` for a key without a folder, `corrupt` when the slot's place is
    ///   taken by something that is not a slot, and what writing to a disk can meet.
    func fill(_ slot: ObjectKey, with bytes: [UInt8]) throws(Failure) -> PublishOutcome {
        try fill(slot) { slot throws(Failure) in
            try outcome(of: slot, for: bytes)
        } stage: { place, path throws(Failure) in
            do throws(SystemError) {
                let file = try place.open(slot.name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
                try file.write(bytes)
                try file.sync()
                return true
            } catch {
                return try Self.isThere(error, path)
            }
        }
    }

    /// Fills the slot with an upload unless it is full; true when the slot then holds its bytes.
    ///
    /// - Throws: As for bytes.
    func fill(_ slot: ObjectKey, with upload: StagedUpload) throws(Failure) -> Bool {
        try fill(slot) { slot throws(Failure) in
            guard try openNow(slot) != nil else { return nil }
            return try upload.isSame(as: slot)
        } stage: { place, path throws(Failure) in
            guard let uploads = try folder.descend([StagedUpload.place], path) else {
                return false
            }
            guard renameat(uploads.raw, upload.name, place.raw, slot.name) != 0 else { return true }
            return try Self.isThere(.last, path)
        }
    }

    /// Fills the slot with what `stage` puts into a folder unless `outcome` finds it full.
    private func fill<Outcome>(
        _ slot: ObjectKey,
        _ outcome: (ObjectKey) throws(Failure) -> Outcome?,
        stage: (borrowing FileHandle, String) throws(Failure) -> Bool
    ) throws(Failure) -> Outcome {
        let path = slot.description
        let collections = slot.folders.dropLast()
        guard let place = slot.folders.last else {
            throw Failure(
                .badPath, path: path, "A slot has to lie in a folder of its own.",
                remedy: "Publish to a key such as log/1/c.")
        }
        // A full slot costs no staging; the folder is synced for the winner who may not have yet.
        if let outcome = try outcome(slot) {
            if let collection = try folder.descend(collections, path) {
                try StoreFolder.sync(collection, path)
            }
            return outcome
        }
        for _ in 0..<8 {
            let collection = try folder.make(collections, path)
            guard let staged = try self.stage(slot.name, in: collection, path, stage) else {
                continue
            }
            let error =
                renameat(collection.raw, staged, collection.raw, place) == 0 ? 0 : errno
            if error != 0 { discard(staged, member: slot.name, in: collection) }
            try StoreFolder.sync(collection, path)
            // Whatever rename said: the answer is what reading the slot returns.
            if let outcome = try outcome(slot) { return outcome }
            switch error {
            case 0, ENOENT: continue
            case ENOTEMPTY, EEXIST, ENOTDIR:
                // Full, and yet without the member; unless it was deleted since, it is not a slot.
                if collection.status(of: place) != nil { throw strangeFailure(path) }
            default: throw SystemError(error).failure("fill the slot", inStore: path)
            }
        }
        throw folder.vanished(path)
    }

    /// - Returns: False when the folder around the file was removed meanwhile.
    private static func isThere(_ error: SystemError, _ path: String) throws(Failure) -> Bool {
        guard error.number == ENOENT else {
            throw error.failure("create a file in the store", inStore: path)
        }
        return false
    }

    private func outcome(
        of slot: ObjectKey, for bytes: [UInt8]
    ) throws(Failure) -> PublishOutcome? {
        guard let there = try read(slot) else { return nil }
        return there == bytes ? .mine : .theirs(there)
    }

    /// Writes a folder with one member beside the slots, down to the disk.
    ///
    /// - Returns: Its name; nil when the folder around it was removed meanwhile.
    private func stage(
        _ member: String, in collection: borrowing FileHandle, _ path: String,
        _ stage: (borrowing FileHandle, String) throws(Failure) -> Bool
    ) throws(Failure) -> String? {
        let name = temporaryName()
        guard mkdirat(collection.raw, name, 0o777) == 0 else {
            let error = SystemError.last
            if error.number == ENOENT || error.number == EEXIST { return nil }
            throw error.failure("create a folder in the store", inStore: path)
        }
        do throws(Failure) {
            let staged: FileHandle
            do throws(SystemError) {
                staged = try collection.open(name, O_RDONLY | O_DIRECTORY)
            } catch {
                return try Self.isThere(error, path) ? name : nil
            }
            guard try stage(staged, path) else { return nil }
            try StoreFolder.sync(staged, path)
        } catch {
            discard(name, member: member, in: collection)
            throw error
        }
        return name
    }

    private func discard(_ name: String, member: String, in collection: borrowing FileHandle) {
        if let staged = try? collection.open(name, O_RDONLY | O_DIRECTORY) {
            unlinkat(staged.raw, member, 0)
        }
        unlinkat(collection.raw, name, AT_REMOVEDIR)
    }
}
