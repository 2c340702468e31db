package import FilesinkiModel

/// A zone of a store that is one of records, in one of its generations.
package struct StoredZone: Hashable, Sendable {
    package let scope: DatabaseScope
    /// The zone's name on devices.
    package let name: String
    package let generation: UInt64

    /// - Returns: nil for any other zone.
    package init?(_ zone: String) {
        let (scope, rest) = DatabaseScope.split(zone: zone)
        guard let dash = rest.firstIndex(of: "-"), rest.hasPrefix("rec") else { return nil }
        let digits = rest[..<dash].dropFirst(3)
        guard digits.allSatisfy({ ("0"..."9").contains($0) }),
            let generation = digits.isEmpty ? 1 : UInt64(digits)
        else { return nil }
        self.scope = scope
        name = String(rest[dash...].dropFirst())
        self.generation = generation
    }
}
