import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile

/// A conflict that is left open, of a file that one side has renamed: the other side still has it under its old name.
///
/// Both names belong to one conflict, which has the new name. What is decided about one of them without the other would take the
/// file of the other side for a new one.
struct LeftRename: Hashable, Sendable {
    /// The path of the conflict.
    var path: RelativePath
    var oldName: RelativePath
    /// The side that has the old name.
    var side: Choice.Side
}

extension LeftRename {
    /// Nil for a step that leaves no such conflict.
    init?(_ step: Step) {
        guard step.leavesConflict, let conflict = step.leftRename else { return nil }
        let oursIsOld = conflict.oursPath != conflict.path
        let oldName = oursIsOld ? conflict.oursPath : conflict.theirsPath
        guard oldName != conflict.path else { return nil }
        self.init(path: step.path, oldName: oldName, side: oursIsOld ? .ours : .theirs)
    }

    fileprivate init?(_ words: [String]) {
        guard words.count == 3, let path = RelativePath(noteWord: words[0]),
            let oldName = RelativePath(noteWord: words[1]),
            let side = Self.sides.first(where: { $0.word == words[2] })?.side
        else { return nil }
        self.init(path: path, oldName: oldName, side: side)
    }

    private static let sides: [(word: String, side: Choice.Side)] = [
        ("here", .ours), ("there", .theirs),
    ]

    /// The paths in hexadecimal, and the side.
    fileprivate var line: String {
        "\(hexadecimal(path.bytes)) \(hexadecimal(oldName.bytes)) \(side == .ours ? "here" : "there")\n"
    }
}

/// Those of the conflicts that are open.
struct LeftRenames: Equatable, Sendable {
    private var byPath: [RelativePath: LeftRename] = [:]
    /// The paths of the conflicts, by old name.
    private(set) var newNames: [RelativePath: RelativePath] = [:]

    init(_ all: [LeftRename]) {
        for rename in all { self[rename.path] = rename }
    }

    /// Ordered by path.
    var all: [LeftRename] { byPath.values.sorted { $0.path < $1.path } }

    subscript(path: RelativePath) -> LeftRename? {
        get { byPath[path] }
        set {
            if let former = byPath[path], newNames[former.oldName] == path {
                newNames[former.oldName] = nil
            }
            byPath[path] = newValue
            if let newValue { newNames[newValue.oldName] = path }
        }
    }

    /// The path at which a side has its version of a conflict without a copy.
    func place(of side: Choice.Side, in row: ConflictRow) -> RelativePath {
        guard row.copyPath == nil, let rename = self[row.path], rename.side == side else {
            return row.path
        }
        return rename.oldName
    }

    fileprivate static let name = "left-renames"
}

extension ManifestDatabase {
    func leftRenames() throws -> LeftRenames {
        let noted = try (value(LeftRenames.name) ?? []).noteLines.compactMap(LeftRename.init)
        return LeftRenames(
            try noted.filter { rename in
                try openConflicts(at: rename.path).contains { $0.copyPath == nil }
            })
    }
}

extension ManifestWriter {
    func note(_ renames: LeftRenames) throws {
        let bytes = Array(renames.all.map(\.line).joined().utf8)
        try setValue(LeftRenames.name, bytes.isEmpty ? nil : bytes)
    }
}

extension OpenConflict {
    /// The paths that are neither sent nor received until a person decides; none where there is a conflict copy.
    var leftPaths: [RelativePath] { copy == nil ? [path] + [oldName].compactMap { $0 } : [] }
}

extension SyncEngine {
    /// Paths, and the other names of the files there that are in conflict: what a run decides, it decides about both.
    func withOtherNames(_ paths: [RelativePath]) throws -> [RelativePath] {
        let renames = try manifest.leftRenames().all
        guard !renames.isEmpty, !paths.isEmpty else { return paths }
        let named = Set(paths)
        return paths
            + renames.compactMap { rename in
                let isNewNamed = rename.path.isAtOrInside(named)
                guard isNewNamed != rename.oldName.isAtOrInside(named) else { return nil }
                return isNewNamed ? rename.oldName : rename.path
            }
    }

    /// The paths of open conflicts, with the old names of their files.
    func waitingForUser() throws -> Set<RelativePath> {
        let paths = try manifest.conflicts(.open).map(\.path)
        return try Set(paths + manifest.leftRenames().all.map(\.oldName))
    }

    /// Tells a run of the renames of this replica that an earlier run has found: by an inode or a folder, which a run for some
    /// paths may not see.
    func applyLeftRenames(_ run: inout SyncRun) throws {
        for rename in try manifest.leftRenames().all where rename.side == .theirs {
            guard let change = run.local.changes[rename.path], change.entry != nil,
                change.movedFrom == nil, let old = run.local.changes[rename.oldName],
                old.entry == nil
            else { continue }
            run.local.changes[rename.path]?.movedFrom = rename.oldName
        }
    }
}
