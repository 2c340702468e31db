package import FilesinkiModel
package import FilesinkiReconcile

/// What one settings file says; nil where it says nothing.
package struct Settings: Sendable {
    /// The file in the root that is synced, so that all devices have the same.
    package static let syncedFile = ".filesinki.toml"
    /// The name of a device's own file, in the state folder and in the user's configuration.
    package static let deviceFile = "config.toml"

    /// A `[[rule]]`: what holds for some paths.
    package struct Rule: Sendable {
        package var match: PathPattern
        package var strategy: Strategy?
        package var onDelete: OnDelete?
        package var merging = MergeRules()
    }

    package var strategy: Strategy?
    package var onDelete: OnDelete?
    /// Whether `.gitignore` files count too.
    package var gitignore: Bool?
    /// How much one run may delete.
    package var maxDelete: MaxDelete?
    /// In the order of the file; the last one that matches a path decides.
    package var rules: [Rule] = []

    package init() {}
}

/// Where settings come from, which decides what they may do.
package enum RuleSource: Hashable, Sendable {
    /// From a file that other devices write too: it must not run a command here.
    case synced
    /// From such a file, whose very bytes the user of this device has looked at and trusts.
    case trusted
    /// From this device's own configuration.
    case device
}

extension Settings {
    /// Where the user's own configuration is, by the XDG base directory specification.
    ///
    /// - Parameter environment: Gives a variable's value.
    /// - Returns: An absolute path; nil when neither `XDG_CONFIG_HOME` nor `HOME` is absolute.
    package static func userFile(environment: (String) -> String?) -> String? {
        func absolute(_ name: String) -> String? {
            environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let folder = absolute("XDG_CONFIG_HOME") ?? absolute("HOME").map { $0 + "/.config" }
        return folder.map { "\($0)/filesinki/\(deviceFile)" }
    }
}

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
