import FilesinkiModel
import FilesinkiSystem
import Glibc

/// Keeps copies of pack indexes in the state folder. A copy is verified by its reader, so a damaged
/// one is no worse than none.
package struct IndexFolder: IndexCache {
    package let path: String

    package init(path: String) { self.path = path }

    package func load(_ id: [UInt8]) -> [UInt8]? {
        (try? StateFile.read(file(id))) ?? nil
    }

    package func store(_ id: [UInt8], _ bytes: [UInt8]) {
        // A cache that cannot be written costs time later and nothing else.
        try? StateFile.makeFolder(path)
        try? StateFile.replace(file(id), with: bytes, durable: false)
    }

    /// Removes the copy of a pack that is no longer in the store.
    package func remove(_ id: [UInt8]) { unlink(file(id)) }

    private func file(_ id: [UInt8]) -> String { path + "/" + hexadecimal(id) }
}
