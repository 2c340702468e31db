import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiReconcile
import FilesinkiRemote
import FilesinkiRules
import FilesinkiStore
import FilesinkiSystem
import FilesinkiText
import Glibc

/// The checks of ``Doctor`` on the remote: its guarantees, the clocks, the devices and the conflicts.
struct RemoteChecks: Sendable {
    let options: ReplicaOptions
    let facts: MachineFacts

    /// The accepted difference of two clocks, in seconds.
    private static let clockTolerance: Int64 = 300
    /// After this many days without a sign of a device, `doctor` warns.
    private static let longestAbsence: Int64 = 90
    /// The number of unread commits that are read to find the newest one.
    private static let followedCommits = 256

    /// With fewer free bytes at a store in a folder, `doctor` warns: a sync with a few large files would find none.
    private static let scarceSpace: Int64 = 64_000_000

    /// Connects to the remote and runs all checks.
    func diagnose(_ config: ReplicaConfig) async -> [Diagnosis] {
        guard let address = config.remote else {
            let none = Failure.noRemote()
            return [Diagnosis("remote", .warning, none.message, remedy: none.remedy)]
        }
        let context: ReplicaContext
        let connection: ZoneConnection
        do {
            context = try await ReplicaContext.open(options, writable: false)
            connection = try await context.zone.connected()
        } catch { return [Diagnosis("remote", thrown: error)] }
        var diagnoses = [Diagnosis("remote", .ok, "The store at \(address) answers.")]
        diagnoses += await host(connection)
        diagnoses += await move(context)
        diagnoses.append(await history(context))
        diagnoses += writing(connection)
        diagnoses.append(await guarantees(address))
        diagnoses.append(await clock(History(context), connection))
        diagnoses.append(await devices(Devices(context)))
        diagnoses += await preferences(Devices(context))
        diagnoses.append(conflicts(Conflicts(context)))
        return diagnoses
    }

    /// What the connection to a host uses. Nothing is said of a remote that is not reached over ssh.
    private func host(_ connection: ZoneConnection) async -> [Diagnosis] {
        guard let remote = connection.remote.unwrapped(as: (any HostRemote).self) else { return [] }
        do {
            let service = try await remote.service()
            var diagnosis =
                switch service {
                case .filesinki: Diagnosis("host", .ok, "The host's filesinki serves the store.")
                case .sftp:
                    Diagnosis(
                        "host", .note,
                        "No filesinki was found at the host, so SFTP alone is used.",
                        remedy: "Installing filesinki there makes syncs faster; "
                            + "filesinki remote check then looks for it again.")
                }
            diagnosis.service = service
            return [diagnosis]
        } catch { return [Diagnosis("host", thrown: error)] }
    }

    /// Whether the store was copied to another remote. Nothing is said of a store that was not.
    private func move(_ context: ReplicaContext) async -> [Diagnosis] {
        do {
            let moved = try await SyncEngine(context).findMove()
            return moved.map { [Diagnosis("remote", .warning, $0)] } ?? []
        } catch { return [Diagnosis("remote", thrown: error)] }
    }

    /// Whether the store still has what this replica has seen there: one that was restored from a backup, or lost its
    /// end, stops every run. One that lost its beginning stops new devices only, so no run notices.
    private func history(_ context: ReplicaContext) async -> Diagnosis {
        // A commit that is gone from the middle is found by reading all of them, which is what check does.
        let sound = Diagnosis(
            "history", .ok,
            "The store has the commit that was last seen there; filesinki check reads all of them.")
        do {
            guard let position = try context.memory.position else { return sound }
            do {
                _ = try await context.zone.reader(behind: position)
            } catch let failure as Failure where failure.code == .tokenExpired {
                // A checkpoint has it.
                return sound
            }
            let missing = try await context.zone.connected().log.missingBeginning()
            return missing.map { Diagnosis("history", thrown: $0) } ?? sound
        } catch { return Diagnosis("history", thrown: error) }
    }

    /// The folders of a store in a folder that this user may not write, or that have no space left; nothing is written to
    /// find out.
    private func writing(_ connection: ZoneConnection) -> [Diagnosis] {
        let store = connection.remote.address
        guard store.hasPrefix("/") else { return [] }
        let folders = [""] + connection.writtenFolders(of: Zone.filesName).map { "/" + $0 }
        let closed = folders.map { store + $0 }.first { folder in
            access(folder, F_OK) == 0 && access(folder, W_OK | X_OK) != 0
        }
        if let closed {
            return [
                Diagnosis(
                    "writing", .error, "\(printable(closed.utf8)) cannot be written by this user.",
                    remedy: "Change its permissions, or those of the mount.")
            ]
        }
        if let free = facts.space(store)?.free, free < Self.scarceSpace {
            return [
                Diagnosis(
                    "writing", .warning, "Only \(free / 1_000_000) MB are free at the store.",
                    remedy: "Free some space there, or run filesinki prune.")
            ]
        }
        return [Diagnosis("writing", .ok, "The store's folders are writable.")]
    }

