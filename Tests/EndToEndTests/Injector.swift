import Glibc

/// Stops the program at its Nth call that changes something: `Tests/Faults/killat.c`, compiled once.
struct Injector {
    let path: String
    /// What the file system is played to know.
    let fileSystem: FileSystem

    /// A file system that knows fewer ways to give a file another name.
    enum FileSystem: String, CaseIterable {
        /// All that this one knows.
        case whole = "all renames"
        /// No flag of renameat2(2).
        case noFlags = "no rename flags"
        /// No flag, and no hard links.
        case noFlagsNoLinks = "no rename flags, no links"

        fileprivate var arguments: [String] {
            switch self {
            case .whole: []
            case .noFlags: ["-f"]
            case .noFlagsNoLinks: ["-f", "-l"]
            }
        }
    }

    /// What happens at the call.
    enum Strike {
        /// All processes are killed before the call.
        case killBefore
        /// All processes are killed after the call.
        case killAfter
        /// A line of shell runs while the call waits.
        case shell(String)
        /// The call fails with this error number.
        case error(Int32)

        fileprivate var arguments: [String] {
            switch self {
            case .killBefore: []
            case .killAfter: ["-a"]
            case .shell(let line): ["-x", line]
            case .error(let number): ["-e", "\(number)"]
            }
        }
    }

    /// Says in the exit code that there is no call of that number.
    static let neverReached: Int32 = 99
    /// Says that the system does not let one process trace another.
    private static let notAllowed: Int32 = 97

    /// Compiles it into the machine's folder; nil, with a word, where it cannot be compiled or one
    /// process may not trace another.
    init?(_ machine: Machine, playing fileSystem: FileSystem = .whole) throws {
        self.fileSystem = fileSystem
        path = machine.folder + "/killat"
        let source = Machine.package + "/Tests/Faults/killat.c"
        let made = try machine.shell("cc -O1 -o killat '\(source)'")
        let tried = made.code == 0 ? try machine.shell("./killat -n 1000 true").code : -1
        if tried != Self.neverReached {
            print(
                made.code == 0
                    ? "left out: this system does not let one process trace another"
                    : "left out: there is no C compiler")
            return nil
        }
    }

    /// How many calls of a command change something; the command runs to its end.
    ///
    /// - Parameter reading: Count the reads of files whose path ends so, instead.
    func count(
        _ machine: Machine, _ arguments: [String], reading name: String? = nil
    ) throws -> Int {
        let words = arguments.map { "'\($0)'" }.joined(separator: " ")
        let only = name.map { "-r '\($0)'" } ?? ""
        let options = fileSystem.arguments.joined(separator: " ")
        try machine.shell(
            "./killat \(options) -c \(only) '\(Machine.binary)' \(words) 3>points")
        let text = machine.read("points") ?? ""
        return Int(text.prefix { $0.isNumber }) ?? 0
    }

    /// Runs a command that fails or is killed at a system call.
    ///
    /// - Parameter reading: See ``count(_:_:reading:)``.
    func run(
        _ machine: Machine, at point: Int, _ strike: Strike, _ arguments: [String],
        reading name: String? = nil
    ) throws -> Machine.Finished {
        let only = name.map { ["-r", $0] } ?? []
        return try machine.wait(
            for: machine.start(
                [path] + fileSystem.arguments + ["-n", "\(point)"] + only + strike.arguments
                    + [Machine.binary] + arguments,
                input: ""))
    }

    /// Points from 1 to `last`, so many as `wanted`, evenly spread; all when there are no more.
    static func spread(_ wanted: Int, to last: Int) -> [Int] {
        guard last > 0, wanted > 0 else { return [] }
        let count = min(wanted, last)
        return (0..<count).map { 1 + $0 * (last - 1) / max(count - 1, 1) }
    }
}
