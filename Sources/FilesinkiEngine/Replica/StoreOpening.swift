package import FilesinkiEncryption
import FilesinkiModel
package import FilesinkiRemote
import FilesinkiStore
import FilesinkiText

/// How the key of an encrypted store is opened.
package struct KeyOptions: Sendable {
    /// Whether a new store is encrypted; one that is not is refused.
    package var isEncrypting: Bool
    /// Whether the user expects an encrypted store, as when a passphrase is given on the command line. Then one
    /// that is not encrypted is refused: a hostile remote may offer one.
    package var expectsEncryption: Bool
    /// Whether what an encrypted store has may be copied into one that is not.
    package var mayDecrypt: Bool
    /// Reads the secret, or asks for it; nil if the user gave no secret. `isNew`: the user chooses a new one.
    package var readSecret: @Sendable (_ isNew: Bool) throws -> KeySecret?

    /// No secret.
    package static let none = KeyOptions(isEncrypting: false, expectsEncryption: false) { _ in nil }

    package init(
        isEncrypting: Bool, expectsEncryption: Bool, mayDecrypt: Bool = false,
        readSecret: @escaping @Sendable (_ isNew: Bool) throws -> KeySecret?
    ) {
        self.isEncrypting = isEncrypting
        self.expectsEncryption = expectsEncryption || isEncrypting
        self.mayDecrypt = mayDecrypt
        self.readSecret = readSecret
    }
}

/// Opens or creates the store at a remote, and finds the key of an encrypted one.
struct StoreOpening {
    private let options: ReplicaOptions
    private let keys: KeyOptions
    private let device: Device
    private let progress: (@Sendable (Progress) -> Void)?

    /// - Parameter progress: Called while a remote is tested.
    init(
        _ options: ReplicaOptions, _ keys: KeyOptions, device: Device,
        progress: (@Sendable (Progress) -> Void)? = nil
    ) {
        self.options = options
        self.keys = keys
        self.device = device
        self.progress = progress
    }

    /// Reads the store's description. Without a store, creates one if the remote passes the test.
    ///
    /// - Parameters:
    ///   - remote: The remote, which does not seal.
    ///   - makesStore: Whether to create a store.
    ///   - acceptingOther: Whether another store than the replica's is wanted, if none is created.
    func open(
        at remote: any Remote, _ address: String, makesStore: Bool, acceptingOther: Bool = false
    ) async throws -> (format: StoreFormat, key: StoreKey?, isNew: Bool) {
        if let format = try await StoreFormat.read(from: remote) {
            return (format, try await findKey(of: format, remote), false)
        }
        guard makesStore else { throw await noStore(at: address, remote, acceptingOther) }
        try await Self.requireFreePlace(remote, address)
        guard keys.isEncrypting || !keys.expectsEncryption else {
            throw Failure(
                .notAllowed, path: remote.address,
                "No store is there, and a passphrase was given for an encrypted one.",
                remedy: "To create an encrypted store, add --encrypt.")
        }
        // Before the test, which takes a while.
        let secret = keys.isEncrypting ? try newSecret(remote.address) : nil
        try await checkFitness(of: remote, address)
        guard let secret else {
            let format = try await StoreFormat.create(
                at: remote, systemContext: options.systemContext)
            return (format, try await findKey(of: format, remote), true)
        }
        let (key, id) = try await makeKey(remote, secret)
        let format = try await StoreFormat.create(
            at: remote, systemContext: options.systemContext, keyFingerprint: key.fingerprint)
        if format.keyFingerprint == key.fingerprint { return (format, key, true) }
        // Another device has created the store meanwhile.
        try await KeyObjects(remote, fingerprint: key.fingerprint).remove(id)
        return (format, try await findKey(of: format, remote), false)
    }

    /// Refuses to make a store in a replica or in another store, as far as the remote can tell.
    ///
    /// - Throws: Code `usage`.
    static func requireFreePlace(_ remote: any Remote, _ address: String) async throws {
        if case .folder(let path)? = try? RemoteAddress(absolute: address) {
            return try RootPlacement.checkNewStore(at: path)
        }
        guard let found = try await remote.unwrapped(as: (any PlacedRemote).self)?.misplacement()
        else { return }
        throw Failure.misplacedStore(address, found.sentence)
    }

