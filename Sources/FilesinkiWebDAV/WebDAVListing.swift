import FilesinkiHTTP
import FilesinkiModel
import FilesinkiRemote
import FilesinkiXML

/// Reads one page of the objects of a store in the order of their keys. Requests only folders that can
/// contain a key of the page.
struct WebDAVListing {
    private let server: WebDAVServer
    private let scope: KeyScope
    private let limit: Int
    private var found: [ObjectInfo] = []
    /// How many folders were requested since the last object was found.
    private var requestedFolders = 0

    /// How many folders are requested at once.
    private static let parallelFolders = 8

    /// The most folders requested without finding an object, in case a server lists ever more of them.
    private static let maximumFolders = 2000

    /// An object of the page, or a folder that can contain one.
    private struct Candidate {
        /// A folder's key ends with a slash.
        var key: [UInt8]
        var size: Int64?
        var isFolder: Bool { key.last == UInt8(ascii: "/") }
    }

    init(_ server: WebDAVServer, prefix: String, after: ObjectKey?, limit: Int) {
        self.server = server
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
                if ahead.isEmpty { ahead = try await requestNextFolders(candidates, from: index) }
                try await walk(ahead.removeValue(forKey: index) ?? [])
            } else if let key = try? ObjectKey(String(decoding: candidate.key, as: UTF8.self)) {
                guard let size = candidate.size else { throw noSizeError(key) }
                requestedFolders = 0
                found.append(ObjectInfo(key: key, size: size))
            }
        }
    }

    /// Requests the next folders that the page may need, several at a time.
    private mutating func requestNextFolders(
        _ candidates: [Candidate], from start: Int
    ) async throws -> [Int: [Candidate]] {
        let next = candidates.indices[start...].filter { candidates[$0].isFolder }
            .prefix(min(Self.parallelFolders, limit - found.count))
        requestedFolders += next.count
        guard requestedFolders <= Self.maximumFolders else { throw tooManyFoldersError }
        let found = try await mapConcurrently(Array(next), limit: Self.parallelFolders) {
            [self] index in try await self.candidates(below: candidates[index].key)
        }
        return Dictionary(uniqueKeysWithValues: zip(next, found))
    }

    /// The members of a folder that are or can contain objects of the page, in key order: a folder sorts as
    /// its name with a slash.
    private func candidates(below path: [UInt8]) async throws -> [Candidate] {
        let folder = server.collection(String(decoding: path.dropLast(), as: UTF8.self))
        // It may have been deleted since its name was read.
        guard let found = try await server.properties(folder, withMembers: true),
            found.own.isCollection
        else { return [] }
        var result: [Candidate] = []
        for member in found.members {
            guard let name = member.names.last,
                let key = scope.key(of: name, in: path, isFolder: member.isCollection)
            else { continue }
            result.append(Candidate(key: key, size: member.isCollection ? nil : member.size))
        }
        return result.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }

    private func noSizeError(_ key: ObjectKey) -> Failure {
        Failure(
            .unfitStore, path: key.description,
            "The server does not report the size of this object.",
            remedy: "Use another server, or mount the folder of this one.")
    }

    private var tooManyFoldersError: Failure {
        Failure(
            .limit, path: server.address.description,
            "The server lists more folders than a store can have.",
            remedy: "Check the address, and whether the folder contains something else.")
    }
}

/// The properties of a collection and its members, or of one file, in the reply to `PROPFIND`:
/// https://www.rfc-editor.org/rfc/rfc4918#section-9.1
struct MultiStatus {
    struct Resource {
        /// The decoded names of its path.
        var names: [[UInt8]]
        var isCollection: Bool
        /// In bytes; nil when the server does not report it.
        var size: Int64?
        var entityTag: String?
        var modified: String?
    }

    private(set) var all: [Resource] = []
    /// Whether the reply is about one resource, and reports that it is absent.
    private(set) var isAbsent = false

    /// The most elements of a listing, to limit memory.
    private static let maximumElements = 1 << 20

    /// The body of the request.
    static let request = Array(
        """
        <?xml version="1.0" encoding="utf-8"?>
        <propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getetag/>\
        <getlastmodified/></prop></propfind>
        """.utf8)

    /// - Throws: `Failure` with code `corrupt` for another reply.
    init(_ body: [UInt8]) throws(Failure) {
        let root = try XMLReader.parse(body, maximumElements: Self.maximumElements)
        guard root.name == "multistatus", root.namespace == "DAV:" else {
            throw Failure(
                .corrupt, "The server's reply is not a WebDAV listing.",
                remedy: "Check the address; another server may have replied.")
        }
        let responses = root.all("response")
        all = responses.compactMap(Self.resource)
        isAbsent =
            responses.count == 1 && responses.first?.text(of: "status") != nil && all.isEmpty
    }

    /// Nil for an absent one, and for one with a malformed name, which is not the store's.
    private static func resource(_ response: XMLNode) -> Resource? {
        guard isFound(response), let href = response.text(of: "href"),
            let names = WebDAVPath.names(of: trimmed(href))
        else { return nil }
        let properties = response.all("propstat").filter(isFound).flatMap { $0.all("prop") }
        func text(_ name: String) -> String? {
            properties.lazy.compactMap { $0.text(of: name) }.first.map(trimmed)
        }
        return Resource(
            names: names,
            isCollection: properties.contains {
                $0.first("resourcetype")?.first("collection") != nil
            },
            size: text("getcontentlength").flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 },
            entityTag: text("getetag"), modified: text("getlastmodified"))
    }

    /// Whether a response, or its properties, has a success status or none.
    private static func isFound(_ node: XMLNode) -> Bool {
        guard let status = node.text(of: "status") else { return true }
        let words = status.split(separator: " ")
        return words.count >= 2 && words[1].hasPrefix("2")
    }

    private static func trimmed(_ text: String) -> String {
        let blanks: Set<Character> = [" ", "\n", "\r", "\t", "\r\n"]
        var rest = text[...]
        while let first = rest.first, blanks.contains(first) { rest.removeFirst() }
        while let last = rest.last, blanks.contains(last) { rest.removeLast() }
        return String(rest)
    }
}
