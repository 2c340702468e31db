import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem

extension WebDAVRemote {
    /// Looks at the prefix's collection again and again, with growing pauses.
    ///
    /// Only its own properties are asked for, half a kilobyte whatever it holds: its time changes
    /// whenever a slot is moved into it. Where a server tells none, its members are compared. The last
    /// sight is remembered, so that what came between two waits ends the second at once.
    func poll(prefix: String, timeout: Duration) async throws {
        let folder = prefix.lastIndex(of: "/").map { prefix[..<$0] } ?? ""
        guard folder.isEmpty || (try? ObjectKey(String(folder))) != nil else {
            return try await systemContext.sleep(max(timeout, .zero))
        }
        let collection = server.collection(folder)
        var sight = try await look(at: collection)
        var last = pollCursor.advance(prefix, to: sight) ?? sight
        var backoff = Backoff(.seconds(1)...(.seconds(30)), limit: timeout)
        while sight.shown == last.shown, !backoff.isOver {
            try await systemContext.sleep(backoff.next())
            // In the second of a change there may be another one that shows nothing.
            guard !backoff.isOver, !last.isFresh, !sight.isFresh else { return }
            last = sight
            sight = try await look(at: collection)
            pollCursor.advance(prefix, to: sight)
        }
    }

    private func look(at collection: WebDAVPath) async throws -> CollectionSight {
        guard let there = try await server.properties(collection) else { return CollectionSight() }
        if let tag = there.own.entityTag {
            // Apache's becomes a strong one when a second has gone by.
            return CollectionSight(.tag(tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag))
        }
        if let modified = there.own.modified {
            return CollectionSight(.time(modified), isFresh: there.isFresh)
        }
        let members = try await server.properties(collection, withMembers: true)?.members ?? []
        return CollectionSight(.members(Set(members.map(\.names))))
    }
}
