import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem

/// Reads one page of the objects of a store in the order of their keys. Opens only folders that can
/// contain a key of the page, several at once.
struct SFTPListing {
    private let store: SFTPStore
    private let session: SFTPSession
    private let scope: KeyScope
    private let limit: Int
    private var found: [ObjectInfo] = []

    /// How many folders are read at once.
    private static let parallelFolders = 32

    /// An object of the page, or a folder that can contain one.
    private struct Candidate {
        /// A folder's key ends with a slash.
        var key: [UInt8]
        var size: UInt64?
        var isFolder: Bool { key.last == UInt8(ascii: "/") }
    }

    init(
        _ store: SFTPStore, _ session: SFTPSession, prefix: String, after: ObjectKey?, limit: Int
    ) {
        self.store = store
        self.session = session
        scope = KeyScope(prefix: prefix, after: after)
        self.limit = limit
    }

    mutating func readPage() async throws -> [ObjectInfo] {
        guard limit > 0, let start = scope.start else { return [] }
        try await walk(try await candidates(below: start))
        return found
    }

    private mutating func walk(_ candidates: [Candidate]) async throws {
        var ahead: [Int: [Candidate]] = [:]
        for (index, candidate) in candidates.enumerated() {
            if found.count >= limit { return }
            if candidate.isFolder {
                if ahead.isEmpty { ahead = try await readNextFolders(candidates, from: index) }
                try await walk(ahead.removeValue(forKey: index) ?? [])
            } else if let key = try? ObjectKey(String(decoding: candidate.key, as: UTF8.self)) {
                guard let size = candidate.size else { throw Self.unknownKind(candidate.key) }
                found.append(ObjectInfo(key: key, size: Int64(clamping: size)))
            }
        }
    }

    /// Reads the next folders that the page may need, several at a time.
    private func readNextFolders(
        _ candidates: [Candidate], from start: Int
    ) async throws -> [Int: [Candidate]] {
        let next = candidates.indices[start...].filter { candidates[$0].isFolder }
            .prefix(min(Self.parallelFolders, limit - found.count))
        let found = try await mapConcurrently(Array(next), limit: Self.parallelFolders) {
            [self] index in try await self.candidates(below: candidates[index].key)
        }
        return Dictionary(uniqueKeysWithValues: zip(next, found))
    }

    /// The members of a folder that are or can contain objects of the page, in key order: a folder sorts as
    /// its name with a slash.
    private func candidates(below path: [UInt8]) async throws -> [Candidate] {
        var result: [Candidate] = []
        for member in try await SFTPFolder(store, session).members(of: path) {
            let attributes = member.attributes
            guard attributes.mode != nil else { throw Self.unknownKind(path + member.name) }
            guard attributes.isFolder || attributes.isRegularFile,
                let key = scope.key(of: member.name, in: path, isFolder: attributes.isFolder)
            else { continue }
            result.append(
                Candidate(key: key, size: attributes.isFolder ? nil : attributes.size))
        }
        return result.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    private static func unknownKind(_ key: [UInt8]) -> Failure {
        Failure(
            .unfitStore, path: key, "The host does not report what this is.",
            remedy: "Use a host with OpenSSH's sftp-server, or filesinki serve.")
    }
}
