import FilesinkiModel
import FilesinkiRemote

extension ZoneClient {
    /// The minimum time between two looks for a note of a move at a network remote, in seconds.
    private static let secondsPerLook: Int64 = 60 * 60

    /// Looks for a note that the store was moved elsewhere, before something is published that would not be in the copy.
    ///
    /// Costs one request; at a network remote only if it has not looked within the last hour. While there is a note, it looks
    /// each time. A look that fails finds nothing: what follows says what is wrong. Who may not look asks again in an hour.
    ///
    /// - Parameter address: The remote's address as the replica has it. A note of it is left over from a way there and back.
    package nonisolated(nonsending) func findMove(from address: String?) async throws -> StoreMove?
    {
        let connection = try await connected()
        let isLocal = connection.remote.unwrapped(as: (any LocalRemote).self) != nil
        guard try isLocal || !has(Self.secondsPerLook, notPassedSince: .moveLook) else {
            return nil
        }
        var note: StoreMove?
        do {
            note = try await StoreMove.read(at: connection.remote, of: connection.format.id)
        } catch let failure as Failure where failure.code != .interrupted {
            guard failure.isRefusal else { return nil }
        }
        if let note, note.address != address { return note }
        if !isLocal { try memory.set([.moveLook: now]) }
        return nil
    }
}
