import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// How a root's file system treats the spelling of names. Some treat `README` and `readme`, or two
/// Unicode forms of a letter, as one name: a path can then lead to a file that the folder lists
/// under another name. Paths in a store are bytes, so that file is a different one, a *twin*.
struct Spellings: ~Copyable, Sendable {
    /// The names of a folder, with the stamp that they belong to.
    struct Listing: Sendable {
        var stamp: FileStamp
        var names: Set<[UInt8]>
    }

    enum Folding: Int, AtomicRepresentable { case unknown, no, yes }

    /// Of the root.
    let folding = Atomic<Folding>(.unknown)
    /// Whether a folder below the root folds names, as found so far; the key is nil for the root if
    /// its state folder did not tell.
    let folders = Mutex<[RelativePath?: Bool]>([:])
    /// Listings by folder; the root's path is empty.
    let listings = Mutex<[[UInt8]: Listing]>([:])

    /// The maximum number of cached folders.
    static let maximumListings = 64
    static let maximumFolders = 16_384
}

extension RootFolder {
    /// Whether the root itself folds names, determined by its state folder.
    private var foldsNames: Bool {
        switch spellings.folding.load(ordering: .relaxed) {
        case .yes: return true
        case .no: return false
        case .unknown: break
        }
        let folder = Array(RelativePath.stateFolder.utf8)
        let other = Array(RelativePath.stateFolder.uppercased().utf8)
        guard let isThere = try? descriptor.status(of: folder) != nil, isThere,
            let twin = try? descriptor.status(of: other).map({ _ in
                try descriptor.otherSpelling(of: other)
            })
        else {
            // Unknown without a state folder.
            if (try? descriptor.status(of: folder)) != nil { setFolding(.no) }
            return false
        }
        setFolding(twin == nil ? .no : .yes)
        return twin != nil
    }

    private func setFolding(_ folding: Spellings.Folding) {
        spellings.folding.store(folding, ordering: .relaxed)
    }

    /// Records whether a folder folds names.
    func record(folding: Bool, in folder: RelativePath?) {
        spellings.folders.withLock { folders in
            if folders.count >= Spellings.maximumFolders { folders = [:] }
            folders[folder] = folding
        }
    }

    /// Forgets whether folders below the root fold names: an empty folder may be set to do so
    /// (chattr +F).
    package func forgetFolding() { spellings.folders.withLock { $0 = [:] } }

    /// Whether a folder on the path folds names, determined by the names on the path. Asked once
    /// per folder.
    package func foldsNames(above path: RelativePath) throws(Failure) -> Bool {
        if foldsNames { return true }
        if spellings.folders.withLock({ $0[path.parent] }) == false { return false }
        for name in path.ancestors.reversed() + [path] where try folds(name.parent, by: name) {
            return true
        }
        return false
    }

    /// Whether a folder folds names, determined by one of its names.
    private func folds(_ folder: RelativePath?, by path: RelativePath) throws(Failure) -> Bool {
        if let known = spellings.folders.withLock({ $0[folder] }) { return known }
        let name = Array(path.name)
        guard let other = respelled(name) else { return false }
        let opened: FileHandle
        do throws(Failure) { opened = try openUnchecked(folder) } catch {
            if error.code == .notFound || error.code == .badPath { return false }
            throw error
        }
        do throws(SystemError) {
            guard let found = try opened.status(of: name) else { return false }
            var isFolding = false
            if let twin = try opened.statusIfNamed(other), twin.stamp.isSameInode(as: found.stamp) {
                // Two hard links are both listed.
                let names = try opened.names()
                isFolding = !names.contains(name) || !names.contains(other)
            }
            record(folding: isFolding, in: folder)
            return isFolding
        } catch { throw error.failure("read its folder", path) }
    }

    /// The listed path of the file that a differently spelled path leads to; nil when the path is
    /// listed as spelled, or absent. Free where names are not folded.
    package func twin(of path: RelativePath) throws(Failure) -> RelativePath? {
        guard try foldsNames(above: path) else { return nil }
        for name in path.ancestors.reversed() + [path] {
            guard try !isListed(name) else { continue }
            let folder = try openUnchecked(name.parent)
            do throws(SystemError) {
                guard let other = try folder.otherSpelling(of: Array(name.name)) else { return nil }
                return name.parent?.appending(other) ?? RelativePath(unchecked: other)
            } catch { throw error.failure("read its folder", name) }
        }
        return nil
    }

    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/exists`` when a folder on the
    ///   path is listed under another spelling.
    func checkSpelling(above path: RelativePath) throws(Failure) {
        guard let folder = path.parent, let twin = try twin(of: folder) else { return }
        throw .twin(path, twin)
    }

