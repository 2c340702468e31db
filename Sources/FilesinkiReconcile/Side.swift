import FilesinkiModel

/// One of the two trees that differ from the base, so that what holds for both is written once.
struct Side {
    let input: ReconcileInput
    let isHere: Bool

    /// What this side has at `path`; nil for nothing.
    func entry(_ path: RelativePath) -> Entry? {
        isHere ? input.local(path) : input.remote(path)
    }

    /// Whether this side differs from the base at `path`.
    func isChanged(_ path: RelativePath) -> Bool {
        isHere ? input.here[path] != nil : input.there[path] != nil
    }

    /// The base path that this side says `path` was renamed from.
    func hint(_ path: RelativePath) -> RelativePath? {
        isHere ? input.here[path]?.movedFrom : input.there[path]?.movedFrom
    }

    /// Every path where this side differs from the base.
    var changed: [RelativePath] {
        isHere ? Array(input.here.keys) : Array(input.there.keys)
    }

    /// Whether this side has no directory at `path` where the base has one.
    func lostFolder(_ path: RelativePath) -> Bool {
        isChanged(path) && entry(path)?.kind != .directory
            && input.base.entry(path)?.entry.kind == .directory
    }
}
