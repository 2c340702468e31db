import FilesinkiFileSystem
import FilesinkiManifest
package import FilesinkiModel
import FilesinkiSystem
import Glibc

extension Doctor {
    /// Tests what the root's file system cannot do.
    func fileSystem() -> [Diagnosis] {
        let traits: FileSystemTraits
        // Test in the root itself: another folder of the same file system may treat names
        // differently.
        let folder = "\(options.root)/\(RelativePath.stateFolder)"
        do { traits = try facts.traits(StateFile.exists(folder) ? folder : state.path) } catch {
            return [Diagnosis("file-system", thrown: error)]
        }
        let found = Self.warnings(traits)
        guard found.isEmpty else {
            return found.map { Diagnosis("file-system", .warning, $0.message, remedy: $0.remedy) }
        }
        return [Diagnosis("file-system", .ok, "Supports everything that filesinki uses.")]
    }

    private static func warnings(
        _ traits: FileSystemTraits
    ) -> [(message: String, remedy: String)] {
        var found: [(message: String, remedy: String)] = []
        if !traits.renamesToFree, !traits.links {
            found.append(
                (
                    "The file system cannot rename a file to a free name only, and has no hard links.",
                    "A file that a program creates in the very moment in which a new one is put there "
                        + "can be lost. Do not sync while programs create files, or use a local file "
                        + "system such as ext4, xfs or btrfs."
                ))
        }
        if !traits.exchanges {
            found.append(
                (
                    "The file system cannot exchange two files in one step.",
                    "No data is at risk. While a file is replaced, its name is missing for a moment; "
                        + "ext4, xfs and btrfs have no such gap."
                ))
        }
        if traits.foldsCase || traits.foldsUnicode {
            found.append(
                (
                    traits.foldsCase
                        ? "The file system does not distinguish upper from lower case in names."
                        : "The file system does not distinguish two Unicode forms of a name.",
                    "Of two such files in the store only one is written here, and the other is "
                        + "reported. Run filesinki lint to list them."
                ))
        }
        if !traits.symlinks {
            found.append(
                (
                    "The file system does not support symbolic links.",
                    "Those in the store are not written here, and are reported."
                ))
        }
        if !traits.keepsModes {
            found.append(
                (
                    "The file system does not keep permission bits.",
                    "Files that are edited here can get another mode on other devices."
                ))
        }
        return found
    }

    /// Checks that the root and the store are separate folders, and that the root is not nested
    /// with another replica.
    func placement(_ config: ReplicaConfig) -> Diagnosis {
        let placement = RootPlacement(root: options.root)
        if let remote = config.remote {
            do throws(Failure) { try placement.check(against: remote) } catch {
                var diagnosis = Diagnosis("placement", .trouble, error)
                diagnosis.remedy =
                    "Move the store, then run filesinki remote set with its new place."
                return diagnosis
            }
        }
        if let outer = placement.surroundingReplica() {
            return Diagnosis(
                "placement", .warning,
                .nestedReplica(Array(options.root.utf8), in: outer))
        }
        if let inner = innerReplica() {
            return Diagnosis("placement", .warning, .innerReplica(inner))
        }
        return Diagnosis("placement", .ok, "The root and the store are separate folders.")
    }

    /// The first folder of the base that is another replica; nil for none. One access(2) per
    /// folder.
    private func innerReplica() -> RelativePath? {
        guard let manifest = try? ManifestDatabase.openReadOnly(at: state.manifest),
            let rows = try? manifest.loadBase()
        else { return nil }
        let end = "/\(RelativePath.stateFolder)/root".utf8
        return rows.first { row in
            guard row.entry.kind == .directory else { return false }
            let marker = Array("\(options.root)/".utf8) + row.path.bytes + Array(end)
            return (marker + [0]).withUnsafeBytes { bytes in
                bytes.assumingMemoryBound(to: CChar.self).baseAddress.map { access($0, F_OK) == 0 }
            } ?? false
        }?.path
    }
}

/// Facts about the machine that ``Doctor`` needs; tests supply their own.
package struct MachineFacts: Sendable {
    /// The user id of the process.
    package var user: UInt32
    /// How many folders a user may watch at once; nil if that is unknown.
    package var watchLimit: @Sendable () -> Int?
    /// The free and total bytes of the file system at a path; nil if they are unknown.
    package var space: @Sendable (String) -> (free: Int64, total: Int64)?
    /// The capabilities of a folder's file system.
    package var traits: @Sendable (String) throws -> FileSystemTraits
    /// The current time by the clock of a folder's file system.
    package var fileTime: @Sendable (String) throws -> Timestamp

    package init(
        user: UInt32, watchLimit: @escaping @Sendable () -> Int?,
        space: @escaping @Sendable (String) -> (free: Int64, total: Int64)?,
        traits: @escaping @Sendable (String) throws -> FileSystemTraits,
        fileTime: @escaping @Sendable (String) throws -> Timestamp
    ) {
        self.user = user
        self.watchLimit = watchLimit
        self.space = space
        self.traits = traits
        self.fileTime = fileTime
    }

    /// The facts of this machine.
    package static var real: MachineFacts {
        MachineFacts(
            user: geteuid(), watchLimit: readWatchLimit, space: readSpace,
            traits: { try FileSystemProbe(in: $0).traits() },
            fileTime: { try FileSystemProbe(in: $0).time() })
    }

    @Sendable private static func readWatchLimit() -> Int? {
        guard let file = fopen("/proc/sys/fs/inotify/max_user_watches", "r") else { return nil }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 32)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return nil }
        return Int(strtol(buffer, nil, 10))
    }

    @Sendable private static func readSpace(_ path: String) -> (free: Int64, total: Int64)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let unit = Int64(clamping: status.f_frsize)
        let free = unit.multipliedReportingOverflow(by: Int64(clamping: status.f_bavail))
        let total = unit.multipliedReportingOverflow(by: Int64(clamping: status.f_blocks))
        return (
            free.overflow ? .max : free.partialValue, total.overflow ? .max : total.partialValue
        )
    }
}
