import FilesinkiHashing
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import FilesinkiText
import Glibc
import Synchronization

/// Who may change a store that rclone reaches.
///
/// Where several devices cannot be kept apart, one declares that it publishes alone (`--single-writer`). It leaves
/// a mark below `writers/`, which is no part of the store's format, and looks for another's before each commit. That
/// finds a second device sooner or later, and is no proof against two that begin at the same moment: the declaration
/// is the user's.
final class RcloneWriters: Sendable {
    /// The id of this device's mark; nil when it has not declared that it publishes alone.
    private let id: String?
    /// Whether the mark was found at the remote since this object was made.
    private let isMarked = Mutex(false)

    static let folder = "writers/"

    /// The most marks that are looked at.
    static let maximumMarks = 8

    /// - Parameter id: See ``id(ofStateBeside:)``; nil if several devices may publish.
    init(_ id: String?) { self.id = id }

    /// Whether only this device publishes.
    var isSingle: Bool { id != nil }

    /// The mark of a device: its key, and a content for people.
    struct Mark: Sendable {
        var key: ObjectKey
        var content: [UInt8]
    }

    /// Checks that this device may change an object.
    ///
    /// - Parameter marks: Lists the marks below a prefix, and leaves the given one if there is none.
    /// - Throws: `Failure`: `unfit-store` when no device may, `not-allowed` when another device may; what `marks`
    ///   throws.
    func check(
        _ key: ObjectKey, _ link: RcloneLink, _ place: RcloneAddress,
        _ marks: (String, Mark?) async throws -> [ObjectKey]
    ) async throws {
        // What a test of the remote writes is nobody's.
        guard !key.description.hasPrefix("probe/") else { return }
        if try await link.movesExclusively() { return }
        guard let id else { throw Self.cannotShare(place) }
        guard key.isSlot || !isMarked.withLock({ $0 }) else { return }
        let own = Mark(
            key: try ObjectKey(Self.folder + id), content: Array("\(nameOfHost())\n".utf8))
        var found = try await marks(Self.folder, own)
        if found.isEmpty { found = try await marks(Self.folder, nil) }
        if let other = found.first(where: { $0 != own.key }) { throw Self.isTaken(place, other) }
        isMarked.withLock { $0 = true }
    }

    /// The id of a device whose state is in the folder of a file: the same again after a run that was killed.
    ///
    /// - Parameter path: The file; nil without a replica.
    static func id(ofStateBeside path: String?) -> String {
        let machine = (try? FileHandle("/etc/machine-id", O_RDONLY).readAll(limit: 4096)) ?? nil
        let text = "filesinki writer\n\(nameOfHost())\n\(path ?? "")\n"
        return hexadecimal(SHA256.hash(Array(text.utf8) + (machine ?? [])).prefix(16))
    }

    private static func cannotShare(_ place: RcloneAddress) -> Failure {
        Failure(
            .unfitStore, path: place.text,
            "rclone cannot keep several devices apart there, of which one would lose its changes.",
            remedy: "If this device alone publishes there, run filesinki remote set "
                + "\(ShellWord.shown(place.text.utf8)) --single-writer.")
    }

    private static func isTaken(_ place: RcloneAddress, _ mark: ObjectKey) -> Failure {
        let file = place.path.isEmpty || place.path.hasSuffix("/") ? "" : "/"
        return Failure(
            .notAllowed, path: place.text, "Another device publishes there, and only one may.",
            remedy:
                "If that one will never sync there again, remove its mark with: rclone deletefile "
                + "'\(place.target)\(file)\(mark.description)'")
    }
}
