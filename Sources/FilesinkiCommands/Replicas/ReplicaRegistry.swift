import FilesinkiEngine
import FilesinkiHashing
import FilesinkiModel
import FilesinkiSystem
import FilesinkiText
import Glibc

/// A replica of this user, as the registry has it.
struct RegisteredReplica: Hashable {
    /// The root's absolute path.
    var root: String
    /// The state folder; nil for `.filesinki` in the root.
    var state: String?
}

/// The replicas of this user on this device: a small file for each, in a folder of the user's state.
///
/// A file is named by the hash of its replica's folders. So several processes may add and remove entries at
/// once without a lock, and one lstat(2) finds whether a replica is registered. Only `deinit` and
/// `replicas --forget` remove an entry: a folder that is absent may be on a disk that is not mounted.
struct ReplicaRegistry {
    /// The folder with the files.
    let folder: String

    /// The registry of a user, where the XDG base directory specification places state; nil when neither
    /// `XDG_STATE_HOME` nor `HOME` is absolute.
    init?(_ environment: [String: String]) {
        guard let state = BaseFolder.state.path({ environment[$0] }) else { return nil }
        folder = state + "/filesinki/replicas"
    }

    /// Adds a replica, unless it is registered. Costs one lstat(2) if it is.
    ///
    /// - Returns: Whether it was added.
    @discardableResult func add(_ replica: RegisteredReplica) throws(Failure) -> Bool {
        let file = file(of: replica)
        if StateFile.exists(file) { return false }
        try StateFile.makeFolder(folder)
        try StateFile.replace(file, with: replica.json.bytes)
        return true
    }

    /// Removes the entries of a folder, also those that name it through a symlink.
    ///
    /// - Returns: What they were.
    func remove(root: String) throws(Failure) -> [RegisteredReplica] {
        let stamp = FileStamp(at: root, followingSymlinks: true)
        let found = try readAll().replicas.filter { replica in
            if replica.root == root { return true }
            guard let stamp else { return false }
            return FileStamp(at: replica.root, followingSymlinks: true)?.isSameInode(as: stamp)
                == true
        }
        for replica in found {
            try SystemError.reported("remove the entry", file(of: replica).utf8) {
                () throws(SystemError) in
                try FileHandle(folder, O_RDONLY | O_DIRECTORY).unlink(name(of: replica).utf8)
            }
        }
        return found
    }

    /// The replicas by their roots, the first of those that lead to the same folder, and what is wrong with
    /// entries that cannot be read.
    func read() throws(Failure) -> (replicas: [RegisteredReplica], problems: [Failure]) {
        var (replicas, problems) = try readAll()
        var stamps: [FileStamp] = []
        replicas.sort { ($0.root, $0.state ?? "") < ($1.root, $1.state ?? "") }
        replicas.removeAll { replica in
            guard let stamp = FileStamp(at: replica.root, followingSymlinks: true) else {
                return false
            }
            defer { stamps.append(stamp) }
            return stamps.contains { $0.isSameInode(as: stamp) }
        }
        return (replicas, problems)
    }

    private func readAll() throws(Failure) -> (replicas: [RegisteredReplica], problems: [Failure]) {
        guard StateFile.exists(folder) else { return ([], []) }
        var replicas: [RegisteredReplica] = []
        var problems: [Failure] = []
        // Others are files that are being written.
        for name in try StateFile.names(in: folder) where Self.isName(name) {
            do throws(Failure) {
                // Another process may remove it meanwhile.
                guard let bytes = try StateFile.read(folder + "/" + name) else { continue }
                replicas.append(try RegisteredReplica(bytes, file: folder + "/" + name))
            } catch { problems.append(error) }
        }
        return (replicas, problems)
    }

    private func file(of replica: RegisteredReplica) -> String {
        folder + "/" + name(of: replica)
    }

    private func name(of replica: RegisteredReplica) -> String {
        let folders = Array(replica.root.utf8) + [0] + Array((replica.state ?? "").utf8)
        return hexadecimal(SHA256.hash(folders).prefix(16))
    }

    private static func isName(_ name: String) -> Bool { bytes(hexadecimal: name)?.count == 16 }
}

extension RegisteredReplica {
    /// - Throws: Code `corrupt` for malformed bytes.
    fileprivate init(_ bytes: [UInt8], file: String) throws(Failure) {
        guard let values = JSONTree.strings(of: bytes), let root = values["root"],
            root.hasPrefix("/")
        else {
            throw Failure(
                .corrupt, path: file, "This entry of a replica cannot be read.",
                remedy: "Remove the file; the next sync of the replica creates it again.")
        }
        self.init(root: root, state: values["state"])
    }

    fileprivate var json: JSONObject {
        var object: JSONObject = [:]
        object.add("root", root)
        object.add("state", state)
        return object
    }

    /// The options that name the replica.
    func options(_ waiting: WaitOptions) throws -> RootOptions {
        var options = try RootOptions.make()
        options.root = ArgumentText.encode(Array(root.utf8))
        options.state = state.map { ArgumentText.encode(Array($0.utf8)) }
        options.waiting = waiting
        return options
    }
}

/// What is found at the folder of a registered replica.
enum ReplicaPresence {
    /// A replica, with the address of its remote.
    case present(remote: String?)
    /// Nothing: the folder was moved or removed, or its disk is not mounted.
    case gone
    /// The folder, or the replica's state, cannot be read.
    case unreadable(Failure)

    init(_ replica: RegisteredReplica, in console: Console) {
        do {
            let inRoot = replica.root + "/" + RelativePath.stateFolder
            _ = try FileHandle(inRoot, O_RDONLY | O_DIRECTORY)
            let options = try replica.options(.none).replicaOptions(root: replica.root, in: console)
            self = .present(remote: try ReplicaConfig.read(options).remote)
        } catch let error as SystemError {
            self =
                error.isMissing
                ? .gone
                : .unreadable(error.failure("open the replica", replica.root, of: .local))
        } catch {
            let failure = error as? Failure
            self =
                failure?.code == .notFound
                ? .gone : .unreadable(failure ?? .io(error, at: replica.root))
        }
    }
}

extension Failure {
    /// An error that is not a failure.
    static func io(_ error: any Error, at path: String) -> Failure {
        Failure(.io, path: path, "\(error)", remedy: "Run again.")
    }
}

extension Console {
    /// The registry of this user; nil if there is no place for it.
    var registry: ReplicaRegistry? { ReplicaRegistry(environment) }

    /// Registers a replica. Nothing else depends on the registry, so a failure is only said.
    ///
    /// - Parameter isNew: Whether the command has made the replica; else a failure, which every run would
    ///   repeat, is a detail.
    func register(root: String, state: String?, isNew: Bool) {
        do throws(Failure) {
            try registry?.add(RegisteredReplica(root: root, state: state))
        } catch {
            let text = "Not registered for filesinki replicas. \(error.description)"
            if isNew { complain(text) } else { detail(text) }
        }
    }
}
