import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// What is known of a root's way with the spelling of names. Some file systems take `README` and
/// `readme`, or two forms of one letter, for one name: a path then leads to a file that the folder
/// lists under another name. Such a file is another one, a *twin*, for the paths of a store are bytes.
struct Spellings: ~Copyable, Sendable {
    /// The names of a folder, as of one state of it.
    struct Listing: Sendable {
        var stamp: FileStamp
        var names: Set<[UInt8]>
    }

    enum Folding: Int, AtomicRepresentable { case unknown, no, yes }

    /// Of the root.
    let folding = Atomic<Folding>(.unknown)
    /// Whether a folder below takes two spellings for one name, as far as names in it have shown; the key is
    /// nil for the root, where its state folder has not shown it.
    let folders = Mutex<[RelativePath?: Bool]>([:])
    /// By the folder's path, which is empty for the root.
    let listings = Mutex<[[UInt8]: Listing]>([:])

    /// More folders than these are not remembered.
    static let maximumListings = 64
    static let maximumFolders = 16_384
}

extension RootFolder {
    /// Whether the root itself takes two spellings for one name, as far as its state folder tells.
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
            // Without a state folder nothing can be said yet.
            if (try? descriptor.status(of: folder)) != nil { setFolding(.no) }
            return false
        }
        setFolding(twin == nil ? .no : .yes)
        return twin != nil
    }

    private func setFolding(_ folding: Spellings.Folding) {
        spellings.folding.store(folding, ordering: .relaxed)
    }

    /// Notes whether a folder takes two spellings for one name.
    func record(folding: Bool, in folder: RelativePath?) {
        spellings.folders.withLock { folders in
            if folders.count >= Spellings.maximumFolders { folders = [:] }
            folders[folder] = folding
        }
    }

    /// Forgets what is known of folders below the root: an empty folder may be set to fold names
    /// (chattr +F).
    package func forgetFolding() { spellings.folders.withLock { $0 = [:] } }

    /// Whether the folder of a path, or one above it, takes two spellings for one name, as far as the
    /// names on the path tell: without another spelling they have no twin. Of each folder this is asked
    /// once.
    package func foldsNames(above path: RelativePath) throws(Failure) -> Bool {
        if foldsNames { return true }
        if spellings.folders.withLock({ $0[path.parent] }) == false { return false }
        for name in path.ancestors.reversed() + [path] where try folds(name.parent, by: name) {
            return true
        }
        return false
    }

    /// Whether a folder takes two spellings of a name in it for one.
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
                // Two hard links are listed both.
                let names = try opened.names()
                isFolding = !names.contains(name) || !names.contains(other)
            }
            record(folding: isFolding, in: folder)
            return isFolding
        } catch { throw error.failure("read its folder", path) }
    }

    /// The path of what is found at a path that nothing is listed under; nil when the path is spelled
    /// as its folders list it, or nothing is there. Asks nothing where names are not folded.
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

    /// - Throws: `Failure` with code ``FilesinkiModel/Failure/Code/exists`` when a folder above the
    ///   path is found under another spelling.
    func checkSpelling(above path: RelativePath) throws(Failure) {
        guard let folder = path.parent, let twin = try twin(of: folder) else { return }
        throw .twin(path, twin)
    }

    /// Whether a folder lists the path's last name as it is spelled.
    private func isListed(_ path: RelativePath) throws(Failure) -> Bool {
        let folder: FileHandle
        do throws(Failure) { folder = try openUnchecked(path.parent) } catch {
            // No folder: then the path is nowhere.
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
            throw SystemError.last.failure(
                "open the folder", folder?.bytes ?? [], of: .local)
        }
        return opened
    }
}

extension FileHandle {
    /// The name under which this folder lists what `name` leads to, when that is another spelling; nil
    /// when it is listed as spelled, or nothing is there. Reads the folder.
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
        // It came after the folder was read, or is spelled in a way that is not known here.
        if try self.names().contains(name) { return nil }
        return try status(of: name) == nil ? nil : name
    }

    /// What a name leads to; nil also when the file system does not take such a name.
    fileprivate func statusIfNamed(_ name: [UInt8]) throws(SystemError) -> FileStatus? {
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

/// The name in the other case; nil for a name without letters, and for bytes that are no text, which file
/// systems do not fold.
func respelled(_ name: [UInt8]) -> [UInt8]? {
    guard let text = String(validating: name, as: UTF8.self) else { return nil }
    return [text.uppercased(), text.lowercased()].map { Array($0.utf8) }.first { $0 != name }
}

/// The same for all spellings that file systems usually take for one name: strings are equal when they
/// are canonically equivalent.
func foldedName(_ name: some Collection<UInt8>) -> String {
    String(decoding: name, as: UTF8.self).lowercased()
}

extension RelativePath {
    /// Whether file systems that fold names may take the last names of both for one, in one folder.
    package func isSpelling(of other: RelativePath) -> Bool {
        parent == other.parent && foldedName(name) == foldedName(other.name)
    }
}

extension Failure {
    /// Where a file system takes two names of the store for one, the second waits.
    package static func twin(_ path: RelativePath, _ twin: RelativePath) -> Failure {
        Failure(
            .exists, path: path.bytes,
            "Cannot write it: the file system does not distinguish its name from \(twin).",
            remedy: "It is kept in the store. Rename one of the two on a device that has both.")
    }
}
