import CKernel
package import FilesinkiModel
import Glibc

extension Staging {
    /// Brings back what a killed run had taken out of the tree and the plan had not meant to
    /// replace: a user's save. Only whoever holds the replica's lock may call it, before any other
    /// work.
    ///
    /// - Returns: The paths at which something was brought back: its own when that is free, else a
    ///   sibling `NAME (recovered HASH8).EXT`.
    package func recover() throws(Failure) -> [RelativePath] {
        var recovered: [RelativePath] = []
        for plan in try names() where plan.hasSuffix(Intent.suffix) {
            let name = Array(plan.dropLast(Intent.suffix.count))
            if let path = try recover(name, plan) { recovered.append(path) }
            do { try folder.unlink(plan) } catch { throw failure(error, "forget an intent") }
        }
        return recovered
    }

    /// Recovers as ``recover()`` does, then removes all that killed runs left.
    package func clear() throws(Failure) {
        _ = try recover()
        for name in try names() {
            do { try folder.unlink(name) } catch { throw failure(error, "remove a leftover") }
        }
    }

    private func recover(_ name: [UInt8], _ plan: [UInt8]) throws(Failure) -> RelativePath? {
        let intent: Intent?
        do throws(SystemError) {
            guard let status = try folder.status(of: name) else { return nil }
            intent = try Intent.read(plan, in: folder)
            if let intent, try isOursOrExpected(status, name, intent) {
                try folder.unlink(name)
                return nil
            }
        } catch { throw failure(error, "look at a leftover") }
        let path = intent.flatMap { try? RelativePath($0.path) }
        let nowhere = RelativePath(unchecked: Array("recovered".utf8))
        return try Rescue(staging: self).bring(name, to: path ?? nowhere)
    }

    private func isOursOrExpected(
        _ status: FileStatus, _ name: [UInt8], _ intent: Intent
    ) throws(SystemError) -> Bool {
        guard status.isReplaceable else { return false }
        let found = Intent.Identity(status.stamp)
        if found == intent.ours { return true }
        switch intent.expected {
        case .any: return true
        case .absent: return false
        case .identity(let identity): return identity == found
        case .content(let content):
            return try FilesinkiFileSystem.identity(of: name, in: folder) == content
        }
    }

    /// All names in the folder.
    private func names() throws(Failure) -> [[UInt8]] {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        do throws(SystemError) {
            guard let readable = Descriptor(openat(folder.raw, ".", flags)) else {
                throw SystemError.last
            }
            let listing = try FolderListing(readable)
            return listing.entries.map { Array(listing.name($0)) }
        } catch { throw failure(error, "read the names") }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool {
        count > suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
    }
}
