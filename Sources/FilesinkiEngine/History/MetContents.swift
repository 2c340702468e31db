import FilesinkiModel
import FilesinkiStore

/// Contents in commits that were met while a tree of the past was read: what this device does not know of old versions.
struct MetContents: Sendable {
    /// The commits that they lie in.
    private var places: [ContentID: UInt64] = [:]
    /// Those that need no second reading.
    private var carried = CarriedContents()

    /// Adds what a checkpoint lists.
    mutating func add(_ locations: [InlineLocation]) {
        for content in locations { places[content.id] = content.sequence }
    }

    /// Adds the contents of a commit.
    ///
    /// - Parameter isCarried: Whether they stay in memory.
    mutating func add(_ commit: Commit, isCarried: Bool) {
        for content in commit.inline { places[content.id] = commit.sequence }
        if isCarried { carried.keep(commit.inline) }
    }

    /// Adds them to what a view knows, whose own places count.
    func add(to view: inout RemoteView) {
        view.inline = places.map { (content: $0.key, sequence: $0.value) } + view.inline
        view.carried.keep(carried.contents.map { InlineContent(id: $0.key, bytes: $0.value) })
    }
}

extension HistoryReader {
    /// The same history, of which these contents are known besides.
    func knowing(_ met: MetContents) -> Self {
        var copy = self
        met.add(to: &copy.view)
        return copy
    }
}
