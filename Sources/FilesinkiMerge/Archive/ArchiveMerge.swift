import FilesinkiModel

/// Merges documents that are archives by their parts.
///
/// A part that one side changed is that side's, with its compressed bytes. A part in XML that both changed is merged by
/// the rules of its kind. The result is written, read again, and declined unless what its parts say of each other
/// is right.
package struct ArchiveMerge: ContentMerge {
    let kind: ArchiveKind

    package init(kind: ArchiveKind) { self.kind = kind }

    package func merge(_ input: MergeInput) -> MergeOutcome {
        if let easy = input.obvious {
            input.noteWhole()
            return .merged(easy)
        }
        do {
            var run = ArchiveMergeRun(try versions(input), kind.package)
            if input.isComparison {
                try run.compare()
                input.trace?.add(run.steps)
                return .merged(input.ours)
            }
            let merged = try run.merge()
            input.trace?.add(run.steps)
            return .merged(merged)
        } catch let error as PackageError {
            return .declined(error.conflicts)
        } catch {
            return .declined([MergeConflict("", "The merged parts do not form a document.")])
        }
    }

    /// Reads the versions, all of which must be of the kind, and without what forbids a merge.
    private func versions(_ input: MergeInput) throws -> PackageVersions {
        guard let base = input.base else {
            throw PackageError("", "Both sides created it, and there is no common version.")
        }
        let package = kind.package
        var archives: [ZipArchive] = []
        for (name, bytes) in [
            ("The common version", base), ("The version of this replica", input.ours),
            ("The committed version", input.theirs),
        ] {
            do {
                archives.append(try ZipArchive(bytes))
                guard ArchiveKind(of: bytes) == kind else {
                    throw ZipError("is not of the format \(kind.format.rawValue)")
                }
                let version = ArchivePackage(archives[archives.count - 1])
                if let reason = try package.refusal(version) { throw ZipError(reason) }
            } catch let error as ZipError {
                throw PackageError("", "\(name) \(error.reason).")
            }
        }
        var versions = PackageVersions(archives[0], archives[1], archives[2])
        let times = [try package.modified(versions.ours), try package.modified(versions.theirs)]
        if let ours = times[0], let theirs = times[1], ours != theirs {
            versions.latest = theirs.lexicographicallyPrecedes(ours) ? .ours : .theirs
        }
        return versions
    }
}

/// The state of one merge of archives.
struct ArchiveMergeRun {
    private enum Part {
        /// As a side has it.
        case copied(MergeVersion)
        /// A content that neither side has.
        case merged([UInt8])
    }

    private let versions: PackageVersions
    private let package: any DocumentPackage
    /// Texts that replace those of the versions: see ``DocumentPackage/aligned(_:)``.
    private var aligned: [MergeVersion: [[UInt8]: [UInt8]]] = [:]
    private var conflicts: [MergeConflict] = []
    private var stories: [MergedPackage.Story] = []
    private(set) var steps: [MergeTrace.Step] = []

    init(_ versions: PackageVersions, _ package: any DocumentPackage) {
        self.versions = versions
        self.package = package
    }

    /// - Throws: ``PackageError`` with what both sides changed.
    mutating func merge() throws -> [UInt8] {
        aligned = try package.aligned(versions)
        var parts: [(name: [UInt8], part: Part)] = []
        for name in names() {
            if let part = try part(name) { parts.append((name, part)) }
        }
        if let conflict = conflicts.first {
            throw PackageError(conflicts: [conflict] + conflicts.dropFirst())
        }
        for side in [versions.frame, versions.frame.other] where try isSame(parts, side) {
            return versions[side].archive.bytes
        }
        let bytes = try write(parts)
        try check(bytes, parts)
        return bytes
    }

