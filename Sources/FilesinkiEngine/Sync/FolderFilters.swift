import FilesinkiModel

/// What is at a folder for those who ask for its filter.
enum FilteredFolder {
    case kept(any ScanFilter)
    case ignored
    /// Its rules cannot be read, or those of a folder above it. The scan says why.
    case unreadable
    /// A replica of the same store, or what is in it.
    case replica
}

/// The rules of folders, as they are or were.
protocol FolderRules: Sendable {
    /// What a folder is that has no filter, besides one whose rules cannot be read; nil for one that has.
    ///
    /// - Parameter filter: That of the folder above it.
    func bar(_ folder: RelativePath, in filter: any ScanFilter) -> FilteredFolder?

    /// The bytes of an ignore file in a folder; nil if there is none.
    func bytes(of file: String, in folder: RelativePath) throws -> [UInt8]?
}

/// The filters of folders, each made once.
struct FolderFilters<Rules: FolderRules> {
    let rules: Rules
    /// That of the root.
    private let filter: any ScanFilter
    private var folders: [RelativePath: FilteredFolder] = [:]

    /// - Parameter filter: That of the root.
    init(_ rules: Rules, _ filter: any ScanFilter) {
        self.rules = rules
        self.filter = filter
    }

    /// - Parameter path: Nil for the root.
    mutating func folder(_ path: RelativePath?) -> FilteredFolder {
        guard let path else { return .kept(filter) }
        if let known = folders[path] { return known }
        var result = folder(path.parent)
        if case .kept(let above) = result {
            result = rules.bar(path, in: above) ?? enter(path, above)
        }
        folders[path] = result
        return result
    }

    private func enter(_ path: RelativePath, _ above: any ScanFilter) -> FilteredFolder {
        do {
            return .kept(
                try above.entering(path.name) { [rules] in try rules.bytes(of: $0, in: path) })
        } catch {
            return .unreadable
        }
    }
}
