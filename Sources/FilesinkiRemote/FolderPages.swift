import FilesinkiModel
import FilesinkiSystem

/// Lists a remote whose folders are read one by one: pages of its objects in the order of their keys.
///
/// Reads only folders that can contain a key of the page, several at once.
package struct FolderPages: Sendable {
    /// A name in a folder.
    package struct Member: Sendable {
        var name: [UInt8]
        var isFolder: Bool
        var size: Int64?

        /// - Parameter size: In bytes; nil for a folder, and where the remote does not report it.
        package init(_ name: [UInt8], isFolder: Bool, size: Int64?) {
            self.name = name
            self.isFolder = isFolder
            self.size = size
        }
    }

    private let address: String
    private let parallelFolders: Int
    private let alternative: String
    private let readFolder: @Sendable (_ path: [UInt8]) async throws -> [Member]

    /// - Parameters:
    ///   - address: The remote's address for messages.
    ///   - parallelFolders: How many folders are read at once.
    ///   - alternative: What to use in place of a remote that does not report sizes, as a sentence.
    ///   - readFolder: Reads all members of a folder, in any order; none when it does not exist. The path is
    ///     a prefix of keys that ends with a slash, or empty for the store's folder.
    package init(
        of address: String, parallelFolders: Int, alternative: String,
        readFolder: @escaping @Sendable (_ path: [UInt8]) async throws -> [Member]
    ) {
        self.address = address
        self.parallelFolders = parallelFolders
        self.alternative = alternative
        self.readFolder = readFolder
    }

    /// Up to `limit` objects whose keys begin with `prefix` and come after `after`.
    ///
    /// - Throws: `Failure` with code `unfit-store` for an object without a size, `limit` for a remote that
    ///   lists ever more folders, and what reading a folder throws.
    package func list(prefix: String, after: ObjectKey?, limit: Int) async throws -> [ObjectInfo] {
        let scope = KeyScope(prefix: prefix, after: after)
        guard limit > 0, let start = scope.start else { return [] }
        var page = Page(pages: self, scope: scope, limit: limit)
        try await page.walk(try await page.candidates(below: start))
        return page.found
    }

    /// A page while it is read.
    private struct Page {
        let pages: FolderPages
        let scope: KeyScope
        let limit: Int
        var found: [ObjectInfo] = []
        /// How many folders were read since the last object was found.
        var readFolders = 0

        /// The most folders that are read without finding an object.
        static let maximumFolders = 2000

        /// An object of the page, or a folder that can contain one.
        struct Candidate {
            /// A folder's key ends with a slash.
            var key: [UInt8]
            var size: Int64?
            var isFolder: Bool { key.last == UInt8(ascii: "/") }
        }

        mutating func walk(_ candidates: [Candidate]) async throws {
            var ahead: [Int: [Candidate]] = [:]
            for (index, candidate) in candidates.enumerated() {
                if found.count >= limit { return }
                if candidate.isFolder {
                    if ahead.isEmpty { ahead = try await readNext(candidates, from: index) }
                    try await walk(ahead.removeValue(forKey: index) ?? [])
                } else if let key = try? ObjectKey(String(decoding: candidate.key, as: UTF8.self)) {
                    guard let size = candidate.size else { throw pages.noSize(key) }
                    readFolders = 0
                    found.append(ObjectInfo(key: key, size: size))
                }
            }
        }

        /// Reads the next folders that the page may need, several at a time.
        private mutating func readNext(
            _ candidates: [Candidate], from start: Int
        ) async throws -> [Int: [Candidate]] {
            let next = candidates.indices[start...].filter { candidates[$0].isFolder }
                .prefix(min(pages.parallelFolders, limit - found.count))
            readFolders += next.count
            guard readFolders <= Self.maximumFolders else { throw pages.tooManyFolders }
            let read = try await mapConcurrently(Array(next), limit: pages.parallelFolders) {
                [self] index in try await self.candidates(below: candidates[index].key)
            }
            return Dictionary(uniqueKeysWithValues: zip(next, read))
        }

        /// The members of a folder that are or can contain objects of the page, in key order: a folder sorts as
        /// its name with a slash.
        func candidates(below path: [UInt8]) async throws -> [Candidate] {
            try await pages.readFolder(path).compactMap { member in
                scope.key(of: member.name, in: path, isFolder: member.isFolder).map {
                    Candidate(key: $0, size: member.isFolder ? nil : member.size)
                }
            }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
        }
    }

    private func noSize(_ key: ObjectKey) -> Failure {
        Failure(
            .unfitStore, path: key.description,
            "The remote does not report the size of this object.", remedy: alternative)
    }

    private var tooManyFolders: Failure {
        Failure(
            .limit, path: address, "The remote lists more folders than a store can have.",
            remedy: "Check the address, and whether the folder contains something else.")
    }
}
