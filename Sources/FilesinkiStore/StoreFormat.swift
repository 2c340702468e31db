import FilesinkiHashing
package import FilesinkiModel
package import FilesinkiRemote

/// The description of a store. It is created once and never changes.
///
/// It is text, so that a user who opens the folder sees what it is. See ``StoreFormatText``.
package struct StoreFormat: Hashable, Sendable {
    /// The version of the layout; this program supports ``currentVersion``.
    package var formatVersion: Int
    /// 16 random bytes.
    package var id: [UInt8]
    /// Incremented when the store's history restarts under the same id.
    package var epoch: UInt64
    /// The method that makes slots write-once at this remote, such as `rename-folder`.
    package var slots: String

    /// The version that this program writes, and the newest that it can read.
    package static let currentVersion = 1

    package init(formatVersion: Int, id: [UInt8], epoch: UInt64, slots: String) {
        self.formatVersion = formatVersion
        self.id = id
        self.epoch = epoch
        self.slots = slots
    }

    /// The token before the first commit of any zone: number 0, the store's id and 16 zeros.
    package var genesis: ChangeToken {
        let padded = id + Array(repeating: 0, count: max(0, ContentID.byteCount - id.count))
        return ChangeToken(sequence: 0, hash: ContentID(padded) ?? .none)
    }

    /// Reads the description of the store at a remote; nil when there is no store.
    ///
    /// - Throws: `Failure` with code `newer-format`, `corrupt`, or what the remote throws.
    package static func read(from remote: any Remote) async throws -> StoreFormat? {
        guard let bytes = try await remote.get(key(), range: nil) else { return nil }
        return try StoreFormatText.decode(bytes)
    }

    /// Creates a store at a remote, or returns the existing one. When several devices try at once,
    /// one wins and all get the same description.
    ///
    /// - Parameters:
    ///   - slots: The method for write-once slots that the probe found.
    ///   - createdBy: The program and its version, for display.
    /// - Throws: `Failure` with code `newer-format`, `corrupt`, or what the remote throws.
    package static func create(
        at remote: any Remote, systemContext: SystemContext, slots: String = "rename-folder",
        createdBy: String = "filesinki"
    ) async throws -> StoreFormat {
        if let existing = try await read(from: remote) { return existing }
        let fresh = StoreFormat(
            formatVersion: currentVersion, id: systemContext.randomBytes(16), epoch: 0, slots: slots
        )
        let text = StoreFormatText.encode(fresh, createdBy: createdBy)
        switch try await remote.publish(text, to: key()) {
        case .mine: return fresh
        case .theirs(let bytes): return try StoreFormatText.decode(bytes)
        }
    }

    /// The request whose reply ``init(reply:)`` decodes, to be sent together with others.
    package static func request() throws(Failure) -> ObjectRequest { ObjectRequest(try key()) }

    /// Decodes the reply to ``request()``; nil when there is no store.
    ///
    /// - Throws: `Failure` with code `newer-format` or `corrupt`.
    package init?(reply: ObjectReply) throws(Failure) {
        guard case .bytes(let bytes) = reply else { return nil }
        self = try StoreFormatText.decode(bytes)
    }

    private static func key() throws(Failure) -> ObjectKey { try ObjectKey(StoreLayout.format) }
}

/// Encodes and decodes the text of a store's description: lines of `key = value` between a fixed
/// first and last line.
///
/// ```
/// filesinki store
/// format = 1
/// id = 00112233445566778899aabbccddeeff
/// epoch = 0
/// slots = rename-folder
/// created-by = filesinki
/// sha256 = (64 digits: of all bytes before this line)
/// ```
enum StoreFormatText {
    static let title = "filesinki store"

    /// The maximum length of a description, in bytes.
    static let maximumLength = 65536

    static func encode(_ format: StoreFormat, createdBy: String) -> [UInt8] {
        let text = """
            \(title)
            format = \(format.formatVersion)
            id = \(hexadecimal(format.id))
            epoch = \(format.epoch)
            slots = \(oneLine(format.slots))
            created-by = \(oneLine(createdBy))

            """
        let body = Array(text.utf8)
        return body + Array("sha256 = \(ContentHasher.hash(body))\n".utf8)
    }

    private static func oneLine(_ text: String) -> String {
        String(text.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 })
    }

    /// - Throws: `Failure` with code `newer-format` when a later version of the program created
    ///   the store, `corrupt` when the text is invalid.
    static func decode(_ bytes: [UInt8]) throws(Failure) -> StoreFormat {
        guard bytes.count <= maximumLength, let text = String(validating: bytes, as: UTF8.self),
            let values = values(of: text, bytes)
        else { throw damaged("This is not the description of a filesinki store.") }
        guard let version = values["format"].flatMap(Int.init), version > 0 else {
            throw damaged("The description names no format.")
        }
        guard version <= StoreFormat.currentVersion else {
            throw Envelope.newer(
                StoreLayout.format,
                "The store has format \(version), which is newer than this program.")
        }
        guard let id = values["id"].flatMap({ FilesinkiModel.bytes(hexadecimal: $0) }),
            id.count == 16, let epoch = values["epoch"].flatMap(UInt64.init)
        else { throw damaged("The description lacks the store's id or epoch.") }
        return StoreFormat(
            formatVersion: version, id: id, epoch: epoch, slots: values["slots"] ?? "")
    }

    /// The values by key; nil when the title, the checksum or a line is invalid.
    private static func values(of text: String, _ bytes: [UInt8]) -> [String: String]? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 3, lines[0] == title, lines[lines.count - 1].isEmpty else {
            return nil
        }
        let last = lines[lines.count - 2]
        let body = bytes.dropLast(last.utf8.count + 1)
        guard last == "sha256 = \(ContentHasher.hash(Array(body)))" else { return nil }
        var values: [String: String] = [:]
        for line in lines[1..<(lines.count - 2)] {
            guard let (key, value) = pair(line), values.updateValue(value, forKey: key) == nil
            else { return nil }
        }
        return values
    }

    private static func pair(_ line: Substring) -> (key: String, value: String)? {
        let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, words[1] == "=" else { return nil }
        return (String(words[0]), String(words[2]))
    }

    private static func damaged(_ message: String) -> Failure {
        Envelope.damaged(StoreLayout.format, message)
    }
}
