import FilesinkiModel
import FilesinkiText

extension Conflicts {
    /// The version of a path with which a user resolves its conflict.
    ///
    /// - Parameter sides: What else may be taken, for the message.
    /// - Throws: Code `not-found` with the numbers of the path's versions, if this is none of them.
    func version(
        _ number: UInt64, of path: RelativePath, orElse sides: ConflictSides
    ) async throws -> Entry {
        let found = try await history.tree(at: .version(number), of: [path]).state(of: path)
        // A folder has the versions of what is in it.
        if let found, found.version == number || found.entry.kind == .directory {
            return found.entry
        }
        let known = try await history.versions(of: path).map(\.version)
        throw Failure.noVersion(number, of: path, known, orElse: sides)
    }
}

extension Failure {
    /// How many versions a message names.
    private static let namedVersions = 8

    fileprivate static func noVersion(
        _ number: UInt64, of path: RelativePath, _ known: [UInt64], orElse sides: ConflictSides
    ) -> Failure {
        // A commit that resolves a conflict may have two of one number.
        let versions = known.reduce(into: [UInt64]()) { if $0.last != $1 { $0.append($1) } }
        let newest = versions.suffix(namedVersions).map(String.init)
        let all = versions.count > namedVersions ? "its newest versions, " : "its versions, "
        let words = sides.inOrder.map { ShellWord.shown(sides.label($0).utf8) }
        return Failure(
            .notFound, path: path.bytes, "Version \(number) was not found.",
            remedy: "Take \(words.joined(separator: ", ")), base, or one of \(all)"
                + "\(newest.joined(separator: ", ")); filesinki log "
                + "\(ShellWord.path(path.bytes)) lists them.")
    }
}
