import CKernel
import FilesinkiModel
import FilesinkiSystem
import Glibc

extension Site {
    /// The path of another name in the same folder.
    fileprivate func sibling(_ name: [UInt8]) -> RelativePath {
        path.parent?.appending(name) ?? RelativePath(unchecked: name)
    }
}

/// Brings something that was taken out of the tree back to it, without replacing anything.
struct Rescue {
    let staging: Staging

    /// Moves the staged `name` to its path, or beside it when the path holds something else.
    ///
    /// - Returns: Where it is now; nil when the path holds the same content already, and the staged
    ///   one was dropped.
    func bring(
        _ name: [UInt8], to site: Site, in folder: borrowing FileHandle
    ) throws(SystemError) -> RelativePath? {
        let endings = try LiveCompanion.present(beside: name, in: staging.folder)
        if !endings.isEmpty { return try bring(name, with: endings, to: site, in: folder) }
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

    /// Brings a live file back with what belongs to it, all under one name. The companions come first:
    /// who opens the file in between would begin another log.
    private func bring(
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

    /// Moves the staged `name` to `path`, or to the nearest folder above that is there.
    func bring(_ name: [UInt8], to path: RelativePath) throws(Failure) -> RelativePath? {
        var site = path
        while true {
            do throws(Failure) {
                let folder = try staging.root.openParent(of: site)
                do { return try bring(name, to: Site(site), in: folder) } catch {
                    throw error.failure("bring it back", site)
                }
            } catch {
                guard let parent = site.parent, error.code == .notFound || error.code == .badPath
                else { throw error }
                // The folder is gone: its own folder takes the file, under the file's name.
                let above = parent.parent
                let last = Array(site.name)
                site = above?.appending(last) ?? RelativePath(unchecked: last)
            }
        }
    }

    /// Eight digits that tell contents apart; of a folder, those of its staged name.
    private func hash(_ content: ContentID?, _ name: [UInt8]) -> String {
        let bytes = content.map { Array($0.bytes.prefix(4)) } ?? Array(name.suffix(4))
        return hexadecimal(bytes)
    }

    /// `NAME (recovered HASH8).EXT`, from the second on `NAME (recovered HASH8 2).EXT`; the name
    /// is cut where it would be too long.
    static func sibling(of name: [UInt8], _ hash: String, _ number: Int) -> [UInt8] {
        let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? 0
        let cut = dot > 0 ? dot : name.count
        let mark = Array(
            (number == 1 ? " (recovered \(hash))" : " (recovered \(hash) \(number))").utf8)
        var ending = Array(name[cut...])
        if ending.count > 64 { ending = [] }
        var stem = Array(
            name[..<cut].prefix(RelativePath.maximumNameLength - mark.count - ending.count))
        // Not in the midst of a UTF-8 sequence.
        while stem.count < cut, let last = stem.last, last & 0xC0 == 0x80 { stem.removeLast() }
        if stem.count < cut, let last = stem.last, last >= 0xC0 { stem.removeLast() }
        return stem + mark + ending
    }
}