    /// Notes the parts that ours has otherwise than the base, for a comparison; of a text, the blocks.
    mutating func compare() throws {
        for name in names() where try !versions.isUnchanged(name, .ours) {
            if case .elements(let rule) = try package.rule(name, versions), rule.leadsToBlocks,
                var merge = try partMerge(name)
            {
                merge.mergeDocument(rule)
                let blocks = merge.steps.filter { $0.source == .ours }
                if merge.conflicts.isEmpty, !blocks.isEmpty {
                    steps += blocks
                    continue
                }
            }
            note(name, .ours, isChanged: true)
        }
    }

    /// The parts of the frame in their order, then those that only the other side has.
    private func names() -> [[UInt8]] {
        let frame = versions[versions.frame]
        return frame.names + versions[versions.frame.other].names.filter { frame.entry($0) == nil }
    }

    // MARK: Parts

    /// What a part becomes; nil for one that is not in the result.
    private mutating func part(_ name: [UInt8]) throws -> Part? {
        if let text = aligned[.ours]?[name] {
            let isCommon = [.base, .theirs].allSatisfy { aligned[$0]?[name] == text }
            return isCommon
                ? try part(name, text)
                : try mergedPart(name, try package.rule(name, versions))
        }
        let isOurs = try !versions.isUnchanged(name, .ours)
        let isTheirs = try !versions.isUnchanged(name, .theirs)
        let isSame = try versions.ours.hasSame(name, versions.theirs)
        if isSame || !isOurs || !isTheirs {
            let side = isSame ? versions.frame : isOurs ? .ours : .theirs
            note(name, isSame ? nil : side, isChanged: isOurs || isTheirs)
            if isOurs || isTheirs { try findBlocks(name) }
            return versions[side].entry(name) == nil ? nil : .copied(side)
        }
        let rule = try package.rule(name, versions)
        guard versions.ours.entry(name) != nil, versions.theirs.entry(name) != nil else {
            // A preview that one side does not have is not needed.
            if case .latest = rule { return nil }
            decline(name, "One side removed it, the other changed it.")
            return nil
        }
        return try mergedPart(name, rule)
    }

    private mutating func mergedPart(_ name: [UInt8], _ rule: PartRule) throws -> Part? {
        switch rule {
        case .whole: decline(name, "Both sides changed it.")
        case .latest:
            note(name, versions.latest, .format)
            return .copied(versions.latest)
        case .elements(let rule): return try merged(name, rule)
        case .content(let merge):
            guard let base = try text(name, .base), let ours = try text(name, .ours),
                let theirs = try text(name, .theirs),
                case .merged(let bytes) = merge.merge(
                    MergeInput(base: base, ours: ours, theirs: theirs))
            else {
                decline(name, "Both sides changed it.")
                return nil
            }
            steps.append(MergeTrace.Step(Self.text(name), .both, .combined))
            return try part(name, bytes)
        }
        return nil
    }

    private mutating func merged(_ name: [UInt8], _ rule: ElementRule) throws -> Part? {
        guard var merge = try partMerge(name) else {
            decline(name, "Both sides changed it, and it cannot be read.")
            return nil
        }
        merge.mergeDocument(rule)
        conflicts += merge.conflicts
        steps += merge.steps
        guard merge.conflicts.isEmpty else { return nil }
        stories.append(MergedPackage.Story(name: name, parts: merge.parts, blocks: merge.blocks))
        return try part(name, merge.output)
    }

    /// A merged content, or that of a side which has the same.
    private func part(_ name: [UInt8], _ content: [UInt8]) throws -> Part {
        for side in [versions.frame, versions.frame.other]
        where try versions[side].content(name) == content {
            return .copied(side)
        }
        return .merged(content)
    }

    private func partMerge(_ name: [UInt8]) throws -> PartMerge? {
        guard let base = try text(name, .base).flatMap(XMLPart.init),
            let ours = try text(name, .ours).flatMap(XMLPart.init),
            let theirs = try text(name, .theirs).flatMap(XMLPart.init)
        else { return nil }
        return PartMerge(
            PartVersions(base: base, ours: ours, theirs: theirs), Self.text(name),
            frame: versions.frame, latest: versions.latest)
    }

