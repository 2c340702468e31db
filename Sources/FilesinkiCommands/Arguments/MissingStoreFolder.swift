import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiText
import Glibc

extension RemoteAddress {
    /// Rewords the failure of a store's folder that is not there, for an address that the user has just given: it may be
    /// mistyped as well as on a disk that is not mounted. Where a file is in its place, that is said. Any other failure is
    /// left as it is.
    ///
    /// - Parameter isMaking: Whether the command makes the store's folder, so that one above it is missing.
    func worded(_ failure: Failure, isMaking: Bool = false) -> Failure {
        if isMaking, case .ssh(let address) = self { return address.wordedNotMade(failure) }
        guard failure.code == .away, case .folder(let path) = self,
            failure.path.elementsEqual(path.utf8)
        else { return failure }
        if let file = RootPlacement.fileInPlace(ofStoreAt: path) { return file }
        guard let missing = MissingFolder(of: path) else { return failure }
        var failure = failure
        failure.message = "The folder of the store was not found."
        failure.remedy =
            missing.suggestion(isMaking: isMaking) + "Check the spelling"
            + (missing.rest.isEmpty ? "" : " of \(printable(missing.path.utf8))")
            + (isMaking ? ", make this folder with \(missing.making)" : "")
            + ", or mount the disk or share that contains it."
        return failure
    }

    /// Rewords the failure of `clone` for an address below a store: where no such folder is there, one in the store's tree is
    /// meant. Any other failure is left as it is.
    ///
    /// - Parameter dir: The folder to create, as the user wrote it.
    func wordedBelowStore(_ failure: Failure, cloningTo dir: String) -> Failure {
        guard [.away, .notFound].contains(failure.code), case .folder(let path) = self,
            failure.path.elementsEqual(path.utf8), let store = RootPlacement.store(above: path)
        else { return failure }
        let below = path.utf8.dropFirst(store.utf8.count).drop { $0 == UInt8(ascii: "/") }
        let isTree = FileCall.status(Array(path.utf8)) == nil
        let clone = "filesinki clone \(ShellWord.shown(store.utf8)) \(ShellWord.path(dir.utf8))"
        return Failure(
            .notFound, path: failure.path,
            "No store was found there; the store is \(printable(store.utf8)).",
            remedy: isTree
                ? "To hold only this folder of it, run \(clone) --only \(ShellWord.path(below))."
                : "Run \(clone).")
    }
}

extension SSHAddress {
    /// Rewords the failure of a store's folder that is not there, where it could not be made: one above it is missing at the
    /// host. Any other failure is left as it is.
    fileprivate func wordedNotMade(_ failure: Failure) -> Failure {
        let missing = Failure.storeFolderMissing(text)
        guard failure.code == .away, failure.message == missing.message,
            failure.path == missing.path
        else { return failure }
        let slash = UInt8(ascii: "/")
        let end = (path.last == slash ? path.dropLast() : path[...]).lastIndex(of: slash)
        guard let end, end > 0 else { return failure }
        var failure = failure
        failure.message = "The folder of the store was not found, and could not be made."
        failure.remedy =
            "Make the folder above it at the host with mkdir -p \(ShellWord.path(path[..<end])). \(missing.remedy)"
        return failure
    }
}

/// The first folder of a path that is not there.
private struct MissingFolder {
    /// What contains it.
    let parent: String
    let name: Substring
    /// The names below it.
    let rest: ArraySlice<Substring>

    var path: String { parent + "/" + name }

    /// The command that makes the folders above the last one of the address.
    var making: String {
        let above = rest.dropLast().map { "/" + $0 }.joined()
        return "mkdir -p \(ShellWord.shown((path + above).utf8))"
    }

    /// - Parameter path: An absolute path.
    /// - Returns: Nil if it is there.
    init?(of path: String) {
        let names = path.split(separator: "/")
        var parent = ""
        for (number, name) in names.enumerated() {
            if FileCall.status(Array("\(parent)/\(name)".utf8)) == nil {
                (self.parent, self.name) = (parent, name)
                rest = names[(number + 1)...]
                return
            }
            parent += "/" + name
        }
        return nil
    }

    /// A question that names the path with a similar name in the place of the missing one, with a space behind it; empty
    /// if there is no such folder.
    ///
    /// - Parameter isMaking: Whether the last name of the path need not be there.
    func suggestion(isMaking: Bool) -> String {
        let below = rest.map { "/" + $0 }
        let needed = (isMaking ? below.dropLast() : below[...]).joined()
        let names = folders().filter { access("\(parent)/\($0)\(needed)/", F_OK) == 0 }
        guard let nearest = NearestWord.nearest(to: String(name), among: names) else { return "" }
        return "Did you mean '\(printable("\(parent)/\(nearest)\(below.joined())".utf8))'? "
    }

    /// The names beside the missing one that are UTF-8 and may be those of folders.
    private func folders() -> [String] {
        guard let folder = try? FileHandle(parent + "/", O_RDONLY | O_DIRECTORY),
            let listing = try? FolderListing(folder)
        else { return [] }
        let types = [DT_DIR, DT_LNK, DT_UNKNOWN].map { UInt8(truncatingIfNeeded: $0) }
        return listing.entries.filter { types.contains($0.type) }.compactMap {
            String(validating: listing.name($0), as: UTF8.self)
        }
    }
}
