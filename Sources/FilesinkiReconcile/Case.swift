import FilesinkiModel

/// One thing that both sides have to agree about: a file, directory or symlink, under the name it
/// will have. After a rename its three values come from different paths.
struct Case {
    /// The name it will have.
    var path: RelativePath
    /// Where its values come from; nil when all come from `path`.
    private var link: Link?
    var base: VersionedEntry?
    var ours: Entry?
    var theirs: Entry?

    /// A thing that kept its name.
    init(at path: RelativePath, base: VersionedEntry?, ours: Entry?, theirs: Entry?) {
        self.path = path
        self.base = base
        self.ours = ours
        self.theirs = theirs
    }

    init(link: Link, base: VersionedEntry?, ours: Entry?, theirs: Entry?) {
        self.init(at: link.path, base: base, ours: ours, theirs: theirs)
        self.link = link
    }

    /// The name it has in the base.
    var basePath: RelativePath { link?.basePath ?? path }
    /// Where it is here.
    var oursPath: RelativePath { link?.oursPath ?? path }
    /// Where it is there.
    var theirsPath: RelativePath { link?.theirsPath ?? path }

    /// Whether the remote tree has it where the base does.
    var isTheirsInPlace: Bool { link.map { $0.theirsPath == $0.basePath } ?? true }

    /// The base path, when the thing has another name now.
    var movedFrom: RelativePath? {
        guard let link, base != nil, link.basePath != path else { return nil }
        return link.basePath
    }

    var contest: Contest {
        Contest(
            base: base?.entry, ours: ours, theirs: theirs, oursPath: oursPath,
            theirsPath: theirsPath)
    }
}

/// Where one thing is in three trees, and the name it will have.
struct Link: Hashable {
    var basePath: RelativePath
    var oursPath: RelativePath
    var theirsPath: RelativePath
    var path: RelativePath
}

/// How an entry differs from the base's.
enum ChangeKind {
    case same
    /// The content is the base's; mode or time are not.
    case metadata
    /// Other content, or another kind, or new.
    case content
    case gone

    init(of entry: Entry?, from base: Entry?) {
        switch (entry, base) {
        case (nil, nil): self = .same
        case (nil, _?): self = .gone
        case (_?, nil): self = .content
        case (let entry?, let base?):
            if entry.agrees(with: base) {
                self = .same
            } else {
                self = entry.hasSameContent(as: base) ? .metadata : .content
            }
        }
    }
}
