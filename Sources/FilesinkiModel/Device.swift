/// Who made a change: a replica's own random id, and the name its user gave it.
package struct Device: Hashable, Sendable {
    /// 16 random bytes.
    package var id: [UInt8]
    /// A name for people, such as the host's; not unique.
    package var name: String

    package init(id: [UInt8], name: String) {
        self.id = id
        self.name = name
    }
}

extension Device {
    /// The name with the first four hexadecimal digits of the id, such as `laptop-a6f5`: what tells
    /// two devices of one name apart. A name that ends so already stays.
    package var distinctName: String {
        let digits = "-" + hexadecimal(id).prefix(4)
        return name.hasSuffix(digits) ? name : name + digits
    }

    /// The name of each of the devices, by its id: its own, or the distinct one where another device
    /// has the same.
    package static func names(of devices: [Device]) -> [[UInt8]: String] {
        var ids: [String: Set<[UInt8]>] = [:]
        for device in devices { ids[device.name, default: []].insert(device.id) }
        let pairs = devices.map { device in
            (device.id, ids[device.name]?.count ?? 0 > 1 ? device.distinctName : device.name)
        }
        return Dictionary(pairs) { first, _ in first }
    }
}
