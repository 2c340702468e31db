import FilesinkiItems
import FilesinkiModel

extension ZoneCatalogue {
    /// Whether there is a zone of a name: on this device, in the catalogue or in the store. Makes no file for it, so that
    /// a mistyped name does not become a zone.
    ///
    /// - Parameter asksStore: Whether the remote is asked about a zone that is not known here.
    /// - Throws: `Failure` with code `usage` for an invalid name, `away` when the remote does not answer.
    package func hasZone(_ name: String, asksStore: Bool) async throws -> Bool {
        let zone = place(of: RecordKind.self, name)
        try zone.check()
        if try knows(name) { return true }
        guard asksStore, place.address != nil else { return false }
        var fetch = ExchangeOptions()
        fetch.onlyFetches = true
        // A token for some zones only cannot read the catalogue; the zone may be one of them.
        do { _ = try await exchange(fetch) } catch let failure as Failure
            where failure.code == .notAllowed
        {}
        if try knows(name) { return true }
        return try await zone.isStored()
    }

    private func knows(_ name: String) throws -> Bool {
        try knownZones().contains { $0.zone == name }
    }
}
