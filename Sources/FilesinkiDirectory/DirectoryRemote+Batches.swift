import FilesinkiModel
package import FilesinkiRemote
import FilesinkiSystem
import Glibc

extension DirectoryRemote {
    /// What there is at one key of several that are looked at together.
    package enum Look: Sendable {
        case absent
        /// All bytes of an object that is not large.
        case bytes([UInt8])
        /// An object that is better read in pieces.
        case large(StoredObject)
    }

    /// Looks at several keys on one thread, in their order.
    ///
    /// - Parameters:
    ///   - small: Objects up to this many bytes are read at once.
    ///   - budget: When this many bytes have been read, the rest is not looked at.
    ///   - untilAbsent: Whether nothing is looked at behind the first that is absent.
    /// - Returns: A look for each of the first keys; at least one.
    /// - Throws: As ``open(_:)`` does.
    package func look(
        at keys: [ObjectKey], small: Int, budget: Int, untilAbsent: Bool = false
    ) async throws -> [Look] {
        try await offload {
            var looks: [Look] = []
            var read = 0
            for key in keys {
                let look = try lookNow(at: key, small: small)
                looks.append(look)
                switch look {
                case .bytes(let bytes): read += bytes.count
                case .absent: if untilAbsent { return looks }
                case .large: break
                }
                if read >= budget { break }
            }
            return looks
        }
    }

    private func lookNow(at key: ObjectKey, small: Int) throws(Failure) -> Look {
        guard let object = try openNow(key) else { return .absent }
        guard object.size <= Int64(small) else { return .large(object) }
        return .bytes(try object.readNow(from: 0, count: Int(object.size)))
    }

    /// Which of the keys are there, in their order.
    ///
    /// - Throws: `Failure`: `away`, `io`, `corrupt` when a symlink stands in the way.
    package func has(_ keys: [ObjectKey]) async throws -> [Bool] {
        try await offload { try keys.map { key throws(Failure) in try hasNow(key) } }
    }

    private func hasNow(_ key: ObjectKey) throws(Failure) -> Bool {
        guard let parent = try folder.descend(key.folders, key.description) else { return false }
        return try reported("examine the object", key.description) { () throws(SystemError) in
            try parent.record(of: key.name.utf8)?.isRegularFile ?? false
        }
    }

    /// Whether the store's folder is there.
    package func isThere() async -> Bool {
        let opened: Bool? = try? await offload {
            _ = try folder.open()
            return true
        }
        return opened ?? false
    }
}
