package import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// Where a root lies, seen from a store that is a folder and from other replicas.
package struct RootPlacement: Sendable {
    /// The root's path; it need not exist yet.
    let root: String

    package init(root: String) { self.root = root }

    /// Refuses a store that lies inside the root, or around it: each run would sync the store itself.
    ///
    /// - Parameter address: The store's address; one that is no folder here is accepted.
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

    /// The root of the nearest other replica that this root lies in; nil for none.
    package func surroundingReplica() -> String? {
        var folder = Self.realPath(root)
        while let parent = Self.parent(of: folder) {
            if access(parent + "/" + RelativePath.stateFolder + "/root", F_OK) == 0 {
                return parent
            }
            folder = parent
        }
        return nil
    }

    /// Whether a path is a folder or lies in it, also by way of symlinks and mounts.
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

    /// The path without symlinks; of what does not exist, the real path of the nearest folder above it
    /// and the rest as it is.
    private static func realPath(_ path: String) -> String {
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        guard let parent = parent(of: path), let cut = path.lastIndex(of: "/") else { return path }
        let folder = realPath(parent)
        return (folder == "/" ? "" : folder) + path[cut...]
    }
}

extension Failure {
    /// A replica inside another one: both sync its files.
    package static func nestedReplica(_ path: [UInt8], in outer: String) -> Failure {
        Failure(
            .nestedReplica, path: path,
            "This replica is inside the replica \(printable(outer.utf8)); both sync its files.",
            remedy: "If that is not intended, list it in the outer .filesinkiignore.")
    }

    /// A replica was found below the root.
    static func innerReplica(_ path: RelativePath) -> Failure {
        Failure(
            .nestedReplica, path: path.bytes,
            "This folder is another replica; both sync its files.",
            remedy: "If that is not intended, list it in .filesinkiignore.")
    }
}
