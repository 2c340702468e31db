import FilesinkiModel
import FilesinkiSystem
import Glibc
import Synchronization

/// Knows who asks: it looks at the file of the tokens with each request, and reads it again when it
/// changed.
final class TokenAuthority: Sendable {
    private struct State {
        /// Whether nobody needs a token until there is a file of tokens.
        var isOpen: Bool
        /// What changes when the file does; nil for no file.
        var mark: FileStamp?
        /// A failure: nobody is let in while the file cannot be understood.
        var records: Result<[String: TokenRecord], Failure> = .success([:])
    }

    private let file: TokenFile?
    private let state: Mutex<State>

    /// - Parameters:
    ///   - file: Nil for a server that everybody may use, whatever happens.
    ///   - isOpenUntilFirstToken: Whether everybody may use the server until the file exists. It is never
    ///     open again after that, even if the last token is revoked.
    init(_ file: TokenFile?, isOpenUntilFirstToken: Bool = false) {
        self.file = file
        state = Mutex(State(isOpen: isOpenUntilFirstToken))
    }

    /// The rights of the one who sent this `Authorization`.
    ///
    /// - Returns: Nil for nobody who is known; an unknown id takes as long as a wrong secret.
    /// - Throws: `Failure` when the file of the tokens cannot be read.
    func access(_ authorization: String?) throws(Failure) -> Access? {
        guard let records = try current() else { return .all }
        guard let words = authorization?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bearer", let token = AccessToken(words[1])
        else { return nil }
        let record = records[token.id]
        let isSecret = (record ?? .nobody).isSecret(token.secret)
        guard let record, isSecret else { return nil }
        return Access(tokenID: record.id, rights: record.rights, zones: record.zones)
    }

    /// Whether what was allowed before is still allowed: the token is not revoked, or none is needed.
    func isCurrent(_ access: Access) -> Bool {
        guard let records = try? current() else { return file == nil || access.tokenID == nil }
        return access.tokenID.map { records[$0] != nil } ?? false
    }

    /// The names of the tokens, by their ids.
    func names() throws(Failure) -> [String: String] {
        (try current() ?? [:]).mapValues(\.name)
    }

    /// The tokens by their ids; nil while nobody needs one.
    private func current() throws(Failure) -> [String: TokenRecord]? {
        guard let file else { return nil }
        let result: Result<[String: TokenRecord], Failure>? = state.withLock { state in
            let mark = Self.mark(of: file.path)
            if mark == nil, state.isOpen { return nil }
            state.isOpen = false
            let failed = if case .failure = state.records { true } else { false }
            if mark == state.mark, !failed { return state.records }
            state.mark = mark
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

    private static func mark(of path: String) -> FileStamp? {
        if let stamp = FileStamp(at: path, followingSymlinks: true) { return stamp }
        // Only a file that is not there opens a server.
        if SystemError.last.isMissing { return nil }
        let none = Timestamp(nanoseconds: 0)
        return FileStamp(device: 0, inode: 0, size: -1, modified: none, changed: none)
    }
}
