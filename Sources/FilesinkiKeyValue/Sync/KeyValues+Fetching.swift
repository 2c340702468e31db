internal import FilesinkiModel
internal import FilesinkiStore

extension KeyValues {
    /// Fetches what is new in the log.
    ///
    /// - Throws: Code `away` when the remote cannot be reached; `wrong-store` or `corrupt` when it is
    ///   another store, its history is not the one that was read, or lacks commits.
    func fetch(_ options: ExchangeOptions) async throws -> FetchedBatch {
        var values = FetchedValues()
        var result = try await zone.fetch(into: &values)
        if options.acceptsAccount, try await isMismatch(result) {
            result = try await zone.fetch(into: &values, adopting: true)
        }
        return FetchedBatch(log: try result.get(), values: values)
    }

    /// Whether the store is not as it was, commits included that only stop a publication.
    private func isMismatch(_ result: FetchResult) async throws -> Bool {
        guard case .fetched(let fetched) = result else { return true }
        do { try await zone.proveEnd(at: fetched.end.token) } catch is StoreMismatch { return true }
        return false
    }

    /// Takes a new device id where a copy of this replica publishes with the present one: before anything
    /// else is published.
    ///
    /// What was noticed is noted in the file, so that the next exchange does it where this one cannot.
    func keepIdentity(_ report: inout ExchangeReport) async throws {
        guard let shared = try database.setting("copied-device") else { return }
        if shared == memory.device.id {
            do {
                memory.device = try await place.renewDevice(shared)
            } catch let failure as Failure where failure.code != .interrupted {
                return report.notices.append(failure)
            }
            report.notices.append(.newDevice(memory.device, instead: shared))
        }
        try database.write {
            try database.set("copied-device", nil)
            try database.set([.acknowledgement: 0, .acknowledgementTime: 0])
        }
    }
}

extension Failure {
    /// The replica has a new id, because a copy of it publishes with the former one.
    fileprivate static func newDevice(_ device: Device, instead former: [UInt8]) -> Failure {
        Failure(
            .exists,
            "Another replica publishes with this one's device id: a copy of this replica, or a state "
                + "before it was restored.",
            remedy:
                "This one is the device \(device.name) from now on. If the other one is gone for "
                + "good, run filesinki devices forget \(hexadecimal(former).prefix(8)).")
    }
}
