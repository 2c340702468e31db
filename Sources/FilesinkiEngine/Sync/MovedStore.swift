import FilesinkiManifest
import FilesinkiModel
import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

/// Tells a replica that still uses the old remote of a store that the store was copied to another one; see
/// ``FilesinkiStore/StoreMove``.
extension SyncEngine {
    /// How often the remote is asked. A run without news costs one request otherwise.
    private static let secondsPerLook: Int64 = 24 * 60 * 60

    /// Reports that the store was moved, if it was. Asks the remote at the first run for everything, and then once a day.
    func reportMove(_ run: inout SyncRun) async throws {
        guard !run.isPartial else { return }
        if !run.options.isDryRun, try isLookDue() { try await lookForMove() }
        guard let move = try manifest.movedStore else { return }
        run.report.notices.append(Problem(RelativePath(unchecked: []), .moved(move)))
    }

    private func isLookDue() throws -> Bool {
        guard let bytes = try manifest.value(ManifestDatabase.moveLook),
            let last = Int64(String(decoding: bytes, as: UTF8.self))
        else { return true }
        let (passed, isHuge) = systemContext.now().seconds.subtractingReportingOverflow(last)
        // A clock that was set back asks again.
        return isHuge || passed < 0 || passed >= Self.secondsPerLook
    }

    /// A look that fails is no failure of the run.
    private func lookForMove() async throws {
        let remote = try await connected().remote
        let notes: [StoreMove]
        do { notes = try await StoreMove.read(at: remote, of: config.store) } catch {
            if (error as? Failure)?.code == .interrupted || error is CancellationError {
                throw error
            }
            return
        }
        // A note about this very remote is left over from a way there and back.
        let other = notes.first { $0.address != config.remote }
        let now = systemContext.now().seconds
        try manifest.write { writer in
            try writer.setValue(ManifestDatabase.moveLook, Array(String(now).utf8))
            try writer.setMovedStore(other)
        }
    }
}

/// Where a store was moved to, as a replica remembers it.
package struct MovedStore: Hashable, Sendable {
    package var address: String
    /// The device that moved it.
    package var device: String
}

extension ManifestDatabase {
    fileprivate static let moveLook = "move-look"
    fileprivate static let moveAddress = "moved-to"
    fileprivate static let moveDevice = "moved-by"
    static let moveValues = [moveLook, moveAddress, moveDevice]

    /// Where the store was moved to; nil if nobody has said so.
    var movedStore: MovedStore? {
        get throws {
            guard let address = try value(Self.moveAddress) else { return nil }
            return MovedStore(
                address: String(decoding: address, as: UTF8.self),
                device: String(decoding: try value(Self.moveDevice) ?? [], as: UTF8.self))
        }
    }
}

extension ManifestWriter {
    fileprivate func setMovedStore(_ move: StoreMove?) throws {
        try setValue(ManifestDatabase.moveAddress, move.map { Array($0.address.utf8) })
        try setValue(ManifestDatabase.moveDevice, move.map { Array($0.device.utf8) })
    }

    /// Forgets where the store was moved to: another remote is asked from now on.
    func forgetMove() throws {
        for name in ManifestDatabase.moveValues { try setValue(name, nil) }
    }
}

extension Failure {
    /// The store has a note that it was copied to another place.
    fileprivate static func moved(_ move: MovedStore) -> Failure {
        let address = ShellWord.shown(move.address.utf8)
        let device = move.device.isEmpty ? "" : " by \(printable(move.device.utf8))"
        return Failure(
            .wrongStore, "The store was moved to \(address)\(device).",
            remedy: "If you know that address, run filesinki remote set \(address).")
    }
}
