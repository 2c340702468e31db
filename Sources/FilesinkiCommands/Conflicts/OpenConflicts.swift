import FilesinkiEngine
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiText

/// The open conflicts of a replica, and which of them a user names.
///
/// A conflict has the name of its path. Where several are open for one path, because three devices wrote it, each has the
/// name of its conflict copy, and the one without a copy that of the path.
struct OpenConflicts {
    let all: [OpenConflict]
    let hints: CommandHints

    init(_ all: [OpenConflict], _ hints: CommandHints) {
        self.all = all
        self.hints = hints
    }

    /// The paths, each once, in order; a conflict copy that is in conflict itself before its own path.
    var paths: [RelativePath] { Set(all.map(\.path)).sorted().innermostFirst(\.self) }

    /// Those of a path, or the one with this copy, or of the file that has this name on one side.
    func named(_ name: RelativePath) -> [OpenConflict] {
        let own = all.filter { $0.path == name }
        return own.isEmpty ? all.filter { $0.copy == name || $0.oldName == name } : own
    }

    /// The name that means only this conflict.
    func name(of conflict: OpenConflict) -> RelativePath {
        guard let copy = conflict.copy, isOneOfSeveral(conflict) else { return conflict.path }
        return copy
    }

    /// What shows the places of a conflict whose versions are not text, without the options that name the replica.
    func placesStep(of conflict: OpenConflict) -> String {
        "To see which places are in conflict: filesinki diff --conflict --explain "
            + hints.word(name(of: conflict))
    }

    func isOneOfSeveral(_ conflict: OpenConflict) -> Bool {
        all.count { $0.path == conflict.path } > 1
    }

    /// The conflict that a name means.
    ///
    /// - Parameter word: The version that is wanted, by which the conflict can be told; nil for none.
    /// - Throws: Code `not-found` if there is none, `usage` if it may be more than one.
    func one(_ name: RelativePath, having word: String? = nil) throws(Failure) -> OpenConflict {
        let found = named(name)
        if found.count > 1 {
            // What is there depends on the conflict, and a user may have seen one only.
            if let word, !["there", "theirs"].contains(word) {
                let having = found.filter { $0.sides.side(named: word) != nil }
                if having.count == 1 || isInPlace(word, of: found) { return having[0] }
            }
            let own = found.filter { $0.copy == nil }
            guard own.count == 1 else { throw several(found, isTaking: word != nil) }
            return own[0]
        }
        guard let found = found.first else {
            throw .noOpenConflict(name)
        }
        return found
    }

    /// Whether a word is the name of the device that wrote what is in place, where several conflicts of a path are meant:
    /// it is the same version for each of them. `here` and `committed` are refused: a user may have seen one conflict only.
    func isInPlace(_ word: String, of conflicts: [OpenConflict]) -> Bool {
        guard conflicts.count > 1, let path = conflicts.first?.path else { return false }
        return conflicts.allSatisfy { conflict in
            conflict.path == path && conflict.copy != nil && conflict.sides.theirsDevice == word
                && conflict.sides.side(named: word) == .theirs
        }
    }

    /// It is not said which of several conflicts of a path is meant.
    ///
    /// - Parameter isTaking: Whether a version is to be taken, which its device tells.
    func several(_ conflicts: [OpenConflict], isTaking: Bool) -> Failure {
        let names = conflicts.map { hints.word(name(of: $0)) }
        let devices = conflicts.compactMap { conflict -> String? in
            guard conflict.copy != nil else { return nil }
            let word = conflict.sides.label(.ours)
            return conflict.sides.here == nil ? word : conflict.sides.oursDevice
        }
        let isTold = isTaking && Set(devices).count == conflicts.count
        let words = (devices + [deviceInPlace(of: conflicts)].compactMap(\.self))
            .map { ShellWord.shown($0.utf8) }.joined(separator: "|")
        return Failure(
            .usage, path: conflicts.first?.path.bytes ?? [],
            "\(conflicts.count) conflicts of this path are open.",
            remedy: "Name one by its copy: \(names.joined(separator: " or "))"
                + (isTold ? "; or take one by its device: --take \(words)." : "."))
    }

    /// The device by whose name what is in place is taken for several conflicts of a path; nil if there is none.
    private func deviceInPlace(of conflicts: [OpenConflict]) -> String? {
        guard let device = conflicts.first?.sides.theirsDevice, isInPlace(device, of: conflicts),
            !conflicts.contains(where: \.sides.isEditedHere)
        else { return nil }
        return device
    }
}

extension Array {
    /// The same elements, with the conflict copies of conflict copies first: their conflicts end before those that they are of.
    func innermostFirst(_ path: (Element) -> RelativePath) -> [Element] {
        let depths = map { conflictOriginals(of: path($0)).reduce(0) { count, _ in count + 1 } }
        let order = indices.sorted { (depths[$1], $0) < (depths[$0], $1) }
        return order.map { self[$0] }
    }
}

extension Session {
    func openConflicts() async throws -> OpenConflicts {
        OpenConflicts(try await replica.conflicts(), console.hints)
    }

    /// As ``openConflicts()``, with the bases of those that another device has found, which the store tells. If it cannot be
    /// reached, they stay unknown.
    func openConflictsWithBases() async throws -> OpenConflicts {
        let open = try await replica.conflicts()
        do {
            return OpenConflicts(try await replica.withBases(open), console.hints)
        } catch is Failure {
            return OpenConflicts(open, console.hints)
        }
    }

    /// Verifies that a name is not that of a conflict which has ended because the file in place was deleted or renamed.
    ///
    /// - Throws: Code `not-found` with what has happened.
    func requireNotEnded(_ name: RelativePath, _ open: OpenConflicts) async throws {
        guard open.named(name).isEmpty, let ended = try await replica.endedConflict(name) else {
            return
        }
        throw ended
    }

    /// The open conflict that is the same as one that was read before, with its base; nil if it has ended.
    func present(_ conflict: OpenConflict) async throws -> OpenConflict? {
        let found = try await replica.conflicts().last {
            $0.path == conflict.path && $0.copy == conflict.copy
        }
        guard let found, !found.isBaseKnown, conflict.isBaseKnown else { return found }
        return found.based(on: conflict.conflict.base)
    }
}

extension OpenConflict {
    /// Whether nothing of a conflict has changed.
    func isSame(as other: OpenConflict) -> Bool {
        conflict.ours == other.conflict.ours && conflict.theirs == other.conflict.theirs
            && copy == other.copy && sides.unsent == other.sides.unsent
            && sides.unsentCopy == other.sides.unsentCopy
    }
}

extension Failure {
    /// No conflict of this name, or that matches it as a pattern, is open.
    static func noOpenConflict(_ name: RelativePath) -> Failure {
        Failure(
            .notFound, path: name.bytes, "No open conflict was found.",
            remedy: "See the open ones with filesinki conflicts.")
    }
}
