package import FilesinkiModel

/// The state of a folder of a remote, stored to detect later changes.
///
/// It differs after a name in the folder was added, removed or replaced. As a hint only: a file system may not record such
/// a change in the folder, or with a time in whole seconds.
package struct FolderStamp: Hashable, Sendable {
    package var file: FileStamp
    /// The number of links. On many file systems it counts the subfolders, so that it differs even if the times are equal.
    package var links: UInt64

    package init(_ file: FileStamp, links: UInt64) {
        self.file = file
        self.links = links
    }
}