    /// There is no store, and none is to be made. What to do depends on what is there, and on what the replica has.
    private func noStore(
        at address: String, _ remote: any Remote, _ acceptingOther: Bool
    ) async -> Failure {
        if case .folder(let path)? = try? RemoteAddress(absolute: address),
            let other = try? ReplicaConfig.read(StateFolder(root: path, state: nil)),
            let remote = other.remote
        {
            return Failure(
                .notFound, path: address, "This is a replica, not a store.",
                remedy: "Give the address of its store, which is \(ShellWord.shown(remote.utf8)).")
        }
        let placed = remote.unwrapped(as: (any PlacedRemote).self)
        if let found = try? await placed?.misplacementOfExistingFolder() {
            return .noStore(at: address, found)
        }
        let shown = ShellWord.shown(address.utf8)
        let replica = try? ReplicaConfig.read(options.stateFolder)
        if acceptingOther, let replica, replica.remote != nil {
            // Who leaves a store must not be led to copy what is to be left behind.
            return Failure(
                .notFound, path: address, "No store was found there.",
                remedy: "Check the address. "
                    + Failure.waysToOtherStore(
                        at: address, isEncrypted: replica.keyFingerprint != nil,
                        expectsEncryption: keys.expectsEncryption))
        }
        // Who gives the secret of an encrypted store must not be led to make one that is not.
        let encrypting = keys.expectsEncryption ? " --encrypt" : ""
        let making =
            replica?.remote == nil
            ? "make a store there with filesinki init \(ShellWord.shown(options.root.utf8)) --remote "
                + "\(shown)\(encrypting)"
            : "copy the replica's store there with filesinki remote set \(shown) --migrate\(encrypting)"
        return Failure(
            .notFound, path: address, "No store was found there.",
            remedy: "Check the address, or \(making).")
    }

    /// The key of a store: the replica's copy, or what the secret opens; nil for a store that is not encrypted.
    ///
    /// - Throws: Code `not-allowed` without a secret that opens it, or if the store should be encrypted and is not.
    func findKey(of format: StoreFormat, _ remote: any Remote) async throws -> StoreKey? {
        guard let fingerprint = format.keyFingerprint else {
            guard !keys.expectsEncryption else {
                let given = keys.isEncrypting ? "--encrypt and the passphrase" : "the passphrase"
                throw Failure(
                    .notAllowed, path: remote.address, "The store is not encrypted.",
                    remedy:
                        "To use it as it is, leave \(given) out. To encrypt it, let a device that has it make an "
                        + "encrypted copy: remote set NEW --migrate --encrypt.")
            }
            return nil
        }
        let kept = try? StoreKey.read(options.stateFolder.storeKey)
        if let kept, kept.fingerprint == fingerprint { return kept }
        guard let secret = try keys.readSecret(false) else {
            throw Failure.keyNeeded(remote.address)
        }
        return try await KeyObjects(remote, fingerprint: fingerprint).open(secret).key
    }

    /// The secret that is to open a new key: given by the user, or asked for.
    func newSecret(_ address: String) throws -> KeySecret {
        if let secret = try keys.readSecret(true) { return secret }
        throw Failure(
            .usage, path: address, "An encrypted store needs a passphrase.",
            remedy: "Give one with --passphrase-file FILE or FILESINKI_PASSPHRASE, "
                + "or a key file with --key-file FILE.")
    }

    /// A new key for a store that is to be created, with its key object at the remote. The key of an earlier attempt is
    /// taken if the secret opens it.
    ///
    /// - Parameter secret: That of ``newSecret(_:)``.
    func makeKey(
        _ remote: any Remote, _ secret: KeySecret
    ) async throws -> (key: StoreKey, id: String) {
        guard let key = StoreKey.random(options.systemContext) else {
            throw Failure(
                .io, path: remote.address, "No key could be made.",
                remedy: "Check the system's source of random numbers.")
        }
        if let earlier = try? await KeyObjects(remote, fingerprint: nil).open(secret) {
            return earlier
        }
        let id = try await KeyObjects(remote, fingerprint: key.fingerprint).add(
            key, secret, name: device.name, options.systemContext)
        return (key, id)
    }

    /// Checks that a remote gives the guarantees that a store needs.
    ///
    /// - Throws: Code `unfit-store`.
    func checkFitness(of remote: any Remote, _ address: String) async throws {
        let probe = SlotProbe(
            systemContext: options.systemContext,
            progress: { [progress] in progress?(Progress(testing: $0)) }
        ) { try options.connect(address) }
        let report = try await probe.testRemote()
        guard report.isFit else {
            let broken = report.checks.filter { !$0.holds }.map { "\($0.name): \($0.detail)" }
            throw Failure(
                .unfitStore, path: remote.address,
                "The remote lacks a guarantee that a store needs. "
                    + broken.joined(separator: " "),
                remedy: report.alternative + " filesinki remote check shows all of them.")
        }
    }
}

extension Failure {
    /// There is no store at an address, nor is one to be made there.
    fileprivate static func noStore(at address: String, _ found: MisplacedStore) -> Failure {
        guard found == .replica else {
            return Failure(
                .notFound, path: address, "No store was found there.",
                remedy: "Check the address. \(found.sentence)")
        }
        return Failure(
            .notFound, path: address, found.sentence,
            remedy: "Give the address of its store, which filesinki remote show prints there.")
    }
}

extension Progress {
    /// How far the test of a remote is.
    package init(testing progress: ProbeProgress) {
        self.init(.testing, files: progress.done, totalFiles: progress.total)
    }
}
