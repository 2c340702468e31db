import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

extension Session {
    /// The failure of `undelete` of a folder that is there. Where nothing in it was deleted, or only
    /// conflict copies that a resolve has removed, there is nothing to bring back, and nothing is proposed.
    func refined(_ failure: Failure) async -> Failure {
        if failure.code == .notFound, failure.remedy.contains("filesinki ls --deleted"),
            let path = try? RelativePath(failure.path)
        {
            return await namingDeleted(namingUnsent(failure, "\(path)"), path)
        }
        guard failure.code == .exists, let path = try? RelativePath(failure.path),
            RootReader(root: root.path).isFolder(path)
        else { return failure }
        if let coming = await unreceived(inside: path) { return coming }
        guard let known = try? await replica.deleted([path]) else { return failure }
        let inside = known.filter { $0.path.isInside(path) }
        // As the pattern does that is proposed: see ``DeletedPathFinder``.
        let deleted = (try? await replica.withoutRenamed(inside)) ?? inside
        guard deleted.allSatisfy(\.isResolvedCopy) else { return failure }
        var refined = failure
        refined.remedy =
            deleted.isEmpty
            ? "Nothing in it was deleted: see filesinki ls --deleted."
            : "Only conflict copies that were resolved are missing in it: see filesinki ls --deleted --all."
        return refined
    }

    /// The failure of `undelete` of a folder that another device has deleted, or something in it, where that is not received
    /// here yet; nil if nothing is known of such a deletion.
    private func unreceived(inside folder: RelativePath) async -> Failure? {
        let all = try? await replica.unreceivedDeletions()
        if let whole = all?.first(where: { $0.path == folder }) {
            return .unreceived(whole, of: folder, console.hints.word(folder))
        }
        return all?.first { $0.path.isInside(folder) }.map {
            .unreceived($0, of: folder, ShellWord.path(folder.bytes + Array("/*".utf8)))
        }
    }

    /// The same of a pattern; nil if it matches no such deletion.
    func unreceived(matching argument: String) async -> Failure? {
        guard let pattern = try? PathPattern(argument),
            let all = try? await replica.unreceivedDeletions(),
            let first = all.first(where: { pattern.covers($0.path) })
        else { return nil }
        return .unreceived(first, of: first.path, ShellWord.path(argument.utf8))
    }

    /// The failure of `undelete` of a name that was not deleted, with the deleted path or folder that has it in another folder or
    /// with other capitals, if there is one only.
    private func namingDeleted(_ failure: Failure, _ name: RelativePath) async -> Failure {
        // One that is named already is nearer.
        if failure.remedy.contains("filesinki undelete ") { return failure }
        let deleted = ((try? await replica.deleted([])) ?? []).filter { !$0.isResolvedCopy }
        let wanted = Self.lastName(of: name)
        var found: Set<RelativePath> = []
        for path in deleted.map(\.path) {
            var next: RelativePath? = path
            while let one = next {
                if Self.lastName(of: one) == wanted { found.insert(one) }
                next = one.parent
            }
        }
        let reader = RootReader(root: root.path)
        found = found.filter { $0 != name && !reader.exists($0) }
        guard found.count == 1, let one = found.first else { return failure }
        var refined = failure
        refined.remedy =
            "Did you mean \(one)? To bring it back, run filesinki undelete "
            + "\(console.hints.word(one)). " + failure.remedy
        return refined
    }

    private static func lastName(of path: RelativePath) -> String {
        String(decoding: path.name, as: UTF8.self).lowercased()
    }

    /// The failure of `undelete` of what is not known as deleted. `ls --deleted`, which it names, lists nothing that was deleted
    /// here since the last sync; where there is that, it names what lists it, and a similar name in it.
    ///
    /// - Parameter name: What the user named, from the root.
    func namingUnsent(_ failure: Failure, _ name: String) async -> Failure {
        let unsent = ((try? await replica.unsentDeletions()) ?? []).filter { !$0.isMovedAway }
        guard !unsent.isEmpty else { return failure }
        let length = name.count
        // Others are not near, and comparing them all takes time.
        let similar = unsent.filter { abs("\($0.path)".count - length) <= 2 }
        let nearest = NearestWord.nearest(to: name, among: similar.map { "\($0.path)" })
        let found = similar.first { "\($0.path)" == nearest }
        var refined = failure
        refined.remedy =
            (found.map {
                "To bring back \($0.path), run filesinki undelete \(console.hints.word($0.path)). "
            } ?? "")
            + "What was deleted here since the last sync is listed by filesinki sync --dry-run. "
            + failure.remedy
        return refined
    }
}

extension Failure {
    /// - Parameters:
    ///   - path: What was to be brought back.
    ///   - word: What names it in a command.
    fileprivate static func unreceived(
        _ deletion: UnreceivedDeletion, of path: RelativePath, _ word: String
    ) -> Failure {
        let device = deletion.device.map { printable($0.name.utf8) } ?? "Another device"
        let what = deletion.path == path ? "it" : "\(deletion.path)"
        return Failure(
            .exists, path: path.bytes,
            "\(device) deleted \(what) with version \(deletion.version), which the next sync receives.",
            remedy: "Run filesinki sync, then filesinki undelete \(word).")
    }
}
