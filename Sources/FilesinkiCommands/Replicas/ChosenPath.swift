import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote
import FilesinkiText

extension RootChoice {
    /// The path that `clone --only` names: one of the store, or an absolute one in the replica that is to be made.
    ///
    /// - Parameter address: Where the store is.
    /// - Throws: `Failure` with code `usage` for the root itself, `badPath` for another path of this machine.
    func chosenPath(
        _ argument: String, ofStoreAt address: RemoteAddress, in console: Console
    ) throws(Failure) -> RelativePath {
        let found: RelativePath?
        do throws(Failure) {
            found = try self.path(argument, currentFolder: console.currentFolder)
        } catch {
            let bytes = ArgumentText.bytes(of: argument)
            guard error.code == .badPath, bytes.first == UInt8(ascii: "/") else { throw error }
            let place = FilePlace.absolute(bytes, in: console.currentFolder)
            if place.starts(with: Array((self.path + "/").utf8)) { throw error }
            throw Failure.pathOfMachine(place, ofStoreAt: address)
        }
        guard let chosen = found else {
            throw Failure(
                .usage, path: argument, "The path is the root itself.",
                remedy: "Give paths below it, or leave out --only.")
        }
        return chosen
    }
}

extension Failure {
    /// A path of this machine where one of the store is meant. In another replica of the store it says which.
    fileprivate static func pathOfMachine(
        _ place: [UInt8], ofStoreAt address: RemoteAddress
    ) -> Failure {
        let meant = "--only takes paths of the store."
        var failure = Failure(
            .badPath, path: place, "This is a path of this machine; \(meant)",
            remedy: "Write it as the store has it, such as --only notes/a.txt.")
        guard let replica = RootChoice.nearestReplica(from: String(decoding: place, as: UTF8.self))
        else { return failure }
        failure.message =
            "This is a path of this machine, in the replica \(printable(replica.utf8)); \(meant)"
        let config = try? ReplicaConfig.read(StateFolder(root: replica, state: nil))
        guard let remote = config?.remote, remote == address.text else { return failure }
        let root = RootChoice(path: replica, origin: .given)
        guard let inside = try? root.below(place) else {
            failure.remedy = "To hold everything, leave out --only."
            return failure
        }
        failure.remedy = "Write --only \(ShellWord.path(inside.bytes))."
        return failure
    }
}
