import FilesinkiModel
import FilesinkiRemote

extension DeviceRegistry {
    /// Removes everything that a device has written down of itself, in every zone.
    ///
    /// - Parameter id: The device's 16 bytes.
    /// - Throws: What the remote throws.
    package func forget(_ id: [UInt8]) async throws {
        let prefix = "\(Self.prefix)\(hexadecimal(id))/"
        while true {
            let objects = try await remote.list(prefix: prefix, after: nil, limit: Self.page)
            if objects.isEmpty { return }
            for object in objects { try await remote.delete(object.key) }
        }
    }
}
