package import FilesinkiModel

/// The key of an object at a remote: names of `a-z 0-9 . _ -`, separated by `/`.
///
/// Every file system, server and object store keeps these characters unchanged. No name begins with a
/// dot, so no key leads out of the store's folder.
package struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let description: String

    /// The longest key, in bytes.
    package static let maximumLength = 512

    /// The largest object that a remote returns in one piece, in bytes: 1 GiB. The store writes none
    /// that is larger; reading one would only exhaust memory.
    package static let maximumObjectSize: Int64 = 1 << 30

    /// - Throws: ``FilesinkiModel/Failure`` with code `bad-path` for an invalid key.
    package init(_ text: String) throws(Failure) {
        guard Self.isValid(text) else {
            throw Failure(
                .badPath, path: text, "Invalid object key.",
                remedy: "The store may be damaged; run filesinki check.")
        }
        description = text
    }

    private static func isValid(_ text: String) -> Bool {
        guard !text.isEmpty, text.utf8.count <= maximumLength else { return false }
        return text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy { name in
                guard let first = name.first, first != UInt8(ascii: ".") else { return false }
                return name.allSatisfy(isAllowed)
            }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    /// The order of the bytes: in ASCII that of the strings, which are compared in blocks.
    package static func < (left: ObjectKey, right: ObjectKey) -> Bool {
        left.description < right.description
    }

    /// The names of the folders that contain the object, outermost first.
    package var folders: ArraySlice<String> { names.dropLast() }

    /// The object's own name.
    package var name: String { names.last ?? description }

    /// The key of the folder that contains the object, which is the slot's own folder for a slot; nil at
    /// the top level.
    package var folder: Substring? {
        description.lastIndex(of: "/").map { description[..<$0] }
    }

    /// Whether the key has the name of a slot's member. The folder of such an object contains nothing
    /// else.
    package var isSlot: Bool { description.hasSuffix("/c") }

    private var names: [String] { description.split(separator: "/").map(String.init) }
}

/// Which keys a listing includes: those that begin with a prefix and come after a key.
///
/// A store made of folders is listed folder by folder; the scope tells which folders can contain an
/// included key, so that no other folder is read. Keys are compared bytewise; a folder's key ends with a
/// slash.
package struct KeyScope: Sendable {
    private let prefix: [UInt8]
    private let after: [UInt8]

    /// - Parameter after: Include only keys after this one; nil for all.
    package init(prefix: String, after: ObjectKey?) {
        self.prefix = Array(prefix.utf8)
        self.after = after.map { Array($0.description.utf8) } ?? []
    }

    /// The innermost folder that contains all included keys: empty for the store, else with a slash at
    /// its end. Nil if the prefix cannot begin a key.
    package var start: [UInt8]? {
        guard let slash = prefix.lastIndex(of: UInt8(ascii: "/")) else { return [] }
        let folder = prefix[..<slash]
        guard Self.isKey(folder) else { return nil }
        return Array(folder) + [UInt8(ascii: "/")]
    }

    /// The key of a folder's entry if the listing includes it or, for a folder, if it can contain an
    /// included key; nil otherwise, and for names that no key has.
    ///
    /// - Parameter folder: The key of the folder; empty for the store.
    package func key(
        of name: some Collection<UInt8>, in folder: [UInt8], isFolder: Bool
    ) -> [UInt8]? {
        guard folder.count + name.count <= ObjectKey.maximumLength else { return nil }
        let key = folder + name
        guard isFolder else { return includes(key) && Self.isKey(key) ? key : nil }
        let folderKey = key + [UInt8(ascii: "/")]
        return mayInclude(keysIn: folderKey) && Self.isKey(key) ? folderKey : nil
    }

    /// False for a name in a folder that ``key(of:in:isFolder:)`` leaves out because it comes before the listing. Allocates
    /// nothing: of a folder with very many slots, a listing of the last few looks at each name.
    package func mayInclude(_ name: ArraySlice<UInt8>, in folder: [UInt8]) -> Bool {
        guard after.count > folder.count, after.starts(with: folder) else { return true }
        let first = after[folder.count...].prefix { $0 != UInt8(ascii: "/") }
        return !name.lexicographicallyPrecedes(first) || first.starts(with: name)
    }

    private func includes(_ key: [UInt8]) -> Bool {
        key.starts(with: prefix) && after.lexicographicallyPrecedes(key)
    }

    private func mayInclude(keysIn folder: [UInt8]) -> Bool {
        (folder.starts(with: prefix) || prefix.starts(with: folder))
            && (after.lexicographicallyPrecedes(folder) || after.starts(with: folder))
    }

    private static func isKey(_ bytes: some Collection<UInt8>) -> Bool {
        (try? ObjectKey(String(decoding: bytes, as: UTF8.self))) != nil
    }
}

/// Names of unfinished objects in a store made of folders. They begin with a dot, as no key does, so
/// they are never listed; every kind of remote recognises those of the others.
package enum TemporaryName {
    private static let prefix = ".t-"

    package static func make() -> String {
        // Need not be unpredictable, only different from those of other writers.
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return prefix + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Whether ``make()`` may have made the name.
    package static func matches(_ name: some StringProtocol) -> Bool {
        name.utf8.count == 19 && name.hasPrefix(prefix)
            && bytes(hexadecimal: name.dropFirst(prefix.count)) != nil
    }
}

extension Failure {
    /// The object exceeds ``ObjectKey/maximumObjectSize``.
    package static func objectTooLarge(_ key: String) -> Failure {
        Failure(
            .limit, path: key, "The object is larger than any that the store writes.",
            remedy: "The store may be damaged; run filesinki check.")
    }

    /// Where it is said how a store is replaced that cannot be brought back.
    package static let lostStoreRemedy = "If it is lost, see filesinki help lost-store."

    /// The folder of a store is not there, at a host that was reached; its disk is most likely not mounted.
    package static func storeFolderMissing(_ address: String) -> Failure {
        var failure = Failure(
            .away, path: address, "The folder of the store was not found (unmounted?).",
            remedy: "Mount the disk that contains it at the host, or correct the address"
                + "\(SSHAddress.meaning(of: address)). \(lostStoreRemedy)")
        failure.mayPassSoon = false
        return failure
    }

    /// A slot's key has only one name.
    package static func slotWithoutFolder(_ slot: ObjectKey) -> Failure {
        Failure(
            .badPath, path: slot.description, "A slot must be in a folder of its own.",
            remedy: "Publish to a key such as log/1/c.")
    }

    /// Deletions by other devices kept removing the folder that a write had just created.
    package static func folderRemoved(_ key: String) -> Failure {
        Failure(
            .busy, path: key, "Another device removed a folder of the store during the write.",
            remedy: "Run again when no other device prunes the store.")
    }
}
