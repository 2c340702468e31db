package import FilesinkiModel
import FilesinkiStore

/// Why a prune keeps the versions that it keeps.
package struct KeptReasons: Sendable {
    /// What is kept for a device.
    package struct DeviceShare: Sendable {
        package var device: Device
        /// The last commit that the device has acknowledged, and when it did; of this device the last one that it has
        /// applied, if that is later.
        package var acknowledged: UInt64
        package var since: Timestamp
        /// From when on a sync of the device acknowledges a later commit, if there is one, by the clock of the device; nil
        /// for this device, which counts as having acknowledged what it has applied.
        package var acknowledgesFrom: Timestamp?
        /// The last commit that it has published; nil if it has published none.
        package var published: UInt64?
        /// The last commit that this replica has read, if the device is this one; else nil.
        package var read: UInt64?
        /// Whether the log has later commits than this replica has read, if the device is this one; else false.
        package var isBehind = false
        /// Whether it is the device that prunes.
        package var isOwn: Bool { acknowledgesFrom == nil }
        /// The versions that no rule keeps and that were current at one of these commits. A version may be kept for several
        /// devices.
        package var versions = 0
    }

    /// The versions that are current, with those that an unresolved conflict has superseded.
    package var current = 0
    /// The older versions that a rule keeps.
    package var byRules = 0
    /// The older versions that no rule keeps, but at least one device.
    package var byDevices = 0
    /// The devices for which a version is kept, as they are known to the store.
    package var devices: [DeviceShare] = []
    /// The older versions that neither a rule nor a device keeps, but an open conflict.
    package var byConflicts = 0
    /// The contents that only this replica needs, to merge what it and the store have changed.
    package var waiting = 0

    package init() {}
}

extension VersionHistory {
    /// Counts the versions that are not dropped by what keeps them.
    ///
    /// - Parameters:
    ///   - rules: What the rules alone keep.
    ///   - devices: The devices with an acknowledgement.
    ///   - conflicts: What open conflicts keep.
    func reasons(
        _ rules: KeptVersions, _ devices: [KeptReasons.DeviceShare], _ conflicts: KeptVersions
    ) -> KeptReasons {
        var reasons = KeptReasons()
        var shares = devices
        forEachKept { version, isAmongLast in
            guard let end = version.end else {
                reasons.current += 1
                return
            }
            if isAmongLast(rules.versions) || rules.containsTree(from: version.first, before: end) {
                reasons.byRules += 1
                return
            }
            var isForDevice = false
            for index in shares.indices
            where shares[index].points.contains(where: { version.first <= $0 && $0 < end }) {
                shares[index].versions += 1
                isForDevice = true
            }
            if isForDevice {
                reasons.byDevices += 1
            } else if conflicts.containsTree(from: version.first, before: end) {
                reasons.byConflicts += 1
            }
        }
        reasons.devices = shares.filter { $0.versions > 0 }
        return reasons
    }
}

extension KeptReasons.DeviceShare {
    /// The commits at which the device may be.
    var points: [UInt64] { [acknowledged] + [published, read].compactMap(\.self) }
}
