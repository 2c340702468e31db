import FilesinkiRemote
import Synchronization

/// A remote where something happens before packs are read.
final class PackReadHook: RemoteWrapper {
    private struct Deed {
        var isOnce: Bool
        var body: @Sendable () async throws -> Void
    }

    let wrapped: any Remote
    private let deed = Mutex<Deed?>(nil)

    init(wrapped: any Remote) { self.wrapped = wrapped }

    /// Does something before a pack is read for the first time.
    func beforeReading(_ body: @escaping @Sendable () async throws -> Void) {
        deed.withLock { $0 = Deed(isOnce: true, body: body) }
    }

    /// Does something before a pack is read, each time.
    func beforeEachRead(_ body: @escaping @Sendable () async throws -> Void) {
        deed.withLock { $0 = Deed(isOnce: false, body: body) }
    }

    private func act(on key: ObjectKey) async throws {
        guard key.description.hasPrefix("packs/") else { return }
        let found = deed.withLock { deed in
            let found = deed
            if found?.isOnce == true { deed = nil }
            return found
        }
        try await found?.body()
    }

    func get(_ key: ObjectKey, range: Range<Int64>?) async throws -> [UInt8]? {
        try await act(on: key)
        return try await wrapped.get(key, range: range)
    }

    func read(_ requests: [ObjectRequest]) async throws -> [ObjectReply] {
        for request in requests { try await act(on: request.key) }
        return try await wrapped.read(requests)
    }
}
