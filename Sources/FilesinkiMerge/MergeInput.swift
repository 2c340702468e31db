package import FilesinkiModel

/// The three versions of one content that a merge makes one of.
package struct MergeInput: Sendable {
    /// What both sides started from; nil where they never agreed on anything, as when both created
    /// the file.
    package var base: [UInt8]?
    /// What this replica has.
    package var here: [UInt8]
    /// What is committed.
    package var there: [UInt8]
    /// When ``here`` was last modified. Counts only for rules that the user made by time.
    package var hereModified: Timestamp
    /// When ``there`` was last modified.
    package var thereModified: Timestamp
    package var settings: MergeSettings

    package init(
        base: [UInt8]?, here: [UInt8], there: [UInt8],
        hereModified: Timestamp = Timestamp(nanoseconds: 0),
        thereModified: Timestamp = Timestamp(nanoseconds: 0), settings: MergeSettings = .init()
    ) {
        self.base = base
        self.here = here
        self.there = there
        self.hereModified = hereModified
        self.thereModified = thereModified
        self.settings = settings
    }

    /// The same merge seen from the other device.
    package var swapped: MergeInput {
        MergeInput(
            base: base, here: there, there: here, hereModified: thereModified,
            thereModified: hereModified, settings: settings)
    }
}
