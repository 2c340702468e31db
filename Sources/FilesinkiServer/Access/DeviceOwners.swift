import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Synchronization

/// Which token each device's acknowledgements belong to.
///
/// A device belongs to the token that first publishes an acknowledgement of it. A token without the right
/// to prune neither publishes nor deletes those of another token's device; one with that right may, and
/// takes the device over when it publishes. A device whose token was revoked belongs to nobody, and tokens
/// of one name are the same owner, so that a machine keeps its device when its token is replaced.
final class DeviceOwners: Sendable {
    /// Ids of tokens, by devices.
    private typealias Table = [String: String]

    /// Nil for a table that ends with the server.
    private let file: PrivateFile?
    private let authority: TokenAuthority
    private let memory = Mutex<Table>([:])

    /// The most devices of one token.
    private static let limit = 1000

    init(_ path: String?, _ authority: TokenAuthority) {
        file = path.map { PrivateFile($0) }
        self.authority = authority
    }

    /// Makes sure that a token may publish at a key, and gives it the key's device if nobody has that.
    ///
    /// - Throws: ``RequestError`` with 403 when the device is another token's; `Failure` when the table cannot
    ///   be read or written.
    func claim(_ key: ObjectKey, _ access: Access) throws {
        guard let device = Self.device(of: key), let id = access.tokenID else { return }
        if try table()[device] == id { return }
        let refusal: RequestError? = try changing { table throws(Failure) in
            let names = try authority.names()
            guard try isFree(table[device], for: id, names) || access.rights.contains(.prune) else {
                return .notThisDevice
            }
            table = table.filter { names[$0.value] != nil }
            guard table.values.count(where: { $0 == id }) < Self.limit else { return .tooMuch }
            table[device] = id
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Makes sure that a token may delete at a key.
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

    /// Whether a device is nobody's, or that of a token that this one replaces.
    private func isFree(
        _ owner: String?, for id: String, _ names: [String: String]
    ) throws(Failure) -> Bool {
        guard let owner, let name = names[owner] else { return true }
        return owner == id || !name.isEmpty && name == names[id]
    }

    /// The device that a key below `devices/` belongs to.
    private static func device(of key: ObjectKey) -> String? {
        let names = key.description.split(separator: "/", maxSplits: 2)
        return names.count == 3 && names[0] == "devices" ? String(names[1]) : nil
    }
}

extension DeviceOwners {
    private func table() throws(Failure) -> Table {
        guard let file else { return memory.withLock { $0 } }
        return try Self.read(file)
    }

    /// Changes the table while nobody else does.
    private func changing(
        _ body: (inout Table) throws(Failure) -> RequestError?
    ) throws(Failure) -> RequestError? {
        guard let file else {
            var table = memory.withLock { $0 }
            let refusal = try body(&table)
            let changed = table
            if refusal == nil { memory.withLock { $0 = changed } }
            return refusal
        }
        return try file.locked { () throws(Failure) in
            var table = try Self.read(file)
            let refusal = try body(&table)
            guard refusal == nil else { return refusal }
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
            guard fields.count == 2, AccessToken.isID(fields[1]) else {
                throw Failure(
                    .corrupt, path: file.path, "The list of devices and tokens is malformed.",
                    remedy: "Remove the file; it is made anew.")
            }
            table[String(fields[0])] = String(fields[1])
        }
        return table
    }
}