    /// Notes which blocks a side changed in a part that only one side changed.
    private mutating func findBlocks(_ name: [UInt8]) throws {
        guard case .elements(let rule) = try package.rule(name, versions), rule.leadsToBlocks,
            var merge = try partMerge(name)
        else { return }
        merge.mergeDocument(rule)
        // Where the blocks cannot be told apart, all that both sides have is looked at.
        let all = [MergeVersion.ours, .theirs].map { PartMerge.Block(version: $0, element: 0) }
        stories.append(
            MergedPackage.Story(
                name: name, parts: merge.parts,
                blocks: merge.conflicts.isEmpty ? merge.blocks : all))
    }

    private func text(_ name: [UInt8], _ version: MergeVersion) throws -> [UInt8]? {
        try aligned[version]?[name] ?? versions[version].content(name)
    }

    // MARK: The result

    /// Whether each part is as a side has it, and the side has no other.
    private func isSame(
        _ parts: [(name: [UInt8], part: Part)], _ side: MergeVersion
    ) throws -> Bool {
        guard parts.count == versions[side].names.count else { return false }
        for (name, part) in parts {
            switch part {
            case .copied(let origin):
                guard try versions[origin].hasSame(name, versions[side]) else { return false }
            case .merged(let bytes):
                guard try versions[side].content(name) == bytes else { return false }
            }
        }
        return true
    }

    private func write(_ parts: [(name: [UInt8], part: Part)]) throws -> [UInt8] {
        var writer = ZipWriter()
        for (name, part) in parts {
            switch part {
            case .copied(let side):
                guard let entry = versions[side].entry(name) else { continue }
                try writer.copy(entry, of: versions[side].archive)
            case .merged(let bytes):
                guard let ours = versions.ours.entry(name), let theirs = versions.theirs.entry(name)
                else { continue }
                let isOurs =
                    ours.modified == theirs.modified
                    ? versions.frame == .ours : ours.modified > theirs.modified
                try writer.add(
                    bytes, as: isOurs ? ours : theirs,
                    of: (isOurs ? versions.ours : versions.theirs).archive)
            }
        }
        return writer.archive()
    }

    /// Reads the result: each part must be what was decided, and what parts say of each other must be right.
    private func check(_ bytes: [UInt8], _ parts: [(name: [UInt8], part: Part)]) throws {
        let result = ArchivePackage(try ZipArchive(bytes))
        guard result.names == parts.map(\.name) else { throw ZipArchive.damaged }
        for (name, part) in parts {
            guard let entry = result.entry(name) else { throw ZipArchive.damaged }
            let content = try result.archive.content(entry)
            guard case .merged(let merged) = part else { continue }
            guard content == merged else { throw ZipArchive.damaged }
            if case .elements = try package.rule(name, versions), XMLPart(merged) == nil {
                throw PackageError(Self.text(name), "The merged parts do not form a document.")
            }
        }
        let conflicts = try package.conflicts(
            MergedPackage(versions: versions, result: result, stories: stories))
        if !conflicts.isEmpty { throw PackageError(conflicts: conflicts) }
    }

    // MARK: Messages

    private static func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }

    private mutating func decline(_ name: [UInt8], _ reason: String) {
        conflicts.append(MergeConflict(part: name, reason))
    }

    private mutating func note(
        _ name: [UInt8], _ side: MergeVersion?, _ reason: MergeTrace.Reason
    ) {
        let source = side.map(MergeTrace.Source.init) ?? .both
        steps.append(MergeTrace.Step(Self.text(name), source, reason))
    }

    /// Notes a part that at most one side changed.
    private mutating func note(_ name: [UInt8], _ side: MergeVersion?, isChanged: Bool) {
        guard isChanged else { return }
        let isRemoved = versions[side ?? .ours].entry(name) == nil
        let isAdded = versions.base.entry(name) == nil
        note(name, side, side == nil ? .alike : isRemoved ? .removed : isAdded ? .added : .edited)
    }
}

extension PackageError {
    init(conflicts: [MergeConflict]) { self.conflicts = conflicts }
}
