package import FilesinkiModel
package import FilesinkiReconcile
import FilesinkiText

/// The settings of one file; nil for those that it does not set.
package struct Settings: Sendable {
    /// The synced file in the root, shared by all devices.
    package static let syncedFile = ".filesinki.toml"
    /// The name of a device's file in the state folder and in the user's configuration.
    package static let deviceFile = "config.toml"
    /// The name of a device's ignore file, beside ``deviceFile``.
    package static let ignoreFile = "ignore"

    /// A `[[rule]]`: settings for some paths.
    package struct Rule: Sendable {
        package var match: PathPattern
        package var strategy: Strategy?
        package var onDelete: OnDelete?
        package var merging = MergeRules()
    }

    package var strategy: Strategy?
    package var onDelete: OnDelete?
    /// Whether `.gitignore` files apply, too.
    package var gitignore: Bool?
    /// The maximum share or number of deletions in one run.
    package var maxDelete: MaxDelete?
    /// The most bytes per second to and from a remote over a network; a device's file only.
    package var bandwidth: BandwidthLimit?
    /// What the shell runs in place of ssh; a device's file only.
    package var sshCommand: String?
    /// What a prune without options keeps: numbers, and seconds.
    package var prune: [PruneKey: Int64] = [:]
    /// The rules in the order of the file. The last one that matches a path applies.
    package var rules: [Rule] = []

    package init() {}
}

/// The source of settings, which decides whether they may run commands.
package enum RuleSource: Hashable, Sendable {
    /// A file that other devices write. It must not run commands.
    case synced
    /// Such a file whose present content the user of this device trusts.
    case trusted
    /// This device's configuration.
    case device
}

extension Settings {
    /// The path of the user's configuration by the XDG base directory specification.
    ///
    /// - Parameter environment: Returns the value of an environment variable.
    /// - Returns: An absolute path; nil when neither `XDG_CONFIG_HOME` nor `HOME` is absolute.
    package static func userFile(environment: (String) -> String?) -> String? {
        BaseFolder.configuration.path(environment).map { "\($0)/filesinki/\(deviceFile)" }
    }

    /// The path of the ignore file beside a device's settings.
    package static func ignoreFile(beside settings: String) -> String {
        settings.dropLast(deviceFile.count) + ignoreFile
    }
}

/// The rules of all files, and the errors in them.
///
/// Most errors do not stop a run: an invalid setting has no effect, or the safe default, and is reported. A file that is
/// not TOML, and an invalid setting that protects files, do: see ``unreadable``.
package struct RulesLoad: Sendable {
    package var rules: PathRules
    /// The errors in the order of the files, each with file and line.
    package var problems: [Failure]
    /// The first error that may hide a rule of a prune: one in `[prune]`, and whatever the reader does not know.
    package var pruneProblem: Failure?
    /// The first error that stops every run, with ``UnreadableSettings`` as its cause: without what it hides, a run could
    /// send what is private.
    package var unreadable: Failure?

    /// Whether `.gitignore` files apply. Where a mistake may hide the setting, they do.
    package var gitignore: Bool { rules.gitignore || unreadable != nil }

    /// The first error, with the number of all if there are more; nil for none.
    package var problem: Failure? {
        guard var first = problems.first else { return nil }
        if problems.count > 1 { first.message += " (1 of \(problems.count) mistakes)" }
        return first
    }

    /// A settings file or an ignore file of this device.
    package struct DeviceFile: Hashable, Sendable {
        /// Its path, for messages.
        package var path: String
        package var bytes: [UInt8]

        package init(path: String, bytes: [UInt8]) {
            self.path = path
            self.bytes = bytes
        }
    }

    /// Reads the settings of this device.
    ///
    /// - Parameters:
    ///   - synced: The content of ``Settings/syncedFile`` in the root; nil if it does not exist.
    ///   - isTrusted: Whether the synced file may run commands.
    ///   - device: This device's files in ascending priority: the user's, then the replica's.
    package init(synced: [UInt8]?, isTrusted: Bool = false, device: [DeviceFile] = []) {
        var readers = device.map { SettingsReader($0.bytes, file: $0.path, source: .device) }
        if let synced {
            readers.insert(
                SettingsReader(
                    synced, file: Settings.syncedFile, source: isTrusted ? .trusted : .synced),
                at: 0)
        }
        rules = PathRules(readers.reversed().map(\.settings))
        problems = readers.flatMap { $0.problems.map(\.located) }
        pruneProblem = readers.lazy.flatMap(\.problems).first(where: \.mayHidePruneRule)?.located
        unreadable = readers.lazy.flatMap(\.problems).first(where: \.stopsRuns)?.stopping
    }
}

/// Why a run stops before it sends anything: settings that protect files cannot be read.
package struct UnreadableSettings: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "settings cannot be read" }
}

extension SettingsProblem {
    /// The failure of a run.
    fileprivate var stopping: Failure {
        var failure = located
        failure.message += " Nothing is synced until it is corrected."
        failure.cause = UnreadableSettings()
        return failure
    }
}
