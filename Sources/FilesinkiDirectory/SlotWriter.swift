import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// Fills write-once slots of a store in a folder.
///
/// A slot `a/b/c` is the folder `a/b` with the one member `c`. It is staged as a folder beside its place
/// and moved there by rename(2), which cannot replace a folder that is not empty: of several writers,
/// exactly one wins.
struct SlotWriter {
    let folder: StoreFolder

    /// Fills the slot unless it is full, and returns what it then holds.
    ///
    /// - Throws: `Failure`: `bad-path` for a key without a folder, `corrupt` when something that is not a
    ///   slot is in the slot's place, and the failures of writing to a disk.
    func fill(_ slot: ObjectKey, with bytes: [UInt8]) throws(Failure) -> PublishOutcome {
        try fill(slot) { slot throws(Failure) in
            try folder.readObject(slot).map { PublishOutcome(stored: $0, own: bytes) }
        } stage: { place, path throws(Failure) in
            do throws(SystemError) {
                let file = try place.open(slot.name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666)
                try file.write(bytes)
                try file.sync()
                return true
            } catch {
                return try Self.folderRemains(error, path)
            }
        }
    }

    /// Fills the slot with an upload unless it is full; true if the slot then holds the upload's bytes.
    ///
    /// - Throws: As for bytes.
    func fill(_ slot: ObjectKey, with upload: StagedUpload) throws(Failure) -> Bool {
        try fill(slot) { slot throws(Failure) in
            guard try folder.openObject(slot) != nil else { return nil }
            return try upload.hasSameBytes(as: slot)
        } stage: { place, path throws(Failure) in
            guard let uploads = try folder.openFolder([UploadFolder.name], for: path) else {
                return false
            }
            guard renameat(uploads.raw, upload.name, place.raw, slot.name) != 0 else { return true }
            return try Self.folderRemains(.last, path)
        }
    }

    /// Fills the slot with what `stage` puts into a folder, unless `outcome` finds the slot full.
    private func fill<Outcome>(
        _ slot: ObjectKey,
        _ outcome: (ObjectKey) throws(Failure) -> Outcome?,
        stage: (borrowing FileHandle, String) throws(Failure) -> Bool
    ) throws(Failure) -> Outcome {
        let path = slot.description
        let collections = slot.folders.dropLast()
        guard let place = slot.folders.last else { throw .slotWithoutFolder(slot) }
        if let outcome = try outcome(slot) {
            // The winner may not have synced the folder yet.
            if let collection = try folder.openFolder(collections, for: path) {
                try StoreFolder.sync(collection, path)
            }
            return outcome
        }
        for _ in 0..<StoreFolder.maximumTries {
            let collection = try folder.createFolder(collections, for: path)
            guard let staged = try stageFolder(slot.name, in: collection, path, stage) else {
                continue
            }
            let error =
                renameat(collection.raw, staged, collection.raw, place) == 0 ? 0 : errno
            if error != 0 { discard(staged, member: slot.name, in: collection) }
            try StoreFolder.sync(collection, path)
            // Reading the slot decides, whatever rename(2) returned.
            if let outcome = try outcome(slot) { return outcome }
            switch error {
            case 0, ENOENT: continue
            case ENOTEMPTY, EEXIST, ENOTDIR:
                // Something without the member is there; if it was not deleted since, it is no slot.
                if collection.status(of: place) != nil { throw notARegularFile(path) }
            default: throw SystemError(error).failure("fill the slot", inStore: path)
            }
        }
        throw .folderRemoved(path)
    }

    /// - Returns: False when `error` means that the folder around the file was removed.
    private static func folderRemains(
        _ error: SystemError, _ path: String
    ) throws(Failure) -> Bool {
        guard error.number == ENOENT else {
            throw error.failure("create a file in the store", inStore: path)
        }
        return false
    }

    /// Creates a durable folder with one member beside the slots.
    ///
    /// - Returns: Its name; nil when the folder around it was removed meanwhile.
    private func stageFolder(
        _ member: String, in collection: borrowing FileHandle, _ path: String,
        _ stage: (borrowing FileHandle, String) throws(Failure) -> Bool
    ) throws(Failure) -> String? {
        let name = TemporaryName.make()
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
                return try Self.folderRemains(error, path) ? name : nil
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
