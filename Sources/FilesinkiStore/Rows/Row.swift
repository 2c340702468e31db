package import FilesinkiModel

/// What a commit or a checkpoint says of one path, before anything but the path is checked.
struct Row {
    var path: [UInt8]
    var entry: Entry
    /// In a commit the version that the writer had seen, in a checkpoint the one that set the entry.
    var version: UInt64
}

/// A row that was left out, and why.
package struct RefusedRow: Sendable {
    /// The path as it was written, which may be no path at all; show it by
    /// ``FilesinkiModel/printable(_:)``.
    package var path: [UInt8]
    package var failure: Failure

    package init(path: [UInt8], failure: Failure) {
        self.path = path
        self.failure = failure
    }

    init(_ path: [UInt8], _ message: String) {
        self.init(
            path: path,
            failure: Failure(
                .corrupt, path: path, message,
                remedy: "The rest is applied; find out which device wrote this."))
    }
}
