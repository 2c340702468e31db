import FilesinkiModel
import Glibc
import Synchronization

/// Knows who asks: it reads the file of the tokens again when it changed, and looks for that at most
/// once a second.
final class TokenAuthority: Sendable {
    /// What changes when the file does.
    private struct Mark: Equatable {
        var inode: UInt64 = 0
        var size: Int64 = -1
        var modified = Timestamp(nanoseconds: 0)
    }

    private struct State {
        var looked: Timestamp?
        var mark: Mark?
        /// A failure: nobody is let in while the file cannot be understood.
        var records: Result<[String: TokenRecord], Failure> = .success([:])
    }

    private let file: TokenFile?
    private let surroundings: Surroundings
    private let state = Mutex(State())

    /// - Parameter file: Nil for a server that everybody may use.
    init(_ file: TokenFile?, _ surroundings: Surroundings) {
        self.file = file
        self.surroundings = surroundings
    }

    /// Whether clients need a token.
    var isNeeded: Bool { file != nil }

    /// The rights of the one who sent this `Authorization`.
    ///
    /// - Returns: Nil for nobody who is known; an unknown id takes as long as a wrong secret.
    /// - Throws: `Failure` when the file of the tokens cannot be read.
    func access(_ authorization: String?) throws(Failure) -> Access? {
        guard let file else { return .all }
        let records = try current(file)
        guard let words = authorization?.split(separator: " "), words.count == 2,
            words[0].lowercased() == "bearer", let token = AccessToken(words[1])
        else { return nil }
        let record = records[token.id]
        let isSecret = (record ?? .nobody).isSecret(token.secret)
        guard let record, isSecret else { return nil }
        return Access(tokenID: record.id, rights: record.rights, zones: record.zones)
    }

    private func current(_ file: TokenFile) throws(Failure) -> [String: TokenRecord] {
        let now = surroundings.now()
        let result = state.withLock { state in
            let age = state.looked.map { now.nanoseconds &- $0.nanoseconds }
            // A clock that was set back must not keep a revoked token alive.
            if let age, (0..<1_000_000_000).contains(age) { return state.records }
            state.looked = now
            let mark = Self.mark(of: file.path)
            let failed = if case .failure = state.records { true } else { false }
            if mark == state.mark, !failed { return state.records }
            state.mark = mark
            state.records = Self.read(file)
            return state.records
        }
        return try result.get()
    }

    private static func read(_ file: TokenFile) -> Result<[String: TokenRecord], Failure> {
        do throws(Failure) {
            let pairs = try file.list().map { ($0.id, $0) }
            return .success(Dictionary(pairs) { first, _ in first })
        } catch {
            return .failure(error)
        }
    }

    private static func mark(of path: String) -> Mark {
        var status = stat()
        guard stat(path, &status) == 0 else { return Mark() }
        return Mark(
            inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: Timestamp(
                seconds: Int64(status.st_mtim.tv_sec),
                nanoseconds: Int64(status.st_mtim.tv_nsec)))
    }
}
