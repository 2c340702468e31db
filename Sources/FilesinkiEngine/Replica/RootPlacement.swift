package import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiSystem
import FilesinkiText
import Glibc

/// The position of a root relative to a store in a folder, and to other replicas.
package struct RootPlacement: Sendable {
    /// The root's path, which may not exist yet.
    let root: String

    package init(root: String) { self.root = root }

    /// Refuses a store that is inside the root or around it, because each run would sync the store
    /// itself.
    ///
    /// - Parameter address: The store's address. Addresses other than folders are accepted.
    /// - Throws: `Failure` with code `usage`.
    package func check(against address: String) throws(Failure) {
        guard case .folder(let store)? = try? RemoteAddress(absolute: address) else { return }
        let isInside = Self.isAtOrInside(store, root)
        let isAround = Self.isAtOrInside(root, store)
        guard isInside || isAround else { return }
        let message =
            isInside && isAround
            ? "The root and the store are the same folder."
            : isInside
                ? "The store is inside the root \(printable(root.utf8))."
                : "The root \(printable(root.utf8)) is inside the store."
        throw Failure(
            .usage, path: store, message, remedy: "Use a folder outside the root for the store.")
    }

    /// Refuses a root that is a store, or inside one: its objects would be synced as files, and so changed and deleted.
    ///
    /// - Throws: `Failure` with code `usage`.
    package func checkIsNoStore() throws(Failure) {
        let real = Self.realPath(root)
        var next: String? = real
        while let place = next {
            if Self.isStore(place) {
                let shown = ShellWord.shown(place.utf8)
                throw Failure(
                    .usage, path: root,
                    place == real
                        ? "The folder is a store."
                        : "The folder is inside the store \(printable(place.utf8)).",
                    remedy: "To make a replica of the store, run filesinki clone \(shown) DIR.")
            }
            next = Self.parent(of: place)
        }
    }

    /// The nearest folder above an absolute path that is a store; nil for none.
    package static func store(above path: String) -> String? {
        var next = parent(of: path)
        while let place = next, !isStore(place) { next = parent(of: place) }
        return next
    }

    /// Refuses a place for a copy of a store that is inside a store: who removes the outer one removes the copy, too.
    ///
    /// - Parameter address: The address of the copy. Addresses other than folders are accepted.
    /// - Throws: `Failure` with code `usage`.
    package static func checkIsInNoStore(_ address: String) throws(Failure) {
        guard case .folder(let path)? = try? RemoteAddress(absolute: address),
            let outer = store(above: realPath(path))
        else { return }
        throw Failure(
            .usage, path: path, "The folder is inside the store \(printable(outer.utf8)).",
            remedy: "Use a folder outside of it: who removes that store removes the copy, too.")
    }

    /// Whether a folder is a store. A folder that cannot be read is taken for no store.
    static func isStore(_ folder: String) -> Bool {
        let path = (folder == "/" ? "" : folder) + "/" + StoreFormat.place
        // Not to wait for the writer of a pipe.
        let file = try? FileHandle(path, O_RDONLY | O_NONBLOCK)
        guard let start = try? file?.read(upTo: 64) else { return false }
        return StoreFormat.begins(start)
    }

    /// Refuses a replica inside another one of the same store, because each run of both would sync the files of the
    /// inner one once more, one folder deeper.
    ///
    /// - Parameter config: The inner replica's. One around it whose state is kept elsewhere is not recognized.
    /// - Throws: `Failure` with code `usage`.
    func check(against config: ReplicaConfig) throws(Failure) {
        for outer in surroundingReplicas() {
            let state = StateFolder(root: outer, state: nil)
            guard let other = try? ReplicaConfig.read(state), other.sharesStore(with: config) else {
                continue
            }
            throw Failure(
                .usage, path: root,
                "The folder is inside \(printable(outer.utf8)), which is a replica of the same store.",
                remedy: "Use a folder outside of that replica.")
        }
    }

    /// Whether the root is a replica's.
    var isReplica: Bool { Self.isMarked(Self.realPath(root)) }

    private static func isMarked(_ folder: String) -> Bool {
        access((folder == "/" ? "" : folder) + "/" + RelativePath.stateFolder + "/root", F_OK) == 0
    }

    /// The root of the nearest replica around this root; nil for none.
    package func surroundingReplica() -> String? { surroundingReplicas().first }

    /// The roots of all replicas around this root, the nearest one first.
    private func surroundingReplicas() -> [String] {
        var found: [String] = []
        var folder = Self.realPath(root)
        while let parent = Self.parent(of: folder) {
            if Self.isMarked(parent) { found.append(parent) }
            folder = parent
        }
        return found
    }

    /// Whether a path is a folder or inside it, also through symlinks and mounts.
    private static func isAtOrInside(_ inner: String, _ outer: String) -> Bool {
        let outer = realPath(outer)
        let stamp = FileStamp(at: outer, followingSymlinks: true)
        var next: String? = realPath(inner)
        while let place = next {
            if place == outer { return true }
            if let stamp, let found = FileStamp(at: place, followingSymlinks: true),
                found.isSameInode(as: stamp)
            {
                return true
            }
            next = parent(of: place)
        }
        return false
    }

    private static func parent(of path: String) -> String? {
        guard path != "/", let cut = path.lastIndex(of: "/") else { return nil }
        return cut == path.startIndex ? "/" : String(path[..<cut])
    }

    private static func realPath(_ path: String) -> String {
        String(decoding: realPath(Array(path.utf8)), as: UTF8.self)
    }

    /// Resolves the symlinks of an absolute path. For one that does not exist, resolves the nearest existing parent.
    package static func realPath(_ path: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        if let found = realpath(path.map { CChar(bitPattern: $0) } + [0], nil) {
            defer { free(found) }
            return Array(UnsafeRawBufferPointer(start: found, count: strlen(found)))
        }
        guard path != [slash], let cut = path.lastIndex(of: slash) else { return path }
        let folder = realPath(cut == 0 ? [slash] : Array(path[..<cut]))
        return (folder == [slash] ? [] : folder) + path[cut...]
    }
}

extension Failure {
    /// A replica is inside another one, and both sync its files.
    package static func nestedReplica(_ path: [UInt8], in outer: String) -> Failure {
        Failure(
            .nestedReplica, path: path,
            "This replica is inside the replica \(printable(outer.utf8)); both sync its files.",
            remedy: "If that is not intended, list it in the outer .filesinkiignore.")
    }

    /// A replica of the same store is below the root.
    static func ownReplica(_ path: RelativePath) -> Failure {
        Failure(
            .nestedReplica, path: path.bytes,
            "This folder is a replica of the same store; what is in it is not synced from here.",
            remedy: "Move it out of this replica.")
    }

    /// Another replica is below the root.
    static func innerReplica(_ path: RelativePath) -> Failure {
        Failure(
            .nestedReplica, path: path.bytes,
            "This folder is another replica; both sync its files.",
            remedy: "If that is not intended, list it in .filesinkiignore.")
    }
}
