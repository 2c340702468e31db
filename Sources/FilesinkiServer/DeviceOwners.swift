import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Synchronization

/// Which token each device's acknowledgements belong to.
///
/// A device belongs to the token that first publishes one of its acknowledgements. A token without the right
/// to prune can neither publish nor delete those of another token's device; one with that right can, and
/// takes over the device when it publishes. A device whose token was revoked is free. Tokens of the same name
/// are the same owner, so that a machine keeps its device when its token is replaced; so is a client of the
/// standard streams that was given this name.
final class DeviceOwners: Sendable {
    /// Token ids by devices.
    private typealias Table = [String: String]

    /// Nil for a table in memory.
    private let file: PrivateFile?
    private let authority: TokenAuthority
    private let memoryTable = Mutex<Table>([:])

    /// The most devices of one token.
    private static let limit = 1000

    init(_ path: String?, _ authority: TokenAuthority) {
        file = path.map { PrivateFile($0) }
        self.authority = authority
    }

    /// Checks that a token may publish at a key, and assigns it the key's device if that is free.
    ///
    /// - Throws: ``RequestError`` with 403 when the device belongs to another token; `Failure` when the table
    ///   cannot be read or written.
    func claim(_ key: ObjectKey, _ access: Access) throws {
        guard let device = Self.device(of: key), let id = access.tokenID else { return }
        if try table()[device] == id { return }
        let error: RequestError? = try updateTable { table throws(Failure) in
            let names = try authority.names()
            guard try isFree(table[device], for: id, names) || access.rights.contains(.prune) else {
                return .notThisDevice
            }
            table = table.filter { Self.name(of: $0.value, names) != nil }
            guard table.values.count(where: { $0 == id }) < Self.limit else { return .tooMuch }
            table[device] = id
            return nil
        }
        if let error { throw error }
    }

    /// Checks that a token may delete at a key.
    ///
    /// - Throws: As ``claim(_:_:)`` does.
    func checkDeletion(_ key: ObjectKey, _ access: Access) throws {
        guard let device = Self.device(of: key), let id = access.tokenID,
            !access.rights.contains(.prune)
        else { return }
        guard let owner = try table()[device],
            try owner == id || isFree(owner, for: id, authority.names())
        else { throw RequestError.notThisDevice }
    }

    /// Whether a device has no owner, or belongs to a token that this one replaces.
    private func isFree(
        _ owner: String?, for id: String, _ names: [String: String]
    ) throws(Failure) -> Bool {
        guard let owner, let name = Self.name(of: owner, names) else { return true }
        return owner == id || !name.isEmpty && name == Self.name(of: id, names)
    }

    /// The name of an owner; nil for a token that does not exist any more.
    private static func name(of owner: String, _ names: [String: String]) -> String? {
        StreamGrant.name(ofOwner: owner) ?? names[owner]
    }

    /// The device of a key below `devices/`.
    private static func device(of key: ObjectKey) -> String? {
        let names = key.description.split(separator: "/", maxSplits: 2)
        return names.count == 3 && names[0] == "devices" ? String(names[1]) : nil
    }

    private func table() throws(Failure) -> Table {
        guard let file else { return memoryTable.withLock { $0 } }
        return try Self.read(file)
    }

    /// Updates the table under a lock, unless `body` returns an error.
    private func updateTable(
        _ body: (inout Table) throws(Failure) -> RequestError?
    ) throws(Failure) -> RequestError? {
        guard let file else {
            var table = memoryTable.withLock { $0 }
            let error = try body(&table)
            let changed = table
            if error == nil { memoryTable.withLock { $0 = changed } }
            return error
        }
        return try file.locked { () throws(Failure) in
            var table = try Self.read(file)
            let error = try body(&table)
            guard error == nil else { return error }
            let lines = table.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)\n" }
            let head = "# Which token each device belongs to. Written by filesinki serve.\n"
            try file.replace(with: Array((head + lines.joined()).utf8))
            return nil
        }
    }

    private static func read(_ file: PrivateFile) throws(Failure) -> Table {
        guard let bytes = try file.read() else { return [:] }
        var table: Table = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t")
            let isOwner = fields.last.map {
                AccessToken.isID($0) || StreamGrant.name(ofOwner: String($0)) != nil
            }
            guard fields.count == 2, isOwner == true else {
                throw Failure(
                    .corrupt, path: file.path, "The file of device owners is malformed.",
                    remedy: "Remove the file; the server creates it again.")
            }
            table[String(fields[0])] = String(fields[1])
        }
        return table
    }
}
