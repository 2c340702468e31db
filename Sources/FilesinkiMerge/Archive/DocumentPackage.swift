/// What is known of the parts of a kind of archives.
protocol DocumentPackage: Sendable {
    /// Why a version cannot be merged at all, such as a signature: the end of a sentence that begins with the version.
    func refusal(_ version: ArchivePackage) throws(ZipError) -> String?

    /// When a version was saved, as it says itself, in a form that sorts; nil if it does not.
    func modified(_ version: ArchivePackage) throws(ZipError) -> [UInt8]?

    /// How a part is merged.
    func rule(_ name: [UInt8], _ versions: PackageVersions) throws(ZipError) -> PartRule

    /// The parts that both sides changed and that refer to each other by numbers, written so that they can be merged.
    ///
    /// - Returns: Contents of parts by version and name; an empty dictionary where nothing needs it.
    func aligned(
        _ versions: PackageVersions
    ) throws(PackageError) -> [MergeVersion: [[UInt8]: [UInt8]]]

    /// What does not go together in a merged document, although each part could be merged.
    func conflicts(_ merged: MergedPackage) throws(ZipError) -> [MergeConflict]
}

/// How a part is merged that both sides changed.
enum PartRule: Sendable {
    /// As one value, on which both sides must agree.
    case whole
    /// That of the version that was saved last.
    case latest
    /// As XML.
    case elements(ElementRule)
    /// By another merge.
    case content(any ContentMerge)
}

/// Why the versions cannot be merged.
struct PackageError: Error {
    let conflicts: [MergeConflict]

    init(_ place: String, _ reason: String) { conflicts = [MergeConflict(place, reason)] }
}

/// A merged document, and what it was made of.
struct MergedPackage {
    let versions: PackageVersions
    let result: ArchivePackage
    /// Of parts with blocks: the texts that were merged, and the blocks that a side changed.
    let stories: [Story]

    struct Story {
        let name: [UInt8]
        let parts: PartVersions
        let blocks: [PartMerge.Block]
    }

    /// What is wrong in the result and in neither side.
    func newFaults(
        _ faults: (ArchivePackage) throws(ZipError) -> Set<[UInt8]>
    ) throws(ZipError) -> [[UInt8]] {
        var known: Set<[UInt8]> = []
        for side in [versions.ours, versions.theirs] { known.formUnion(try faults(side)) }
        return try faults(result).subtracting(known)
            .sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// The parts that only one side changed, with that side.
    func partsOfOneSide() throws(ZipError) -> [(name: [UInt8], side: MergeVersion)] {
        var found: [(name: [UInt8], side: MergeVersion)] = []
        for name in result.names {
            let isOurs = try !versions.isUnchanged(name, .ours)
            let isTheirs = try !versions.isUnchanged(name, .theirs)
            if isOurs != isTheirs { found.append((name, isOurs ? .ours : .theirs)) }
        }
        return found
    }
}

extension MergeConflict {
    /// A conflict about a part.
    init(part name: some Sequence<UInt8>, _ reason: String) {
        self.init(String(decoding: Array(name), as: UTF8.self), reason)
    }
}
