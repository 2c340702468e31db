package import FilesinkiModel

/// Who a replica is: the small text file that everything else in the state folder can be rebuilt
/// from.
///
/// The manifest is a cache; this card is not, so it is written durably and only when it changes.
package struct ReplicaCard: Hashable, Sendable {
    package var device: Device
    /// The remote's address as the user gave it; nil while there is none.
    package var remote: String?
    /// The id of the store that the replica has met, 16 bytes; empty before the first meeting.
    package var store: [UInt8]
    /// The store's epoch when last met.
    package var epoch: UInt64

    package init(device: Device, remote: String?, store: [UInt8] = [], epoch: UInt64 = 0) {
        self.device = device
        self.remote = remote
        self.store = store
        self.epoch = epoch
    }

    /// The card as `key = value` lines.
    var text: String {
        var lines = [
            "filesinki replica", "device = \(hexadecimal(device.id))", "name = \(device.name)",
            "store = \(hexadecimal(store))", "epoch = \(epoch)",
        ]
        if let remote { lines.append("remote = \(remote)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Reads what ``text`` wrote.
    ///
    /// - Throws: ``FilesinkiModel/Failure`` with code `corrupt` for anything else.
    init(text: String, path: String) throws(Failure) {
        var values: [Substring: Substring] = [:]
        for line in text.split(separator: "\n").dropFirst() {
            guard let range = line.firstRange(of: " = ") else { continue }
            values[line[..<range.lowerBound]] = line[range.upperBound...]
        }
        guard text.hasPrefix("filesinki replica\n"),
            let id = values["device"].flatMap({ bytes(hexadecimal: $0) }), id.count == 16,
            let store = bytes(hexadecimal: values["store"] ?? "")
        else {
            throw Failure(
                .corrupt, path: path, "The replica's own description cannot be read.",
                remedy: "Remove the file and run filesinki init again; nothing is deleted by that.")
        }
        self.init(
            device: Device(id: id, name: String(values["name"] ?? "unnamed")),
            remote: values["remote"].map(String.init), store: store,
            epoch: values["epoch"].flatMap { UInt64($0) } ?? 0)
    }
}
