import FilesinkiRemote
import Glibc

extension FileSinki {
    /// Which of the user's folders a path is below, for the calls with closures. They follow the XDG
    /// base directory specification.
    public enum Root: String, Sendable, Hashable, CaseIterable {
        /// `$XDG_DATA_HOME/NAME`, usually `~/.local/share/NAME`: what a program keeps for its user.
        case applicationSupportDirectory = "application-support"
        /// `NAME` in the user's folder of documents, usually `~/Documents/NAME`.
        case documentDirectory = "documents"
        /// `$XDG_CACHE_HOME/NAME`, usually `~/.cache/NAME`: what can be made anew.
        case cachesDirectory = "caches"
    }
}

extension FileSinki.Root {
    /// The folder of a program of that name.
    ///
    /// - Parameter environment: Gives a variable's value.
    /// - Throws: Code `usage` when there is no home folder.
    func folder(
        of program: String, _ environment: (String) -> String? = Self.variable
    ) throws(FileSinkiError) -> String {
        try base(environment) + "/" + program
    }

    private func base(_ environment: (String) -> String?) throws(FileSinkiError) -> String {
        switch self {
        case .applicationSupportDirectory:
            try Self.folder("XDG_DATA_HOME", ".local/share", environment)
        case .documentDirectory: try Self.folder("XDG_DOCUMENTS_DIR", "Documents", environment)
        case .cachesDirectory: try Self.folder("XDG_CACHE_HOME", ".cache", environment)
        }
    }

    private static func folder(
        _ name: String, _ usual: String, _ environment: (String) -> String?
    ) throws(FileSinkiError) -> String {
        if let given = environment(name), given.hasPrefix("/") { return given }
        guard let home = environment("HOME"), home.hasPrefix("/") else {
            throw FileSinkiError(
                .usage, path: "", message: "No home folder was found.",
                remedy: "Set HOME, or name the root in FileSinki.setup.")
        }
        return home + "/" + usual
    }

    @Sendable static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The address of the store that a root has of its own, beside that of the first root.
    ///
    /// - Throws: Code `usage` for what is not the address of a store.
    func address(_ remote: String) throws(FileSinkiError) -> String {
        guard self != .applicationSupportDirectory else { return remote }
        return try RemoteAddress(remote).beside(rawValue).text
    }
}
