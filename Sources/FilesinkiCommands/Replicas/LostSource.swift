import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote

extension RemoteSetCommand {
    /// Checks that the store which is to be copied can be read.
    ///
    /// - Throws: What the remote throws. Where the new address has the replica's store already, as the place that it
    ///   was moved from, the remedy is how to go on there.
    func requireSource(copyingTo address: RemoteAddress, _ session: Session) async throws {
        do {
            _ = try await session.replica.findMove()
        } catch let failure as Failure where [.away, .notFound].contains(failure.code) {
            let access = try reaching.access(of: session.settings, in: session.console)
            let connect = session.console.connector(access, of: session.settings)
            guard
                let found = await session.replica.storeElsewhere(
                    at: address.text, lacking: session.lackingZones, connect: connect)
            else { throw failure }
            throw failure.goingOn(at: address, found)
        }
    }
}

extension Failure {
    /// The same of a store that is not there, where it can go on at another place.
    fileprivate func goingOn(at address: RemoteAddress, _ found: StoreElsewhere) -> Failure {
        let way = "If it is lost, run \(found.steps(at: address.text))."
        var failure = self
        failure.remedy =
            remedy.contains(Self.lostStoreRemedy)
            ? remedy.replacing(Self.lostStoreRemedy, with: way) : "\(remedy) \(way)"
        return failure
    }
}
