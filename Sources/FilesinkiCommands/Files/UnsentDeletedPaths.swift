import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules

/// What was deleted here and is not sent yet, for `ls --deleted`.
struct UnsentDeletedPaths {
    let all: [DeletedPath]

    /// Scans the folder (see ``Replica/localDeletions()``). If the scan fails, prints why, and the list is empty.
    init(_ session: Session) async throws {
        do {
            all = try await session.replica.localDeletions()
        } catch let failure as Failure where failure.code != .interrupted {
            session.console.complain(failure)
            all = []
        }
    }

    /// Adds those that the arguments mean, by name or as a pattern; all without an argument.
    ///
    /// - Parameters:
    ///   - found: The deleted paths that the arguments name among those that were sent.
    ///   - missing: The arguments that name none of these; those that name one here are taken out.
    func add(
        to found: inout [DeletedPath], _ missing: inout [String], for arguments: [String],
        _ session: Session
    ) throws {
        let known = Set(found.map(\.path))
        var added = arguments.isEmpty ? all : []
        for argument in arguments {
            let some = try named(argument, known, session)
            if !some.isEmpty { missing.removeAll { $0 == argument } }
            added += some
        }
        var listed = known
        found += added.filter { listed.insert($0.path).inserted }
        found.sort { $0.path < $1.path }
    }

    private func named(
        _ argument: String, _ known: Set<RelativePath>, _ session: Session
    ) throws -> [DeletedPath] {
        let paths = try session.paths([argument])
        guard let path = paths.first else { return all }
        let named = all.filter { $0.path == path || $0.path.isInside(path) }
        guard named.isEmpty, !known.contains(path), PathPattern.isPattern(argument) else {
            return named
        }
        let pattern = try PathPattern(argument)
        return all.filter { pattern.covers($0.path) }
    }
}
