package import FilesinkiModel

/// Ignores what one of several filters ignores.
struct JoinedFilter: ScanFilter {
    let filters: [any ScanFilter]

    func ignores(_ name: ArraySlice<UInt8>, isDirectory: Bool) -> Bool {
        filters.contains { $0.ignores(name, isDirectory: isDirectory) }
    }

    func entering(
        _ name: ArraySlice<UInt8>, read: (String) throws -> [UInt8]?
    ) rethrows -> any ScanFilter {
        var inside: [any ScanFilter] = []
        for filter in filters { inside.append(try filter.entering(name, read: read)) }
        return JoinedFilter(filters: inside)
    }
}

extension IgnoreFilter {
    /// The rules of the root for each user who has an ignore file; one without such a file if nobody has.
    ///
    /// What one of them ignores is private: a `!` in the file of one user does not publish what that of another keeps out.
    ///
    /// - Parameters:
    ///   - users: The ignore files of users.
    ///   - replica: That of the replica on this device.
    ///   - patterns: The patterns of the run.
    ///   - read: See ``init(gitignore:device:patterns:read:)``.
    package static func each(
        of users: [RulesLoad.DeviceFile], replica: RulesLoad.DeviceFile?, gitignore: Bool,
        patterns: RunPatterns = .none, read: (String) throws -> [UInt8]?
    ) rethrows -> [IgnoreFilter] {
        let ofReplica = [replica].compactMap(\.self)
        let ofUsers = users.filter(\.hasPatterns)
        var filters: [IgnoreFilter] = []
        for device in ofUsers.isEmpty ? [ofReplica] : ofUsers.map({ [$0] + ofReplica }) {
            filters.append(
                try IgnoreFilter(
                    gitignore: gitignore, device: device, patterns: patterns, read: read))
        }
        return filters
    }
}

extension [IgnoreFilter] {
    /// Ignores what one of them ignores.
    package var joined: any ScanFilter {
        count == 1 ? self[0] : JoinedFilter(filters: self)
    }

    /// The rule that decides about a path: see ``IgnoreFilter/explain(_:isDirectory:read:)``.
    package func explain(
        _ path: RelativePath, isDirectory: Bool, read: (RelativePath) throws -> [UInt8]?
    ) rethrows -> IgnoreMatch? {
        var first: IgnoreMatch?
        for filter in self {
            let match = try filter.explain(path, isDirectory: isDirectory, read: read)
            if match?.isIgnored == true { return match }
            first = first ?? match
        }
        return first
    }
}
