import FilesinkiEngine
import FilesinkiModel
import FilesinkiRules

extension Session {
    /// What the arguments of `delete` name, in their order and each once.
    ///
    /// Only ignored paths are matched by patterns. A shell gives a pattern that matches no file here as it is; a pattern of this
    /// program would delete files of that name in every folder.
    ///
    /// - Parameter keep: Whether ignored paths are to be deleted in the store.
    /// - Throws: Code `not-found` for a pattern that matches nothing, `usage` for one without `keep`.
    func doomed(_ arguments: [String], keep: Bool) async throws -> [RelativePath] {
        let tree = RootReader(root: root.path)
        var known: Set<RelativePath> = []
        var doomed: [RelativePath] = []
        for argument in arguments {
            let path = try self.path(argument)
            var meant = [path]
            if PathPattern.isPattern(argument), !tree.exists(path),
                try await replica.list([path]).isEmpty
            {
                let isMissing = try await replica.listIgnored([path]).isEmpty
                if isMissing { meant = try await matches(of: argument, keep: keep) }
            }
            doomed += meant.filter { known.insert($0).inserted }
        }
        return doomed
    }

    /// The ignored paths that the store has and a pattern matches, without what is in a folder that it matches.
    private func matches(of argument: String, keep: Bool) async throws -> [RelativePath] {
        guard keep else { throw Failure.patternToDelete(argument) }
        let pattern = try PathPattern(argument)
        let ignored = try await replica.listIgnored([]).map(\.0)
        let found = ignored.filter(pattern.covers)
        guard !found.isEmpty else {
            throw naming(pattern: argument, in: .noIgnoredMatch(argument), among: ignored)
        }
        return found.filter(Set(found).outermost.contains)
    }
}

extension Failure {
    fileprivate static func patternToDelete(_ argument: String) -> Failure {
        Failure(
            .notFound, path: ArgumentText.bytes(of: argument),
            "There is no path of this name, and delete takes no patterns.",
            remedy: "Let the shell match the names, without quotes, or name the paths; "
                + "filesinki ls lists them.")
    }

    fileprivate static func noIgnoredMatch(_ argument: String) -> Failure {
        Failure(
            .notFound, path: ArgumentText.bytes(of: argument),
            "No ignored path of the store matches this pattern, as of the last sync.",
            remedy: "List what the store has with filesinki ls -l, which marks what is "
                + "ignored here.")
    }
}
