import FilesinkiHTTP
import FilesinkiRemote
import FilesinkiText

/// Removes what killed writers left at a WebDAV server: objects and slots with names of their own beside their
/// places.
struct WebDAVSweep {
    let server: WebDAVServer
    /// In seconds, by the server's clock.
    let age: Int64
    /// Whether objects are counted only.
    let isDryRun: Bool

    /// How many folders are requested at once.
    private static let parallelFolders = 8

    /// One request for each folder, and one or two for each removed object.
    ///
    /// - Returns: The number of removed objects.
    func sweep(_ folders: [String]) async throws -> Int {
        try await mapConcurrently(folders, limit: Self.parallelFolders, sweepFolder).reduce(0, +)
    }

    private func sweepFolder(_ folder: String) async throws -> Int {
        let collection = folder.isEmpty ? server.top : server.collection(String(folder.dropLast()))
        guard let found = try await server.properties(collection, withMembers: true),
            found.own.isCollection, let now = found.time
        else { return 0 }
        var count = 0
        for member in found.members where isLeft(member, now) {
            let isCounted = if isDryRun { true } else { try await remove(member, in: collection) }
            count += isCounted ? 1 : 0
        }
        return count
    }

    private func isLeft(_ member: MultiStatus.Resource, _ now: Int64) -> Bool {
        guard let name = member.names.last,
            TemporaryName.matches(String(decoding: name, as: UTF8.self)),
            let modified = member.modified.flatMap(DateText.seconds(http:))
        else { return false }
        return modified <= now - age
    }

    /// A staged slot is first renamed: its writer may wake up, and what is half removed would otherwise be moved to
    /// the slot's place as an empty folder, which nobody can fill.
    private func remove(
        _ member: MultiStatus.Resource, in collection: WebDAVPath
    ) async throws -> Bool {
        let name = String(decoding: member.names.last ?? [], as: UTF8.self)
        var path = collection.member(member.isCollection ? name + "/" : name)
        if member.isCollection {
            let renamed = path.temporarySibling
            let moved = try await server.move(path, to: renamed, overwrite: false)
            guard moved.reply.isMoved else { return false }
            path = renamed
        }
        return try await server.send("DELETE", path).isSuccess
    }
}
