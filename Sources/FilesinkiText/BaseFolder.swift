/// The folders in which programs keep what is a user's.
///
/// Source: XDG base directory specification, https://specifications.freedesktop.org/basedir-spec
package enum BaseFolder: String, Sendable {
    case configuration = "XDG_CONFIG_HOME"
    case state = "XDG_STATE_HOME"

    private var placeInHome: String {
        switch self {
        case .configuration: ".config"
        case .state: ".local/state"
        }
    }

    /// The folder's absolute path; nil when neither its variable nor `HOME` is absolute.
    ///
    /// - Parameter environment: Returns the value of an environment variable.
    package func path(_ environment: (String) -> String?) -> String? {
        func absolute(_ name: String) -> String? {
            environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        return absolute(rawValue) ?? absolute("HOME").map { "\($0)/\(placeInHome)" }
    }
}
