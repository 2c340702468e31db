package import FilesinkiModel

/// The rules as they could be read, and what was wrong with their files.
///
/// A broken file stops nothing: what is not understood has no effect, or the effect that loses
/// nothing, and is said.
package struct RulesLoad: Sendable {
    package var rules: PathRules
    /// One for each mistake, in the order in which the files were given; each names file and line.
    package var problems: [Failure]

    /// The first mistake, with the number of all when there are more; nil when there is none.
    package var problem: Failure? {
        guard var first = problems.first else { return nil }
        if problems.count > 1 { first.message += " (1 of \(problems.count) mistakes)" }
        return first
    }

    /// The content of a settings file of this device.
    package struct DeviceFile: Sendable {
        /// Its path, for messages.
        package var path: String
        package var bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// Reads the settings that hold on this device.
    ///
    /// - Parameters:
    ///   - synced: The content of ``Settings/syncedFile`` in the root; nil when there is none.
    ///   - isTrusted: Whether the synced file may run commands.
    ///   - device: This device's own files, the deciding one last: the user's, then the replica's.
    package init(synced: [UInt8]?, isTrusted: Bool = false, device: [DeviceFile] = []) {
        var readers = device.map { SettingsReader($0.bytes, file: $0.path, source: .device) }
        if let synced {
            readers.insert(
                SettingsReader(
                    synced, file: Settings.syncedFile, source: isTrusted ? .trusted : .synced),
                at: 0)
        }
        rules = PathRules(readers.reversed().map(\.settings))
        problems = readers.flatMap(\.problems)
    }
}
