import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiRemote

/// How to reach a remote over a network. What is given is kept in the replica, for its later runs.
struct AccessOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "File with the access token of a filesinki server, readable only by its owner.",
            valueName: "file"),
        completion: .file())
    var tokenFile: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "PEM file of certificates to trust in addition to the system's.", valueName: "file"),
        completion: .file())
    var caFile: String?
}

extension AccessOptions {
    /// What was given, and where a replica keeps it.
    func access(of options: ReplicaOptions? = nil, in console: Console) throws -> RemoteAccess {
        let file: (String) throws -> String = { path in
            try FilePlace.absoluteText(path, in: console.currentFolder)
        }
        return RemoteAccess(
            pinned: options?.stateFolder.access, tokenFile: try tokenFile.map(file),
            certificateFile: try caFile.map(file))
    }

    /// Has the replica use what was given.
    func apply(to options: inout ReplicaOptions, in console: Console) throws -> RemoteAccess {
        let access = try access(of: options, in: console)
        options.connect = console.connector(access)
        return access
    }
}
