package import FilesinkiMerge
package import FilesinkiModel

/// What a merge needs to know beside the three contents.
package struct MergeQuestion: Sendable {
    package var path: RelativePath
    /// Whether there is a base; its file is empty where there is none.
    package var hasBase: Bool
    package var hereModified: Timestamp
    package var thereModified: Timestamp
    package var settings: MergeSettings

    package init(
        path: RelativePath, hasBase: Bool, hereModified: Timestamp, thereModified: Timestamp,
        settings: MergeSettings
    ) {
        self.path = path
        self.hasBase = hasBase
        self.hereModified = hereModified
        self.thereModified = thereModified
        self.settings = settings
    }
}

extension MergeQuestion {
    /// The versions in memory; nil where one is larger than `limit` bytes.
    func input(from folder: MergeFolder, limit: Int) throws(Failure) -> MergeInput? {
        guard let here = try folder.read(.here, limit: limit),
            let there = try folder.read(.there, limit: limit),
            let base = try folder.read(.base, limit: limit)
        else { return nil }
        return MergeInput(
            base: hasBase ? base : nil, ours: here, theirs: there, oursModified: hereModified,
            theirsModified: thereModified, settings: settings)
    }
}
