import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote

/// One page of the objects below a folder, in the order of their keys, folder by folder: of the rest
/// of the store, however large, nothing is asked.
struct WebDAVListing {
    private let server: WebDAVServer
    private let scope: KeyScope
    private let limit: Int
    private var found: [ObjectInfo] = []
    /// How many folders were asked for since an object was found.
    private var asked = 0

    /// How many folders are asked for at once.
    private static let parallelFolders = 8

    /// More folders than this are not asked for without an object in one of them: a server that makes
    /// up ever more would be asked for ever.
    private static let maximumFolders = 2000

    /// What may lead to a wanted key, or is one.
    private struct Candidate {
        /// That of a folder ends with a slash.
        var key: [UInt8]
        var size: Int64?
        var isFolder: Bool { key.last == UInt8(ascii: "/") }
    }

    init(_ server: WebDAVServer, prefix: String, after: ObjectKey?, limit: Int) {
        self.server = server
        scope = KeyScope(prefix: prefix, after: after)
        self.limit = limit
    }

    mutating func run() async throws -> [ObjectInfo] {
        guard limit > 0, let start = scope.start else { return [] }
        try await walk(try await candidates(below: start))
        return found
    }

    private mutating func walk(_ candidates: [Candidate]) async throws {
        var ahead: [Int: [Candidate]] = [:]
        for (index, candidate) in candidates.enumerated() {
            if found.count >= limit { return }
            if candidate.isFolder {
                if ahead.isEmpty { ahead = try await lookAhead(candidates, from: index) }
                try await walk(ahead.removeValue(forKey: index) ?? [])
            } else if let key = try? ObjectKey(String(decoding: candidate.key, as: UTF8.self)) {
                guard let size = candidate.size else { throw noSize(key) }
                asked = 0
                found.append(ObjectInfo(key: key, size: size))
            }
        }
    }

    /// Asks for the next folders, several at a time, as far as the page may still need them.
    private mutating func lookAhead(
        _ candidates: [Candidate], from start: Int
    ) async throws -> [Int: [Candidate]] {
        let next = candidates.indices[start...].filter { candidates[$0].isFolder }
            .prefix(min(Self.parallelFolders, limit - found.count))
        asked += next.count
        guard asked <= Self.maximumFolders else { throw tooManyFolders }
        return try await withThrowingTaskGroup(of: (Int, [Candidate]).self) { [self] group in
            for index in next {
                group.addTask { (index, try await self.candidates(below: candidates[index].key)) }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    /// The names in a folder that can lead to wanted keys, in the keys' order: a folder stands where
    /// its name with a slash does.
    private func candidates(below path: [UInt8]) async throws -> [Candidate] {
        let folder = server.collection(String(decoding: path.dropLast(), as: UTF8.self))
        // It may have been deleted since its name was read.
        guard let there = try await server.properties(folder, withMembers: true),
            there.own.isCollection
        else { return [] }
        var result: [Candidate] = []
        for member in there.members {
            guard let name = member.names.last,
                let key = scope.key(of: name, in: path, isFolder: member.isCollection)
            else { continue }
            result.append(Candidate(key: key, size: member.isCollection ? nil : member.size))
        }
        return result.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    private func noSize(_ key: ObjectKey) -> Failure {
        Failure(
            .unfitStore, path: key.description, "The server does not say how large this is.",
            remedy: "Use another server, or a folder of this one that is mounted here.")
    }

    private var tooManyFolders: Failure {
        Failure(
            .limit, path: server.address.description,
            "The server lists more folders than any store has.",
            remedy: "Check the address, and what else is kept in the folder of the store.")
    }
}
