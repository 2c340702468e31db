import FilesinkiModel

/// Tells a monitor how a command ended: a request to an address, or to `ADDRESS/fail`, as
/// https://healthchecks.io/docs/http_api/ has it. It never changes how the command ends.
struct HealthPing: Sendable {
    private let address: String
    private let console: Console

    /// Prepares the ping of a command; nil when no address was given.
    ///
    /// - Throws: `Failure` with code `usage` for an invalid address.
    init?(_ command: any Command, in console: Console) throws(Failure) {
        guard let address = command.pingAddress ?? console.environment["FILESINKI_PING_URL"],
            command is any PingingCommand, !address.isEmpty
        else { return nil }
        guard ["http://", "https://"].contains(where: { address.lowercased().hasPrefix($0) }) else {
            throw Failure(
                .usage, "The address for --ping-url is not a web address.",
                remedy: "Write it as https://host/path.")
        }
        self.address = address
        self.console = console
        do { try console.network.prepare() } catch {
            // The command runs all the same: the monitor's silence tells the rest.
            console.complain("The monitor will not be notified. \(error)")
            return nil
        }
    }

    /// Says how the command ended. What goes wrong with that is only said.
    func send(_ code: ExitCode) async {
        let request = PingRequest(address: address, exitCode: code.rawValue)
        do {
            try await console.network.ping(request)
        } catch {
            let reason = (error as? Failure)?.message ?? "\(error)"
            console.complain("The monitor was not notified: \(printable(reason.utf8))")
        }
    }
}

/// A command that a monitor may want to hear of.
protocol PingingCommand: Command {}

/// What a monitor receives.
package struct PingRequest: Hashable, Sendable {
    /// How long the monitor may take.
    package static let limit = Duration.seconds(10)

    /// Where the request goes.
    package var url: String
    /// What a POST says; nil for a GET.
    package var body: String?

    /// - Parameters:
    ///   - address: What the user gave; `/fail` goes behind its path when the command failed.
    ///   - exitCode: How the command ended.
    package init(address: String, exitCode: Int32) {
        guard exitCode != 0 else {
            url = address
            return
        }
        let end = address.firstIndex { $0 == "?" || $0 == "#" } ?? address.endIndex
        let path = address[..<end]
        url = path + (path.hasSuffix("/") ? "fail" : "/fail") + address[end...]
        body = "exit \(exitCode)"
    }
}
