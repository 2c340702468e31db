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
