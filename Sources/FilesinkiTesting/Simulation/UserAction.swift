/// What a user does to the files of one replica, between two runs or in the middle of one.
///
/// Paths are short texts such as `a/x`. An action that does not apply, as the removal of what is not
/// there, does nothing, so that a history stays one when any of its steps is left out.
package enum UserAction: Hashable, Sendable {
    /// How a program writes a file.
    package enum Writing: String, Hashable, Sendable, CaseIterable {
        /// A new file takes the name.
        case replacing
        /// The same file gets other bytes.
        case inPlace = "in place"
        /// The same file gets as many other bytes, and its time is set back.
        case stealthy
        /// As `replacing`, with more bytes than a commit carries.
        case large
    }

    /// Writes a file; `serial` names its content, which no other write of the history has. A folder
    /// at the path, and a file where one of its folders has to be, go.
    case write(String, serial: Int, Writing)
    /// Removes a file, a link, or a folder with everything in it.
    case remove(String)
    /// Gives a file or folder another name; what has that name goes.
    case rename(String, to: String)
    case makeFolder(String)
    /// Makes a symlink; `serial` names its target.
    case link(String, serial: Int)
    case changeMode(String, UInt16)
}

extension UserAction: CustomStringConvertible {
    package var description: String {
        switch self {
        case .write(let path, let serial, let writing):
            "writes \(serial) to \(path), \(writing.rawValue)"
        case .remove(let path): "removes \(path)"
        case .rename(let path, let new): "renames \(path) to \(new)"
        case .makeFolder(let path): "makes the folder \(path)"
        case .link(let path, let serial): "links \(path) to \(serial)"
        case .changeMode(let path, let mode): "gives \(path) the mode \(String(mode, radix: 8))"
        }
    }
}
