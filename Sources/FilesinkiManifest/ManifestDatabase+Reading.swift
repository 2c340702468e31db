package import FilesinkiModel
internal import FilesinkiSQLite

extension ManifestDatabase {
    /// The whole base tree, in no order.
    ///
    /// - Throws: `Failure` with code `corrupt` when a row is damaged or missing, as all here.
    package func loadBase() throws(Failure) -> [BaseRow] { try base.rows() }

    /// What was agreed on at one path, or nil.
    ///
    /// A look-up of one path notices a damaged row, but not that its index has lost one;
    /// ``loadBase()`` does.
    package func base(_ path: RelativePath) throws(Failure) -> BaseRow? {
        try base.row(path.bytes)
    }

    /// What was agreed on below a folder, itself not included, ordered by the paths' bytes.
    package func baseRows(below folder: RelativePath) throws(Failure) -> [BaseRow] {
        try base.rows(below: folder)
    }

    /// What was agreed on at the paths that begin with these bytes, ordered by the paths' bytes.
    package func baseRows(beginning prefix: [UInt8]) throws(Failure) -> [BaseRow] {
        try base.rows(beginning: prefix)
    }

    /// How many paths were agreed on.
    package func baseCount() throws(Failure) -> Int { try base.count() }

    /// How many files were agreed on and their bytes, held to what 64 bits can count.
    ///
    /// For a person to read: rows are not verified. Costs a pass over the rows, and no memory.
    package func baseFiles() throws(Failure) -> (count: Int, bytes: Int64) {
        let select = try cache.statement(
            "SELECT count(*), CAST(total(size) AS INTEGER) FROM base WHERE kind = 1")
        defer { select.reset() }
        guard try select.step() else { return (0, 0) }
        return (Int(clamping: select.integer(0)), select.integer(1))
    }

    /// The paths whose scanned state is not the base's, in no order.
    package func loadLocal() throws(Failure) -> [LocalRow] { try local.rows() }

    /// What the scan found at one path that is not the base's, or nil.
    package func local(_ path: RelativePath) throws(Failure) -> LocalRow? {
        try local.row(path.bytes)
    }

    /// What the scan found below a folder that is not the base's, ordered by the paths' bytes.
    package func localRows(below folder: RelativePath) throws(Failure) -> [LocalRow] {
        try local.rows(below: folder)
    }

    /// What the scan found that is not the base's at the paths that begin with these bytes, ordered by
    /// the paths' bytes.
    package func localRows(beginning prefix: [UInt8]) throws(Failure) -> [LocalRow] {
        try local.rows(beginning: prefix)
    }

    /// The paths whose state at the remote is not the base's, in no order.
    package func loadRemote() throws(Failure) -> [RemoteRow] { try remote.rows() }

    /// At how many paths the remote's state is not the base's.
    package func remoteCount() throws(Failure) -> Int { try remote.count() }

    /// What is at the remote at one path and not the base's, or nil.
    package func remote(_ path: RelativePath) throws(Failure) -> RemoteRow? {
        try remote.row(path.bytes)
    }

    /// All deletions that were agreed on, in no order.
    package func loadTombstones() throws(Failure) -> [TombstoneRow] { try tombstone.rows() }

    /// The deletion that was agreed on at one path, or nil.
    package func tombstone(_ path: RelativePath) throws(Failure) -> TombstoneRow? {
        try tombstone.row(path.bytes)
    }

    /// The deletions that were agreed on below a folder, ordered by the paths' bytes.
    package func tombstones(below folder: RelativePath) throws(Failure) -> [TombstoneRow] {
        try tombstone.rows(below: folder)
    }

    /// All packs that are known, in no order.
    package func loadPacks() throws(Failure) -> [PackRow] { try pack.rows() }

    /// The pack with an id, or nil.
    package func pack(_ id: [UInt8]) throws(Failure) -> PackRow? { try pack.row(id) }

    /// All contents that travel inside commits, in no order.
    package func loadInline() throws(Failure) -> [InlineRow] { try inline.rows() }

    /// The sequence number of a commit that carries the content, or nil.
    package func inlineSequence(of content: ContentID) throws(Failure) -> UInt64? {
        try inline.row(content.bytes)?.sequence
    }

    /// The paths of the base that have these bytes in them.
    package func basePaths(containing bytes: [UInt8]) throws(Failure) -> [RelativePath] {
        let select = try cache.statement("SELECT path FROM base WHERE instr(path, ?) > 0")
        defer { select.reset() }
        bytes.withUnsafeBytes { select.bind($0, at: 1) }
        var paths: [RelativePath] = []
        while try select.step() { paths.append(RelativePath(unchecked: Array(select.bytes(0)))) }
        return paths
    }
}
