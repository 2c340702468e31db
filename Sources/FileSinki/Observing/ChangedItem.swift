public import FoundationEssentials

/// A value that another device has changed.
public struct ChangedItem<Item> {
    /// What is in the file now.
    public let item: Item
    /// Where the file is.
    public let localURL: URL
    /// The file's path below the root.
    public let path: String
}

extension ChangedItem: Sendable where Item: Sendable {}

/// A file that another device has changed or deleted.
public struct ChangedFile: Sendable, Hashable {
    /// Where the file is.
    public let localURL: URL
    /// The file's path below the root.
    public let path: String
    /// Whether it was deleted.
    public let isDeleted: Bool
}

/// The files that one change is about: at least one. For who needs only one, they have its properties.
public struct ChangedFiles: RandomAccessCollection, Sendable, Hashable {
    private let first: ChangedFile
    private let others: [ChangedFile]

    init(_ first: ChangedFile, _ others: [ChangedFile] = []) {
        self.first = first
        self.others = others
    }

    /// Where the first file is.
    public var startIndex: Int { 0 }
    /// Behind the last file.
    public var endIndex: Int { others.count + 1 }
    /// One of the files.
    public subscript(index: Int) -> ChangedFile { index == 0 ? first : others[index - 1] }

    /// Where the first file is.
    public var localURL: URL { first.localURL }
    /// The first file's path below the root.
    public var path: String { first.path }
    /// Whether the first file was deleted.
    public var isDeleted: Bool { first.isDeleted }
}
