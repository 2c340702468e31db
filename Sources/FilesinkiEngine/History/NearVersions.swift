import FilesinkiModel
import FilesinkiText

/// The versions of a path that are next to a number: for a message, where there is no version of that number.
struct NearVersions {
    private var before: UInt64?
    private var after: UInt64?
    /// Whether there is a version of the number.
    private(set) var isVersion = false

    /// Adds the next version.
    mutating func add(_ version: UInt64, _ number: UInt64) {
        if version == number {
            isVersion = true
        } else if version < number {
            before = version
        } else if after == nil {
            after = version
        }
    }

    /// That the path has no such version.
    func failure(_ path: RelativePath, _ number: UInt64) -> Failure {
        let near = [before, after].compactMap(\.self).map(String.init)
        let nearest =
            (near.count > 1 ? "The nearest are " : "The nearest is ")
            + near.joined(separator: " and ") + "."
        return Failure(
            .notFound, path: path.bytes, "Version \(number) was not found. \(nearest)",
            remedy: "List its versions with filesinki log \(ShellWord.path(path.bytes)). --commit "
                + "\(number) in place of the version takes the state after that commit.")
    }
}
