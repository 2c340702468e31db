/// Why a generation of a zone ended.
package enum ZoneCause: String, CaseIterable, Sendable {
    /// A device deleted the zone.
    case deleted
    /// A user removed the zone with all data in it.
    case purged
    /// The store's copy is not to be used any more: each device sends what it has again.
    case reset
}
