import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Authenticates clients. Checks at each request whether the token file changed, and then reads it again.
final class TokenAuthority: Sendable {
    private struct State {
        /// Whether clients need no token until the token file exists.
        var isOpen: Bool
        /// The stamp of the file as last read; nil for no file.
        var stamp: FileStamp?
        /// While the file cannot be read or parsed, a failure, and no client is authenticated.
        var records: Result<[String: TokenRecord], Failure> = .success([:])
    }

    private let file: TokenFile?
    /// What every client may do, whatever it sends; nil where tokens decide.
    private let granted: Access?
    /// What a client may do that sends no token, where others need one; nil for nothing.
    private let withoutToken: Access?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - file: Nil for a server without authentication.
    ///   - isOpenUntilFirstToken: Whether clients need no token until the file exists. Once it existed, a
    ///     token is always needed, even if the last one is revoked.
    ///   - isPublic: Whether clients without a token may read the public database.
    init(_ file: TokenFile?, isOpenUntilFirstToken: Bool = false, isPublic: Bool = false) {
        self.file = file
        withoutToken = isPublic ? .publicReader : nil
        granted = nil
        state = Mutex(State(isOpen: isOpenUntilFirstToken))
    }

    /// Authenticates nobody: whoever has started the server decides what its one client may do.
    ///
    /// - Parameter file: The tokens of other clients of the store.
    init(granting access: Access, besides file: TokenFile?) {
        self.file = file
        granted = access
        withoutToken = nil
        state = Mutex(State(isOpen: true))
    }

    /// The rights of the client that sent this `Authorization`.
    ///
    /// - Returns: Nil for an unknown token; an unknown id takes as long as a wrong secret.
    /// - Throws: `Failure` when the token file cannot be read.
    func access(_ authorization: String?) throws(Failure) -> Access? {
        if let granted { return granted }
        guard let records = try current() else { return .all }
        guard let authorization else { return withoutToken }
        let words = authorization.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bearer", let token = AccessToken(words[1])
        else { return nil }
        let record = records[token.id]
        let isValid = (record ?? .unknown).matches(token.secret)
        guard let record, isValid else { return nil }
        return Access(tokenID: record.id, rights: record.rights, zones: record.zones)
    }

    /// Whether access granted before is still valid: the token is not revoked, or none is needed.
    func isCurrent(_ access: Access) -> Bool {
        if granted != nil || access.isAnonymous { return true }
        guard let records = try? current() else { return file == nil || access.tokenID == nil }
        return access.tokenID.map { records[$0] != nil } ?? false
    }

    /// The names of the tokens, by their ids.
    func names() throws(Failure) -> [String: String] {
        (try current() ?? [:]).mapValues(\.name)
    }

    /// The tokens by their ids; nil while none is needed.
    private func current() throws(Failure) -> [String: TokenRecord]? {
        guard let file else { return nil }
        let result: Result<[String: TokenRecord], Failure>? = state.withLock { state in
            let stamp = Self.stamp(of: file.path)
            if stamp == nil, state.isOpen { return nil }
            state.isOpen = false
            let failed = if case .failure = state.records { true } else { false }
            if stamp == state.stamp, !failed { return state.records }
            state.stamp = stamp
            state.records = Self.read(file)
            return state.records
        }
        return try result?.get()
    }

    private static func read(_ file: TokenFile) -> Result<[String: TokenRecord], Failure> {
        do throws(Failure) {
            let pairs = try file.list().map { ($0.id, $0) }
            return .success(Dictionary(pairs) { first, _ in first })
        } catch {
            return .failure(error)
        }
    }

    private static func stamp(of path: String) -> FileStamp? {
        if let stamp = FileStamp(at: path, followingSymlinks: true) { return stamp }
        // Only a missing file means no tokens; one that cannot be examined does not.
        if SystemError.last.isMissing { return nil }
        let none = Timestamp(nanoseconds: 0)
        return FileStamp(device: 0, inode: 0, size: -1, modified: none, changed: none)
    }
}
