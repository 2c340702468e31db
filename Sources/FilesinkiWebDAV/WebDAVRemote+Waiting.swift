import FilesinkiModel
import FilesinkiRemote

extension WebDAVRemote {
    /// The first pause between two looks.
    private static let firstPause = Duration.seconds(1)
    /// The longest one.
    private static let longestPause = Duration.seconds(30)

    /// What a look at a collection shows, of which a change says that members came or went.
    private struct Sight: Equatable {
        var entityTag: String?
        var modified: String?
        /// Whether a change since then may show nothing: times are told in whole seconds.
        var isFresh = false
        /// Of servers that say neither: the members.
        var members: Set<[[UInt8]]> = []
    }

    /// Looks at the prefix's collection again and again, with growing pauses.
    ///
    /// Only its own properties are asked for, half a kilobyte whatever it holds: its time changes
    /// whenever a slot is moved into it. Where a server tells none, its members are compared.
    func poll(prefix: String, timeout: Duration) async throws {
        var remaining = timeout
        let folder = prefix.lastIndex(of: "/").map { prefix[..<$0] } ?? ""
        guard remaining > .zero, folder.isEmpty || (try? ObjectKey(String(folder))) != nil else {
            return try await surroundings.sleep(max(remaining, .zero))
        }
        let collection = server.collection(folder)
        let first = try await look(at: collection)
        var pause = Self.firstPause
        while true {
            try await surroundings.sleep(min(pause, remaining))
            remaining -= min(pause, remaining)
            guard remaining > .zero else { return }
            if first?.isFresh == true { return }
            if try await look(at: collection) != first { return }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Nil when the collection is not there yet.
    private func look(at collection: WebDAVPath) async throws -> Sight? {
        guard let there = try await server.properties(collection) else { return nil }
        if let tag = there.own.entityTag {
            // Apache's becomes a strong one when a second has gone by.
            return Sight(entityTag: tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag)
        }
        if let modified = there.own.modified {
            return Sight(modified: modified, isFresh: there.isFresh)
        }
        let members = try await server.properties(collection, withMembers: true)?.members ?? []
        return Sight(members: Set(members.map(\.names)))
    }
}
