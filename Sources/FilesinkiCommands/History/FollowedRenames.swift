import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

/// A content that `diff` compares, and what it is called: its path may have had another name then, or have another one now.
struct NamedContent {
    var name: String
    var content: [UInt8]
    var entry: Entry
    /// The version of the path that was asked for; nil where it had another name then, and of what is here now.
    var ownVersion: UInt64?
}

extension Session {
    /// The content that what is at a path now had at a point of the history, also under an earlier name.
    ///
    /// - Throws: Code `not-found` if it was not there.
    func content(
        following path: RelativePath, at point: HistoryPoint
    ) async throws -> NamedContent {
        let asked = try await self.tree(at: point, of: [path])
        let (tree, found) = try await following(path, in: asked)
        let content = try await content(found, in: tree)
        let known = try tree.entry(found)
        return NamedContent(
            name: "\(found)@\(known.version)", content: content, entry: known.entry,
            ownVersion: found == path ? known.version : nil)
    }

    /// What is at a path now, as it was in a tree of the history: in that tree under the path, or in another one of the same
    /// point under an earlier name.
    ///
    /// - Parameter asked: The tree, with the path.
    /// - Returns: The tree and the path that were given, where nothing else was found: the tree knows why.
    func following(
        _ path: RelativePath, in asked: TreeAtPoint
    ) async throws -> (tree: TreeAtPoint, name: RelativePath) {
        guard (try? asked.entry(path)) == nil, let earlier = try await asked.earlierName(of: path)
        else { return (asked, path) }
        let other = try await replica.tree(at: asked.point, of: [earlier])
        // Where that name has no such version, it is said of the one that was asked for.
        guard (try? other.entry(earlier)) != nil else { return (asked, path) }
        return (other, earlier)
    }

    /// As ``following(_:in:)``, with what was found at the path that it has now, to be brought back there. Says which name it had.
    func treeToRestore(_ path: RelativePath, from asked: TreeAtPoint) async throws -> TreeAtPoint {
        let (tree, name) = try await following(path, in: asked)
        guard name != path else { return tree }
        console.say("\(path) was \(name) then.")
        return tree.renaming(name, to: path)
    }

    /// The content that is here of a path now, also under the name that a synced rename has given to it.
    ///
    /// - Parameter version: What had the path then is followed, also where the name has been used again; nil for what had it
    ///   last.
    /// - Throws: Code `not-found` if it is not here; says what became of it.
    func contentNow(
        following path: RelativePath, asOf version: UInt64?
    ) async throws -> NamedContent {
        do {
            let found = try await contentAndEntryNow(at: path)
            return NamedContent(name: "\(path)", content: found.content, entry: found.entry)
        } catch let failure as Failure where failure.code == .notFound {
            guard try await !isListed(path),
                let fate = try? await replica.fate(of: path, asOf: version ?? .max),
                let end = fate.end
            else { throw failure }
            let isThere = !fate.isDeleted && !fate.isFolder
            guard isThere, let found = try? await contentAndEntryNow(at: fate.name) else {
                throw try await ended(path, fate)
            }
            let notice = Failure(
                .exists, path: path.bytes,
                "It was renamed to \(fate.name) with version \(end.version), and is compared with that.",
                remedy: "")
            try console.show([Problem(path, notice)], type: "notice")
            return NamedContent(name: "\(fate.name)", content: found.content, entry: found.entry)
        }
    }

    /// Whether the last sync has found a path on both sides.
    func isListed(_ path: RelativePath) async throws -> Bool {
        try await replica.list([path]).contains { $0.0 == path }
    }

    /// That a path of the history is not here: what became of it, and where to look.
    func ended(_ path: RelativePath, _ fate: PathFate) async throws -> Failure {
        let log = "filesinki log \(console.hints.word(path))"
        guard let end = fate.end else {
            return Failure(
                .notFound, path: path.bytes, "Not found here as of the last sync.",
                remedy: "List its versions with \(log).")
        }
        let by = "with version \(end.version), by \(printable(end.device.name.utf8))"
        if fate.name == path {
            let isHeld = try settings.stateFolder.choiceNote().choice?.holds(path) ?? true
            let back = "Bring it back with filesinki undelete \(console.hints.word(path)), or list"
            return Failure(
                .notFound, path: path.bytes, "It was deleted \(by).",
                remedy: "\(isHeld ? back : "List") its versions with \(log).")
        }
        let isHere = fate.isFolder ? false : try await isListed(fate.name)
        let deed = fate.isDeleted ? ", and deleted there" : ""
        let next = "Compare that with filesinki diff \(console.hints.word(fate.name)), or list"
        return Failure(
            .notFound, path: path.bytes, "It was renamed to \(fate.name)\(deed) \(by).",
            remedy: "\(isHere ? next : "List") the versions of the old name with \(log).")
    }
}

extension Failure {
    /// The file was synced, and nothing is at its path now.
    static func deletedHere(_ path: RelativePath) -> Failure {
        Failure(
            .notFound, path: path.bytes, "Deleted here since the last sync.",
            remedy: "Bring it back with filesinki undelete \(ShellWord.path(path.bytes)).")
    }
}
