import FilesinkiFileSystem
import FilesinkiManifest
import FilesinkiModel
import FilesinkiRemote
import FilesinkiSystem
import Glibc

/// The checks of ``Doctor`` on the root's file system and place.
struct FileSystemChecks: Sendable {
    let options: ReplicaOptions
    let facts: MachineFacts

    private var state: StateFolder { options.stateFolder }

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

    /// What a file system lacks, each with what it means for a user.
    private static func warnings(_ traits: FileSystemTraits) -> [Warning] {
        let folding: Warning = traits.foldsCase ? .foldsCase : .foldsUnicode
        let all: [(isFound: Bool, warning: Warning)] = [
            (!traits.renamesToFree && !traits.links, .cannotRenameToFree),
            (!traits.exchanges, .cannotExchange),
            (traits.foldsCase || traits.foldsUnicode, folding),
            (!traits.symlinks, .noSymlinks),
            (!traits.keepsModes, .losesModes),
        ]
        return all.filter(\.isFound).map(\.warning)
    }

    /// Checks that the root and the store are separate folders, and that the root is not nested
    /// with another replica.
    func placement(_ config: ReplicaConfig) -> Diagnosis {
        let placement = RootPlacement(root: options.root)
        if let remote = config.remote {
            do throws(Failure) { try placement.check(against: remote) } catch {
                var diagnosis = Diagnosis("placement", .error, error)
                diagnosis.remedy =
                    "Move the store, then run filesinki remote set with its new place."
                return diagnosis
            }
        }
        do throws(Failure) { try placement.check(against: config) } catch {
            var diagnosis = Diagnosis("placement", .error, error)
            diagnosis.remedy = "Move the folder out of that replica."
            return diagnosis
        }
        let folders = syncedFolders()
        if let store = innerStore(folders) {
            return Diagnosis(
                "placement", .warning,
                "\(printable(store)): A store is in this replica, which syncs its files: who deletes them on another device "
                    + "deletes the store.",
                remedy: "Move it: in a replica of it, run filesinki remote set NEW --migrate. "
                    + "Then list the old one in .filesinkiignore, or delete it.")
        }
        if let outer = placement.surroundingReplica() {
            return Diagnosis(
                "placement", .warning,
                .nestedReplica(Array(options.root.utf8), in: outer))
        }
        if let inner = innerReplica(folders) {
            return Diagnosis("placement", .warning, .innerReplica(inner))
        }
        return Diagnosis("placement", .ok, "The root and the store are separate folders.")
    }

    /// The folders of the base.
    private func syncedFolders() -> [RelativePath] {
        guard let manifest = try? ManifestDatabase.openReadOnly(at: state.manifest),
            let rows = try? manifest.loadBase()
        else { return [] }
        return rows.filter { $0.entry.kind == .directory }.map(\.path)
    }

    /// The first of the folders that is another replica; nil for none. One access(2) per folder.
    private func innerReplica(_ folders: [RelativePath]) -> RelativePath? {
        folders.first { isThere(MisplacedStore.replicaMark, in: place($0)) }
    }

    /// The path of a store in the root or in one of the folders; nil for none. One access(2) per folder.
    private func innerStore(_ folders: [RelativePath]) -> [UInt8]? {
        let places = [Array(options.root.utf8)] + folders.map(place)
        return places.first { place in
            isThere(MisplacedStore.storeMark, in: place)
                && RootPlacement.isStore(String(decoding: place, as: UTF8.self))
        }
    }

    private func place(_ path: RelativePath) -> [UInt8] {
        Array("\(options.root)/".utf8) + path.bytes
    }

    private func isThere(_ file: String, in folder: [UInt8]) -> Bool {
        (folder + Array("/\(file)".utf8) + [0]).withUnsafeBytes { bytes in
            bytes.assumingMemoryBound(to: CChar.self).baseAddress.map { access($0, F_OK) == 0 }
        } ?? false
    }
}

/// What a file system lacks.
private struct Warning {
    let message: String
    let remedy: String
}

extension Warning {
    static let cannotRenameToFree = Warning(
        message: "The file system cannot rename a file to a free name only, and has no hard links.",
        remedy: "A file that a program creates in the very moment in which a new one is put there "
            + "can be lost. Do not sync while programs create files, or use a local file "
            + "system such as ext4, xfs or btrfs.")
    static let cannotExchange = Warning(
        message: "The file system cannot exchange two files in one step.",
        remedy: "No data is at risk. While a file is replaced, its name is missing for a moment; "
            + "ext4, xfs and btrfs have no such gap.")
    static let foldsCase = Warning(
        message: "The file system does not distinguish upper from lower case in names.",
        remedy: foldedNames)
    static let foldsUnicode = Warning(
        message: "The file system does not distinguish two Unicode forms of a name.",
        remedy: foldedNames)
    static let noSymlinks = Warning(
        message: "The file system does not support symbolic links.",
        remedy: "Those in the store are not written here, and are reported.")
    static let losesModes = Warning(
        message: "The file system does not keep permission bits.",
        remedy: "Files that are edited here can get another mode on other devices.")

    private static let foldedNames =
        "Of two such files in the store only one is written here, and the other is "
        + "reported. Run filesinki lint to list them."
}