    /// Whether a folder lists the path's name as spelled.
    private func isListed(_ path: RelativePath) throws(Failure) -> Bool {
        let folder: FileHandle
        do throws(Failure) { folder = try openUnchecked(path.parent) } catch {
            // Without the folder the path is absent.
            if error.code == .notFound || error.code == .badPath { return true }
            throw error
        }
        let key = path.parent?.bytes ?? []
        let name = Array(path.name)
        do throws(SystemError) {
            let stamp = try folder.status().stamp
            let known = spellings.listings.withLock { $0[key] }
            if let known, known.stamp == stamp, known.names.contains(name) { return true }
            if try folder.status(of: name) == nil { return true }
            let names = try folder.names()
            spellings.listings.withLock { listings in
                if listings.count >= Spellings.maximumListings { listings = [:] }
                listings[key] = Spellings.Listing(stamp: stamp, names: names)
            }
            return names.contains(name)
        } catch { throw error.failure("read its folder", path) }
    }

    private func openUnchecked(_ folder: RelativePath?) throws(Failure) -> FileHandle {
        let flags = fsk_path_only | O_DIRECTORY
        let raw = if let folder { openBeneath(folder, flags) } else { openItself(flags) }
        guard let opened = FileHandle(raw) else {
            let error = SystemError.last
            throw folder.map { error.failure(opening: $0, "open the folder") }
                ?? error.failure("open the root", path, of: .local)
        }
        return opened
    }
}

extension FileHandle {
    /// The listed name of the file that `name` leads to, if spelled differently; nil when it is
    /// listed as spelled, or absent. Reads the folder.
    func otherSpelling(of name: [UInt8]) throws(SystemError) -> [UInt8]? {
        guard let found = try status(of: name) else { return nil }
        let names = try names()
        if names.contains(name) { return nil }
        let key = foldedName(name)
        if let twin = names.first(where: { foldedName($0) == key }) { return twin }
        for other in names {
            if let status = try status(of: other), status.stamp.isSameInode(as: found.stamp) {
                return other
            }
        }
        // It appeared after the folder was read, or the folding rule is unknown.
        if try self.names().contains(name) { return nil }
        return try status(of: name) == nil ? nil : name
    }

    /// The status of a name; nil also when the file system rejects the name, which is too long for instance.
    func statusIfNamed(_ name: [UInt8]) throws(SystemError) -> FileStatus? {
        do throws(SystemError) { return try status(of: name) } catch {
            if [ENAMETOOLONG, EINVAL, EILSEQ].contains(error.number) { return nil }
            throw error
        }
    }

    fileprivate func names() throws(SystemError) -> Set<[UInt8]> {
        let listing = try FolderListing(open(".".utf8, O_RDONLY | O_DIRECTORY))
        return Set(listing.entries.map { Array(listing.name($0)) })
    }
}

/// The name in the other case; nil for a name without letters, and for bytes that are not UTF-8,
/// which file systems do not fold.
func respelled(_ name: [UInt8]) -> [UInt8]? {
    guard let text = String(validating: name, as: UTF8.self) else { return nil }
    return [text.uppercased(), text.lowercased()].map { Array($0.utf8) }.first { $0 != name }
}

/// A key that is equal for all spellings that file systems usually fold: case and canonical
/// equivalence.
func foldedName(_ name: some Collection<UInt8>) -> String {
    String(decoding: name, as: UTF8.self).lowercased()
}

extension RelativePath {
    /// Whether a file system that folds names may treat two paths of one folder as the same.
    package func isSpelling(of other: RelativePath) -> Bool {
        parent == other.parent && foldedName(name) == foldedName(other.name)
    }
}

extension Failure {
    /// The failure for a path that a file system treats as another one.
    package static func twin(_ path: RelativePath, _ twin: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes,
            "Cannot write it: the file system does not distinguish its name from \(twin).",
            remedy: "It is kept in the store. Rename one of the two on a device that has both.")
    }
}
