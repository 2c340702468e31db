import FilesinkiModel
package import FilesinkiText

/// What a page can ask of a store. Each answer is lines of JSON, as the commands of the same names print them where
/// there are such.
enum StoreCall: String, CaseIterable {
    case store, log, changes, versions, files, deleted, devices, usage, growth
}

extension StoreIndex {
    /// The most lines of one answer.
    package static let maximumLines = 200
    /// The most days of one answer.
    private static let maximumDays = 366

    /// Answers a call.
    ///
    /// - Parameters:
    ///   - name: Such as `log`.
    ///   - arguments: `limit`, and where the page of the answer begins.
    /// - Returns: Nil for an unknown call. Of an encrypted store, one line of type `encrypted`; before the whole log is
    ///   read, a line of type `reading` besides.
    /// - Throws: `Failure` with code `usage` for invalid arguments; as ``read(_:)`` does.
    package func answer(
        _ name: String, _ arguments: CallArguments
    ) async throws -> [[UInt8]]? {
        guard let call = StoreCall(rawValue: name) else { return nil }
        return try await read { database, reading throws(Failure) in
            if reading == .encrypted { return [(["type": "encrypted"] as JSONObject).bytes] }
            var lines = try Self.lines(of: call, arguments, database).map(\.bytes)
            if reading == .partial {
                var line: JSONObject = ["type": "reading"]
                line.add("sequence", try database.number("sequence"))
                lines.append(line.bytes)
            }
            return lines
        }
    }

    private static func lines(
        of call: StoreCall, _ given: CallArguments, _ database: IndexDatabase
    ) throws(Failure) -> [JSONObject] {
        let versions = VersionPages(database)
        let tree = TreePages(database)
        let asked = try given.optionalNumber("limit") ?? UInt64(maximumLines)
        let limit = Int(clamping: min(max(asked, 1), UInt64(maximumLines)))
        switch call {
        case .store: return [try tree.summary()]
        case .log:
            return try versions.commits(before: given.optionalNumber("before"), limit: limit)
        case .changes:
            return try versions.changes(
                of: given.number("version"), after: given.optionalPath("after"), limit: limit)
        case .versions:
            return try versions.versions(
                of: given.path(), before: given.optionalNumber("before"), limit: limit)
        case .files:
            return try tree.entries(
                of: given.optionalPath() ?? [], after: given.optionalPath("after"), limit: limit)
        case .deleted:
            let before = try given.optionalNumber("before").map { number throws(Failure) in
                (sequence: number, path: try given.path())
            }
            return try tree.deleted(before: before, limit: limit)
        case .devices: return try tree.devices(limit: limit)
        case .usage: return try tree.largest(in: given.optionalPath() ?? [], limit: limit)
        case .growth: return [try tree.growth(limit: maximumDays)]
        }
    }
}
