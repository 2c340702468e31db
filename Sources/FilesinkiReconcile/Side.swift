import FilesinkiModel

/// One of the two trees that differ from the base, so that what holds for both is written once.
struct Side {
    let input: ReconcileInput
    let isOurs: Bool

    /// What this side has at `path`; nil for nothing.
    func entry(_ path: RelativePath) -> Entry? {
        isOurs ? input.local(path) : input.remote(path)
    }

    /// Whether this side differs from the base at `path`.
    func isChanged(_ path: RelativePath) -> Bool {
        isOurs ? input.ours[path] != nil : input.theirs[path] != nil
    }

    /// The base path that this side says `path` was renamed from.
    func hint(_ path: RelativePath) -> RelativePath? {
        isOurs ? input.ours[path]?.movedFrom : input.theirs[path]?.movedFrom
    }

    /// Every path where this side differs from the base.
    var changed: [RelativePath] {
        isOurs ? Array(input.ours.keys) : Array(input.theirs.keys)
    }

    /// Whether this side has no directory at `path` where the base has one.
    func lostFolder(_ path: RelativePath) -> Bool {
        isChanged(path) && entry(path)?.kind != .directory
            && input.base.entry(path)?.entry.kind == .directory
    }
}
