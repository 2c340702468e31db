import FilesinkiDirectory
import FilesinkiProtocol
import FilesinkiRemote
import HTTPTypes

/// Answers a list: pages of the folder, without what the token does not reach.
struct Lister: Sendable {
    let remote: DirectoryRemote
    let access: Access

    func reply(prefix: String, after: ObjectKey?, limit: Int) async throws -> Reply {
        var found: [ObjectInfo] = []
        var after = after
        while found.count < limit {
            let page = try await remote.list(prefix: prefix, after: after, limit: limit)
            found += page.lazy.filter { access.reaches($0.key) }.prefix(limit - found.count)
            guard page.count == limit, let last = page.last else { break }
            after = last.key
        }
        return Reply(.ok, text: ListLines.encode(found))
    }
}
