import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore

extension ItemPlace {
    /// Checks that the log of the zone in the store has the last commit that this device has seen of it, as the next
    /// exchange does. Changes nothing. One request; none for a zone that was not synced yet, whose exchange is turned
    /// off, or that is of another store.
    ///
    /// - Parameter store: The id of the replica's store; empty if it is not known.
    /// - Throws: What the exchange would throw: `Failure` with code `wrong-store` where the commit is gone.
    package func requireSeenCommit(in store: [UInt8]) async throws {
        guard let database = try ItemDatabase<Kind>(reading: file),
            let known = try database.knownStore(), store.isEmpty || known.id == store,
            let position = try database.logPosition(), position.token.sequence > 0,
            try database.setting("off") == nil
        else { return }
        let place = self
        let client = ZoneClient(
            Zone(place, generation: try database.generation()),
            memory: ItemMemory(database, place), systemContext: systemContext
        ) { try place.openRemote() }
        do { _ = try await client.reader(behind: position) } catch let failure as Failure
            where failure.code == .tokenExpired
        {
            // A checkpoint has it.
        }
    }
}
