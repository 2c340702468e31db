import CKernel
package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension Staging {
    /// Restores user saves that a killed run had moved out of the tree and the plan did not mean to
    /// replace. The caller must hold the replica's lock and call it before any other work.
    ///
    /// - Returns: The restored paths: the original one if free, else a sibling `NAME (recovered
    ///   HASH8).EXT`.
    package func recover() throws(Failure) -> [RelativePath] {
        try recover(names())
    }

    /// Calls ``recover()``, then removes all leftovers of killed runs.
    package func clear() throws(Failure) {
        _ = try recover()
        for name in try names() { try removeLeftover(name) }
    }

    /// As ``clear()``, but only for leftovers of dead processes, in a folder that several processes
    /// use without a lock.
    package func clearDead() throws(Failure) {
        let dead = try names().filter(Self.isOfDeadProcess)
        if dead.isEmpty { return }
        _ = try recover(dead)
        for name in dead { try removeLeftover(name) }
    }

    private static func isOfDeadProcess(_ name: [UInt8]) -> Bool {
        let number = String(decoding: name.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        guard let process = pid_t(number), process > 0 else { return false }
        return kill(process, 0) != 0 && errno == ESRCH
    }

    private func removeLeftover(_ name: [UInt8]) throws(Failure) {
        do { try folder.unlink(name) } catch { throw failure(error, "remove a leftover") }
    }

    private func recover(_ names: [[UInt8]]) throws(Failure) -> [RelativePath] {
        var recovered: [RelativePath] = []
        for plan in names where plan.hasSuffix(Intent.suffix) {
            let name = Array(plan.dropLast(Intent.suffix.count))
            if let path = try recover(name, plan) { recovered.append(path) }
            do { try folder.unlink(plan) } catch {
                throw failure(error, "remove a recovery record")
            }
        }
        return recovered
    }

    private func recover(_ name: [UInt8], _ plan: [UInt8]) throws(Failure) -> RelativePath? {
        let intent: Intent?
        do throws(SystemError) {
            guard try folder.status(of: name) != nil else { return nil }
            intent = try Intent.read(plan, in: folder)
        } catch { throw failure(error, "examine a leftover") }
        let path = intent.flatMap { try? RelativePath($0.path) }
        if let intent, try isReplaced(name, intent, path) {
            do throws(SystemError) { try drop(name, isLive: true) } catch {
                throw failure(error, "remove a leftover")
            }
            return nil
        }
        let nowhere = RelativePath(unchecked: Array("recovered".utf8))
        return try Rescue(staging: self).restore(name, to: path ?? nowhere)
    }

    /// Whether the step had progressed so far that the moved file is not needed.
    private func isReplaced(
        _ name: [UInt8], _ intent: Intent, _ path: RelativePath?
    ) throws(Failure) -> Bool {
        do throws(SystemError) {
            guard let status = try folder.status(of: name) else { return false }
            guard name.hasSuffix(Intent.asideSuffix) else {
                return try isOursOrExpected(status, name, intent)
            }
            // It was checked before the new file took the name. If the name is free, restore it.
            guard let path, let found = try statusInTree(path) else { return false }
            if Intent.Identity(found.stamp) == intent.ours { return true }
            let isLive = try !LiveCompanion.present(beside: name, in: folder).isEmpty
            return isLive ? false : try isOursOrExpected(status, name, intent)
        } catch { throw failure(error, "examine a leftover") }
    }

    /// The status of a path; nil when it or its parent is absent.
    private func statusInTree(_ path: RelativePath) throws(SystemError) -> FileStatus? {
        let flags = fsk_path_only | O_NOFOLLOW
        guard let file = FileHandle(root.openBeneath(path, flags)) else { return nil }
        return try file.status()
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
        do throws(SystemError) {
            let listing = try FolderListing(folder.open(".".utf8, O_RDONLY | O_DIRECTORY))
            return listing.entries.map { Array(listing.name($0)) }
        } catch { throw failure(error, "read the names") }
    }
}

extension [UInt8] {
    fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool {
        count > suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
    }
}

extension Site {
    /// The path of another name in the same folder.
    fileprivate func sibling(_ name: [UInt8]) -> RelativePath {
        path.parent?.appending(name) ?? RelativePath(unchecked: name)
    }
}

/// Restores files from the staging folder to the tree without replacing anything.
struct Rescue {
    let staging: Staging

    /// Moves the staged `name` to its path, or beside it when the path exists.
    ///
    /// - Returns: The new path; nil when the path has the same content already and the staged
    ///   file was removed.
    func restore(
        _ name: [UInt8], to site: Site, in folder: borrowing FileHandle
    ) throws(SystemError) -> RelativePath? {
        let endings = try LiveCompanion.present(beside: name, in: staging.folder)
        if !endings.isEmpty { return try restore(name, with: endings, to: site, in: folder) }
        if try staging.place(name, at: site.name, in: folder) { return site.path }
        let content = try identity(of: name, in: staging.folder)
        for number in 1... {
            let sibling = Self.sibling(of: site.name, hash(content, name), number)
            let candidate =
                number == 1
                ? site.name : Self.sibling(of: site.name, hash(content, name), number - 1)
            if let content, try identity(of: candidate, in: folder) == content {
                try staging.folder.unlink(name)
                return nil
            }
            if try staging.place(name, at: sibling, in: folder) { return site.sibling(sibling) }
        }
        return nil
    }

    /// Restores a live file and its companions under one name. The companions come first: a program
    /// that opens the file without them would start a new log.
    private func restore(
        _ name: [UInt8], with endings: [[UInt8]], to site: Site, in folder: borrowing FileHandle
    ) throws(SystemError) -> RelativePath? {
        let content = try identity(of: name, in: staging.folder)
        for number in 0... {
            let candidate =
                number == 0 ? site.name : Self.sibling(of: site.name, hash(content, name), number)
            guard try folder.status(of: candidate) == nil else { continue }
            var placed: [[UInt8]] = []
            for ending in endings {
                guard try staging.place(name + ending, at: candidate + ending, in: folder) else {
                    break
                }
                placed.append(ending)
            }
            if placed.count == endings.count,
                try staging.place(name, at: candidate, in: folder)
            {
                return site.sibling(candidate)
            }
            for ending in placed {
                try staging.takeOut(folder, candidate + ending, as: name + ending)
            }
        }
        return nil
    }

    /// Moves the staged `name` to `path`, or to the nearest existing ancestor.
    func restore(_ name: [UInt8], to path: RelativePath) throws(Failure) -> RelativePath? {
        var site = path
        while true {
            do throws(Failure) {
                let folder = try staging.root.openParent(of: site)
                do { return try restore(name, to: Site(site), in: folder) } catch {
                    throw error.failure("restore it", site)
                }
            } catch {
                guard let parent = site.parent, error.code == .notFound || error.code == .badPath
                else { throw error }
                // The folder does not exist: move the file to the folder above.
                let above = parent.parent
                let last = Array(site.name)
                site = above?.appending(last) ?? RelativePath(unchecked: last)
            }
        }
    }

    /// Eight digits of the content's hash; for a folder, of its staged name.
    private func hash(_ content: ContentID?, _ name: [UInt8]) -> String {
        let bytes = content.map { Array($0.bytes.prefix(4)) } ?? Array(name.suffix(4))
        return hexadecimal(bytes)
    }

    /// `NAME (recovered HASH8).EXT`, then `NAME (recovered HASH8 2).EXT`; a long name is cut.
    static func sibling(of name: [UInt8], _ hash: String, _ number: Int) -> [UInt8] {
        let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? 0
        let cut = dot > 0 ? dot : name.count
        let mark = Array(
            (number == 1 ? " (recovered \(hash))" : " (recovered \(hash) \(number))").utf8)
        var ending = Array(name[cut...])
        if ending.count > 64 { ending = [] }
        var stem = Array(
            name[..<cut].prefix(RelativePath.maximumNameLength - mark.count - ending.count))
        // Not inside a UTF-8 sequence.
        while stem.count < cut, let last = stem.last, last & 0xC0 == 0x80 { stem.removeLast() }
        if stem.count < cut, let last = stem.last, last >= 0xC0 { stem.removeLast() }
        return stem + mark + ending
    }
}
