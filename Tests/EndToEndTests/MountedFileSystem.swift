import Glibc

/// A file system that a test mounts for itself. Most take root, and a kernel that knows them.
enum MountedFileSystem: String, CaseIterable {
    case tmpfs
    case tmpfsFolding = "tmpfs, folding case"
    case ext4
    case ext4Folding = "ext4, folding case"
    case xfs, btrfs, overlay
    case fuse = "FUSE (libfuse 2)"
    case fuseFolding = "FUSE (libfuse 2), folding case"
    case fuseFoldingBelow = "FUSE (libfuse 2), folding case in a folder"
    case fuseNoLinks = "FUSE (libfuse 2), without links"
    case vfat, exfat, ntfs3

    /// Whether it is to be tried: those that take no time always.
    var isWanted: Bool {
        let isAll = getenv("FILESINKI_FILE_SYSTEMS").map { String(cString: $0) } == "all"
        return isAll || [.fuse, .fuseFolding, .fuseFoldingBelow].contains(self)
    }

    /// Whether `a` and `A` are one name.
    var folds: Bool {
        switch self {
        case .tmpfsFolding, .ext4Folding, .fuseFolding, .vfat, .exfat: true
        default: false
        }
    }

    /// Where `a` and `A` are one name, in the replica at `disk/b`; nil where they nowhere are.
    var foldingFolder: String? {
        if self == .fuseFoldingBelow { return "folds/" }
        return folds ? "" : nil
    }

    /// Whether there are symbolic links.
    var hasLinks: Bool { self != .vfat && self != .exfat }

    /// What `doctor` has to say, and must not say.
    var said: [(words: String, isSaid: Bool)] {
        let isFuse = [.fuse, .fuseFolding, .fuseFoldingBelow, .fuseNoLinks].contains(self)
        return [
            ("cannot exchange", isFuse || self == .exfat || self == .ntfs3),
            ("no hard links", self == .fuseNoLinks),
            ("upper from lower case", folds),
            ("symbolic links", !hasLinks),
        ]
    }

    /// Mounts it over the machine's folder `disk`.
    ///
    /// - Returns: Why that cannot be done here; nil when it is done.
    func mount(_ machine: Machine) throws -> String? {
        // Tools for file systems, and Python's modules, may be where only this process finds them.
        let own = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        let run = try machine.shell(
            "PATH='\(own):/usr/sbin:/sbin'; mkdir disk && { \(line); } >mount.log 2>&1")
        if run.code == 0 { return nil }
        let log = machine.read("mount.log") ?? ""
        let words = log.split(separator: "\n").first.map(String.init)
        return words ?? "it cannot be mounted (\(run.code))"
    }

    func unmount(_ machine: Machine) {
        _ = try? machine.shell("umount disk || umount -l disk")
    }

    private var line: String {
        switch self {
        case .tmpfs: "mount -t tmpfs -o size=200m tmpfs disk"
        case .tmpfsFolding: "mount -t tmpfs -o size=200m,casefold tmpfs disk && chattr +F disk"
        case .ext4: Self.image(64, "mkfs.ext4 -q")
        case .ext4Folding: Self.image(64, "mkfs.ext4 -q -O casefold") + " && chattr +F disk"
        case .xfs: Self.image(400, "mkfs.xfs -q")
        case .btrfs: Self.image(200, "mkfs.btrfs -q")
        case .vfat: Self.image(64, "mkfs.vfat")
        case .exfat: Self.image(64, "mkfs.exfat")
        case .ntfs3: Self.image(64, "mkfs.ntfs -q -F", "-t ntfs3")
        case .overlay:
            "mkdir lower upper work && mount -t overlay overlay "
                + "-o lowerdir=lower,upperdir=upper,workdir=work disk"
        case .fuse: Self.loopback("")
        case .fuseFolding: Self.loopback("--fold")
        case .fuseFoldingBelow: Self.loopback("--fold-in=folds")
        case .fuseNoLinks: Self.loopback("--no-links")
        }
    }

    private static func image(_ megabytes: Int, _ make: String, _ type: String = "") -> String {
        "truncate -s \(megabytes)M image && \(make) image && mount \(type) -o loop image disk"
    }

    /// The process says when it is ready; it ends when the folder is unmounted.
    private static func loopback(_ options: String) -> String {
        let script = Machine.package + "/Tests/Faults/loopback.py"
        return """
            python3 -c 'import mfusepy' 2>/dev/null || { echo 'there is no mfusepy for Python'; exit 1; }
            mkdir back; mkfifo told; python3 '\(script)' \(options) back disk >told 2>fuse.log &
            read answer <told; test "$answer" = ready
            """
    }
}
