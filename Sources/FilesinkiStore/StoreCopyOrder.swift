package import FilesinkiRemote

/// What is copied to a copy of a store that devices may use already, and in which order.
///
/// Where both went on, their logs cannot be joined: a commit of the source behind one of the copy would have another
/// parent, and no device could read the copy any more. So ``lastShared`` is compared first, and the commits are copied
/// one after the other.
package struct StoreCopyOrder: Hashable, Sendable {
    /// Of each log the last commit whose number both have. Where it differs, both went on.
    package private(set) var lastShared: [ObjectKey] = []
    /// What commits and checkpoints name.
    package private(set) var contents: [ObjectKey] = []
    /// The commits of each log in their order.
    package private(set) var commits: [ObjectKey] = []
    /// What tells of commits.
    package private(set) var rest: [ObjectKey] = []

    /// - Parameters:
    ///   - objects: The keys of the source.
    ///   - present: The keys of the copy.
    package init(copying objects: [ObjectKey], to present: Set<ObjectKey>) {
        let first = Dictionary(
            present.compactMap { $0.commit }.map { ($0.zone, $0.sequence) }, uniquingKeysWith: min)
        var shared: [String: ObjectKey] = [:]
        for key in objects.sorted() {
            if let commit = key.commit {
                if present.contains(key) {
                    shared[commit.zone] = key
                } else if commit.sequence > first[commit.zone] ?? 0 {
                    // Older ones the copy has archived.
                    commits.append(key)
                }
            } else if !present.contains(key) {
                if key.isNamedByOthers { contents.append(key) } else { rest.append(key) }
            }
        }
        lastShared = shared.values.sorted()
    }
}

extension ObjectKey {
    /// The zone and the number of the commit in a slot of a log; nil for another key.
    fileprivate var commit: (zone: String, sequence: UInt64)? {
        let names = description.split(separator: "/").map(String.init)
        guard names.count == 5, names[0] == "zones" else { return nil }
        let prefix = StoreLayout.log(of: names[1])
        return StoreLayout.sequence(of: self, below: prefix).map { (names[1], $0) }
    }

    /// Whether the object is a pack, or a part of a checkpoint.
    fileprivate var isNamedByOthers: Bool {
        let names = description.split(separator: "/")
        return names.first == "packs"
            || (names.first == "zones" && names.count > 2
                && (names[2] == "packs" || names[2] == "parts"))
    }
}
