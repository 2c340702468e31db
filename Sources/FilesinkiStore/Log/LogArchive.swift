import FilesinkiModel

/// Many commits of a log in one object, one after the other.
///
/// Memory holds the encoded commits: ``ArchiveExtent/length`` bytes, or one commit if that is longer.
struct LogArchive: Sendable {
    /// The number of the first commit.
    let first: UInt64
    /// The hash of the commit before the first.
    let parent: ContentID
    /// SHA-256 of the bytes that were in each commit's slot.
    private(set) var hashes: [ContentID] = []
    /// The encoded commits, before compression.
    private(set) var commits: [[UInt8]] = []
    /// The number of bytes in ``commits``.
    private(set) var length = 0

    /// The key of the object, for messages.
    var key = ""

    /// An archive without commits that begins after a token.
    init(after token: ChangeToken) {
        first = token.sequence &+ 1
        parent = token.hash
    }

    /// The number of the last commit.
    var last: UInt64 { first &+ UInt64(commits.count) &- 1 }

    /// The position after the last commit.
    var end: ChangeToken { ChangeToken(sequence: last, hash: hashes.last ?? parent) }

    func contains(_ sequence: UInt64) -> Bool { sequence >= first && sequence <= last }

    /// The hash of a commit of the archive, or of the commit before the first; nil for other numbers.
    func hash(of sequence: UInt64) -> ContentID? {
        if sequence &+ 1 == first { return parent }
        return contains(sequence) ? hashes[Int(sequence - first)] : nil
    }

    /// A commit of the archive.
    func record(_ sequence: UInt64) -> CommitRecord {
        let index = Int(sequence - first)
        return CommitRecord(archived: commits[index], hash: hashes[index])
    }

    mutating func append(_ record: CommitRecord) { append(record.plain, record.hash) }

    private mutating func append(_ plain: [UInt8], _ hash: ContentID) {
        commits.append(plain)
        hashes.append(hash)
        length += plain.count
    }
}

extension LogArchive {
    /// The bytes of the object.
    ///
    /// - Throws: `Failure` with code `limit` when the archive is too long.
    func encoded(store: [UInt8], zone: String) throws(Failure) -> [UInt8] {
        var message = StoredArchive()
        message.store = field(store)
        message.zone = zone
        message.first = first
        message.parent = field(parent.bytes)
        message.hashes = field(hashes.flatMap(\.bytes))
        message.commits = commits.map { field($0) }
        return try Envelope.seal(try serialized(message), as: .archive)
    }

    /// Reads the bytes of an object. The commits themselves are decoded when they are needed.
    ///
    /// - Parameters:
    ///   - last: The last commit by the object's key.
    ///   - key: The object's key, for messages.
    /// - Throws: `Failure` with code `corrupt` or `newer-format` when the bytes are not an archive
    ///   that ends at `last`, `wrong-store` for one of another store or zone.
    init(
        _ stored: [UInt8], last: UInt64, store: [UInt8], zone: String, key: String
    ) throws(Failure) {
        let message: StoredArchive = try parsed(
            Envelope.open(stored, as: .archive, key: key), key: key)
        guard array(message.store) == store, message.zone == zone else {
            throw Failure(
                .wrongStore, path: key, "The archive belongs to another store or zone.",
                remedy: "Run filesinki check; the store's objects were mixed with others.")
        }
        let (end, overflow) = message.first.addingReportingOverflow(UInt64(message.commits.count))
        let hashes = array(message.hashes)
        let length = ContentID.byteCount
        guard message.first > 0, !message.commits.isEmpty, !overflow, end - 1 == last,
            hashes.count == message.commits.count * length,
            let parent = ContentID(array(message.parent))
        else { throw Envelope.damaged(key, "The archive is inconsistent.") }
        self.init(after: ChangeToken(sequence: message.first - 1, hash: parent))
        self.key = key
        for (index, commit) in message.commits.enumerated() {
            let start = index * length
            guard let hash = ContentID(hashes[start..<(start + length)]) else {
                throw Envelope.damaged(key, "The archive is inconsistent.")
            }
            append(array(commit), hash)
        }
    }
}
