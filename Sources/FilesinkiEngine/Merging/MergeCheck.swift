import FilesinkiModel

/// Runs a merge both ways round and once more over its result, to find out whether devices that
/// merge the same conflict come to the same, and whether a second merge changes anything.
package struct MergeCheck: Sendable, Equatable {
    /// What the chain came to.
    package var result: FileMerge.Result
    /// Whether here and there exchanged give the same bytes; or both are a conflict.
    package var isSymmetric: Bool
    /// Whether the result merged again, with either side, is the result.
    package var isIdempotent: Bool

    /// - Parameter parent: The folder to work in.
    package init(_ merge: FileMerge, in parent: String) throws {
        var folders: [MergeFolder] = []
        defer { for folder in folders { folder.remove() } }
        func run(_ merge: FileMerge) throws -> (FileMerge.Result, [UInt8]?, String) {
            let folder = try MergeFolder(in: parent, for: merge.path)
            folders.append(folder)
            let result = try merge.run(in: folder)
            guard case .merged(let file, _, _) = result else { return (result, nil, "") }
            return (result, try MergeFolder.read(file, limit: .max), file)
        }
        let (result, bytes, file) = try run(merge)
        self.result = result
        var swapped = merge
        (swapped.here, swapped.there) = (merge.there, merge.here)
        isSymmetric = try run(swapped).1 == bytes
        isIdempotent = true
        guard bytes != nil else { return }
        for again in [\FileMerge.here, \FileMerge.there] {
            var repeated = merge
            repeated[keyPath: again] = file
            if try run(repeated).1 != bytes { isIdempotent = false }
        }
    }
}
