/// A device: the random id of a replica, and its name.
package struct Device: Hashable, Sendable {
    /// 16 random bytes.
    package var id: [UInt8]
    /// A name for display, such as the host's. Not unique.
    package var name: String

    package init(id: [UInt8], name: String) {
        self.id = id
        self.name = name
    }
}

extension Device {
    /// The fewest hexadecimal digits that are taken for the beginning of an id. Shorter words are names only: many names are the
    /// beginning of some id.
    package static let shortestID = 8

    /// Whether a word is the beginning of the id, of ``shortestID`` digits or more.
    package func hasID(beginning word: String) -> Bool {
        word.utf8.count >= Self.shortestID && hexadecimal(id).hasPrefix(word)
    }

    /// The name with the first four hexadecimal digits of the id, such as `laptop-a6f5`, to
    /// distinguish devices with the same name. A name with this suffix is unchanged.
    package var distinctName: String {
        let digits = "-" + hexadecimal(id).prefix(4)
        return name.hasSuffix(digits) ? name : name + digits
    }

    /// The display names of devices by id: the name, or the distinct name if several devices share
    /// it.
    package static func names(of devices: [Device]) -> [[UInt8]: String] {
        var ids: [String: Set<[UInt8]>] = [:]
        for device in devices { ids[device.name, default: []].insert(device.id) }
        let pairs = devices.map { device in
            (device.id, ids[device.name]?.count ?? 0 > 1 ? device.distinctName : device.name)
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
