import FilesinkiManifest
import FilesinkiModel

// How a run ended at an address, or with an access, that the replica has left. `status` is silent about it, for there
// is nothing to do any more.

extension RunRow {
    /// Whether it was the remote that stopped it.
    fileprivate var wasStoppedByRemote: Bool {
        let codes: [Failure.Code] = [.away, .notAllowed, .wrongStore, .unfitStore, .newerFormat]
        return codes.contains { $0.description == outcome }
    }
}

extension ManifestDatabase {
    fileprivate static let leftRunName = "left-run"

    /// Whether the run was stopped by a remote that was set anew since.
    func isOfLeftRemote(_ run: RunRow) throws -> Bool {
        try value(Self.leftRunName) == Array(String(run.id).utf8)
    }
}

extension ManifestWriter {
    /// Notes that the remote was set anew after the last run.
    ///
    /// - Parameter last: That run; nil if there was none.
    func leaveRemote(of last: RunRow?) throws {
        guard let last, last.wasStoppedByRemote else { return }
        try setValue(ManifestDatabase.leftRunName, Array(String(last.id).utf8))
    }

    /// Forgets that note: a run that ends as the one before is recorded in its place.
    func forgetLeftRemote() throws { try setValue(ManifestDatabase.leftRunName, nil) }
}
