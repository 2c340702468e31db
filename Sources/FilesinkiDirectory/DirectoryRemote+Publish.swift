import FilesinkiModel
import FilesinkiRemote
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
            guard let file = place.open(slot.name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
            else { return false }
            try file.write(bytes, path)
            return true
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
            return renameat(uploads.number, upload.name, place.number, slot.name) == 0
        }
    }

    /// Fills the slot with what `stage` puts into a folder unless `outcome` finds it full.
    private func fill<Outcome>(
        _ slot: ObjectKey,
        _ outcome: (ObjectKey) throws(Failure) -> Outcome?,
        stage: (borrowing Descriptor, String) throws(Failure) -> Bool
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
            try folder.descend(collections, path)?.syncFolder(path)
            return outcome
        }
        for _ in 0..<8 {
            let collection = try folder.make(collections, path)
            guard let staged = try self.stage(slot.name, in: collection, path, stage) else {
                continue
            }
            let error =
                renameat(collection.number, staged, collection.number, place) == 0 ? 0 : errno
            if error != 0 { discard(staged, member: slot.name, in: collection) }
            try collection.syncFolder(path)
            // Whatever rename said: the answer is what reading the slot returns.
            if let outcome = try outcome(slot) { return outcome }
            switch error {
            case 0, ENOENT: continue
            case ENOTEMPTY, EEXIST, ENOTDIR:
                // Full, and yet without the member; unless it was deleted since, it is not a slot.
                if collection.status(of: place) != nil { throw strangeFailure(path) }
            default: throw failure(error, "The slot could not be filled", path)
            }
        }
        throw folder.vanished(path)
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
        _ member: String, in collection: borrowing Descriptor, _ path: String,
        _ stage: (borrowing Descriptor, String) throws(Failure) -> Bool
    ) throws(Failure) -> String? {
        let name = temporaryName()
        guard mkdirat(collection.number, name, 0o777) == 0 else {
            if errno == ENOENT || errno == EEXIST { return nil }
            throw failure(errno, "Cannot create a folder in the store", path)
        }
        do throws(Failure) {
            guard let staged = collection.open(name, O_RDONLY | O_DIRECTORY),
                try stage(staged, path)
            else {
                if errno == ENOENT { return nil }
                throw failure(errno, "Cannot create a file in the store", path)
            }
            try staged.syncFolder(path)
        } catch {
            discard(name, member: member, in: collection)
            throw error
        }
        return name
    }

    private func discard(_ name: String, member: String, in collection: borrowing Descriptor) {
        if let staged = collection.open(name, O_RDONLY | O_DIRECTORY) {
            unlinkat(staged.number, member, 0)
        }
        unlinkat(collection.number, name, AT_REMOVEDIR)
    }
}