    private func guarantees(_ address: String) async -> Diagnosis {
        let connect = options.connect
        let probe = SlotProbe(systemContext: options.systemContext, writers: 8, rounds: 4) {
            try connect(address)
        }
        do {
            let broken = try await probe.testRemote().checks.filter { !$0.holds }
            guard let first = broken.first else {
                return Diagnosis(
                    "guarantees", .ok, "The remote provides every guarantee that was tested.")
            }
            return Diagnosis(
                "guarantees", .error, "The remote lacks a guarantee: \(first.guarantee)",
                remedy: "Move the store; filesinki remote check shows all of them.")
        } catch let failure as Failure where failure.code == .full || failure.isOfReadOnlyAccess {
            // That they are untested says nothing against the remote.
            return Diagnosis("guarantees", .warning, failure)
        } catch { return Diagnosis("guarantees", thrown: error) }
    }

    private func clock(_ history: History, _ connection: ZoneConnection) async -> Diagnosis {
        let now = options.systemContext.now()
        if connection.remote.address.hasPrefix("/"),
            let there = try? facts.fileTime(connection.remote.address),
            abs(there.seconds &- now.seconds) > Self.clockTolerance
        {
            return Diagnosis(
                "clock", .error,
                "This clock and that of the store's disk are \(Self.span(there, now)) apart.",
                remedy: "Set the clock, for example with systemd-timesyncd.")
        }
        do {
            guard let newest = try await history.newestCommit(Self.followedCommits) else {
                return Diagnosis("clock", .ok, "No commit to compare it with.")
            }
            guard newest.time.seconds &- now.seconds > Self.clockTolerance else {
                return Diagnosis("clock", .ok, "Agrees with the other devices' clocks.")
            }
            return Diagnosis(
                "clock", .error,
                "The newest commit, by \(printable(newest.device.name.utf8)), is "
                    + "\(Self.span(newest.time, now)) in the future.",
                remedy: "Set the clock here or there; times decide only where a rule says newest.")
        } catch { return Diagnosis("clock", thrown: error) }
    }

    private static func span(_ one: Timestamp, _ other: Timestamp) -> String {
        let seconds = abs(one.seconds &- other.seconds)
        if seconds >= 172_800 { return "\(seconds / 86_400) days" }
        return seconds >= 7200 ? "\(seconds / 3600) hours" : "\(seconds / 60) minutes"
    }

    private func devices(_ devices: Devices) async -> Diagnosis {
        do {
            let now = options.systemContext.now()
            let all = try await devices.list()
            let stale = all.filter {
                !$0.isThisOne
                    && now.seconds &- $0.time.seconds > Self.longestAbsence * 86_400
            }
            guard let first = stale.first else {
                return Diagnosis(
                    "devices", .ok,
                    all.count == 1
                        ? "1 device uses the store." : "\(all.count) devices use the store.")
            }
            let name = printable(first.device.name.utf8)
            return Diagnosis(
                "devices", .warning,
                "Not seen for \(Self.longestAbsence) days: \(name)"
                    + (stale.count == 1 ? "." : " and \(stale.count - 1) more."),
                remedy: "If it will not come back, run filesinki devices forget "
                    + "\(ShellWord.shown(first.device.name.utf8)).")
        } catch { return Diagnosis("devices", thrown: error) }
    }

    /// The devices that strategies prefer and nobody knows.
    private func preferences(_ devices: Devices) async -> [Diagnosis] {
        do {
            let preferred = try RuleFiles(root: RootFolder(path: options.root), options: options)
                .load(isTrusted: true).rules.strategies.flatMap(\.links)
                .compactMap(\.preferredDevice)
            guard !preferred.isEmpty else { return [] }
            let known = try await devices.list().map(\.device.name)
            return Set(preferred).subtracting(known).sorted().map { name in
                Diagnosis(
                    "rules", .error,
                    "No device has the name '\(printable(name.utf8))', which a strategy prefers.",
                    remedy: "Use one of \(printable(known.joined(separator: ", ").utf8)).")
            }
        } catch { return [Diagnosis("rules", thrown: error)] }
    }

    private func conflicts(_ conflicts: Conflicts) -> Diagnosis {
        do {
            let count = try conflicts.open().count
            guard count == 0 else {
                return Diagnosis(
                    "conflicts", .warning,
                    count == 1 ? "1 open conflict." : "\(count) open conflicts.",
                    remedy: "See filesinki conflicts.")
            }
            return Diagnosis("conflicts", .ok, "No open conflicts.")
        } catch { return Diagnosis("conflicts", thrown: error) }
    }
}

extension History {
    /// Returns the newest commit among those that this replica has read and the next `limit`; nil
    /// if the log is empty.
    func newestCommit(_ limit: Int) async throws -> Commit? {
        let log = try await connected().log
        let seen = try manifest.token ?? log.genesis
        var newest = try await log.read(seen.sequence)
        var token = seen
        for _ in 0..<limit {
            guard let next = try await log.next(after: token) else { break }
            newest = next
            token = next.token
        }
        return newest
    }
}
