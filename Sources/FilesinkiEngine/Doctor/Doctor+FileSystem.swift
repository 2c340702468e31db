import FilesinkiFileSystem
import FilesinkiModel
import FilesinkiSystem

extension Doctor {
    /// What the root's file system cannot do, found out by trying it.
    func fileSystem() -> [Diagnosis] {
        let traits: FileSystemTraits
        // In the root itself: a folder elsewhere on the same file system may treat names otherwise.
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
}
