import FilesinkiFileSystem
package import FilesinkiMerge
package import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiSystem

/// A chain of links asked about three files outside of any replica: the `merge` command.
package struct FileMerge: Sendable {
    /// The three files; an empty base stands for none.
    package var base: String
    package var ours: String
    package var theirs: String
    /// The name that the file has where it belongs; tells its kind to programs that go by names.
    package var path: RelativePath
    package var strategy: Strategy
    package var settings: MergeSettings
    /// How long a command of the user's may take.
    package var commandLimit: Duration
    /// Is told what the merge decides, if somebody asks why.
    package var trace: MergeTrace?

    package init(
        base: String, ours: String, theirs: String, path: RelativePath, strategy: Strategy,
        settings: MergeSettings, commandLimit: Duration
    ) {
        self.base = base
        self.ours = ours
        self.theirs = theirs
        self.path = path
        self.strategy = strategy
        self.settings = settings
        self.commandLimit = commandLimit
    }

    /// What the chain came to.
    package enum Result: Sendable, Equatable {
        /// A file with the content, the link that made or chose it, and why those before it declined.
        case merged(file: String, by: String, declined: [String])
        /// No link decided; why not, link by link.
        case conflict([String])
    }

    /// Asks the links one by one.
    ///
    /// - Parameter outputs: Where a merged content is kept; it is gone when `outputs` is.
    /// - Throws: `Failure` where a file cannot be read or written.
    package func run(keepingIn outputs: MergeOutputs) async throws -> Result {
        let base = try Self.entry(base)
        let conflict = Conflict(
            path: path, base: base.size > 0 ? base : nil, ours: try Self.entry(ours),
            theirs: try Self.entry(theirs), links: strategy.links)
        let links = LinkRunner(commandLimit: commandLimit, trace: trace) { _ in settings }
        let versions = MergeVersions(in: outputs.path, for: path)
        defer { versions.remove() }
        versions.lend(
            base: self.base, ours: ours, theirs: theirs, hasBase: conflict.base != nil)
        let found = try await conflict.resolve { link, conflict in
            if link == .end(.ask) { return .resolved(Resolution(.leave, by: "\(link)")) }
            let result = try links.ask(link, conflict, versions, outputs)
            guard case .declined = result, link == .merge(.auto), trace?.isComparison != true,
                let side = try onlyChangedSide(hasBase: conflict.base != nil)
            else { return result }
            return .resolved(Resolution(side, by: "\(link)"))
        }
        traceChoice(of: found.resolution)
        return result(of: found, outputs)
    }

    /// The side that changed contents for which there is no merge, where the other did not, or did so alike.
    ///
    /// A run never asks a link about such contents, as they are no conflict.
    private func onlyChangedSide(hasBase: Bool) throws(Failure) -> Resolution.Outcome? {
        let limit = MergeVersions.readLimit
        guard let ours = try MergeVersions.read(self.ours, limit: limit),
            let theirs = try MergeVersions.read(self.theirs, limit: limit)
        else { return nil }
        let base = hasBase ? try MergeVersions.read(self.base, limit: limit) : nil
        if ours == theirs || theirs == base { return .ours }
        return ours == base ? .theirs : nil
    }

    /// Notes a link that took a version as a whole.
    private func traceChoice(of resolution: Resolution?) {
        guard let trace, let resolution else { return }
        switch resolution.outcome {
        case .ours, .theirs:
            trace.begin(resolution.rule)
            trace.add(
                "", resolution.outcome == .ours ? .ours : .theirs, .strategy(resolution.rule))
        case .merged, .keepBoth, .leave: break
        }
    }

    private func result(of found: ChainResult, _ outputs: MergeOutputs) -> Result {
        let reasons = found.declined.flatMap { link, reasons in reasons.map { "\(link): \($0)" } }
        let rule = found.resolution?.rule ?? ""
        switch found.resolution?.outcome {
        case .ours: return .merged(file: ours, by: rule, declined: reasons)
        case .theirs: return .merged(file: theirs, by: rule, declined: reasons)
        case .merged(let entry):
            return .merged(file: outputs.file(entry.content), by: rule, declined: reasons)
        case .keepBoth, .leave, nil: return .conflict(reasons)
        }
    }

    /// The file's size and time, as a choice compares them.
    static func entry(_ path: String) throws(Failure) -> Entry {
        guard let stamp = FileStamp(at: path, followingSymlinks: true) else {
            throw SystemError.last.failure("read the file", path, of: .argument)
        }
        return .file(.none, size: stamp.size, mode: 0o644, modified: stamp.modified)
    }
}

/// Makes a merge both ways round and once more over its result, to find out whether devices that merge
/// the same conflict come to the same, and whether a second merge changes anything.
package struct MergeCheck: Sendable, Equatable {
    /// What the chain came to.
    package var result: FileMerge.Result
    /// Whether ours and theirs exchanged give the same bytes; or both are a conflict.
    package var isSymmetric: Bool
    /// Whether the result merged again, with either side, is the result.
    package var isIdempotent: Bool

    /// - Parameter outputs: Where merged contents are kept.
    package init(_ merge: FileMerge, keepingIn outputs: MergeOutputs) async throws {
        func content(of result: FileMerge.Result) throws -> [UInt8]? {
            guard case .merged(let file, _, _) = result else { return nil }
            return try MergeVersions.read(file, limit: .max)
        }
        result = try await merge.run(keepingIn: outputs)
        let bytes = try content(of: result)
        var swapped = merge
        (swapped.ours, swapped.theirs) = (merge.theirs, merge.ours)
        isSymmetric = try await content(of: swapped.run(keepingIn: outputs)) == bytes
        isIdempotent = true
        guard case .merged(let file, _, _) = result else { return }
        for side in [\FileMerge.ours, \FileMerge.theirs] {
            var repeated = merge
            repeated[keyPath: side] = file
            let again = try await repeated.run(keepingIn: outputs)
            if try content(of: again) != bytes { isIdempotent = false }
        }
    }
}
