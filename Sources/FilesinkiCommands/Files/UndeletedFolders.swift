import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules
import FilesinkiText

extension Session {
    /// The failure of `undelete` of a folder that is there. Where nothing in it was deleted, there is nothing to bring back, and
    /// nothing is proposed.
    func refined(_ failure: Failure) async -> Failure {
        guard failure.code == .exists, let path = try? RelativePath(failure.path),
            RootReader(root: root.path).isFolder(path)
        else { return failure }
        if let coming = await unreceived(inside: path) { return coming }
        guard let deleted = try? await replica.deleted([path]),
            !deleted.contains(where: { $0.path.isInside(path) })
        else { return failure }
        var refined = failure
        refined.remedy = "Nothing in it was deleted: see filesinki ls --deleted."
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
            .unreceived($0, of: folder, ShellWord.shown(folder.bytes + Array("/*".utf8)))
        }
    }

    /// The same of a pattern; nil if it matches no such deletion.
    func unreceived(matching argument: String) async -> Failure? {
        guard let pattern = try? PathPattern(argument),
            let all = try? await replica.unreceivedDeletions(),
            let first = all.first(where: { pattern.covers($0.path) })
        else { return nil }
        return .unreceived(first, of: first.path, ShellWord.shown(argument.utf8))
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
