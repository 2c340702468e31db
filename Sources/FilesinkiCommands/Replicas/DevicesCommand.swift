import ArgumentParser
import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

/// `devices`: the devices that share the store.
struct DevicesCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "Show the devices that use this store, and what each has seen.",
        discussion: """
            Seen is the last commit that a device is known to have read: it has published after it, or acknowledged it. \
            Acknowledged is the one that prunes go by, which a device says once a day, or after 64 commits; what was \
            current then is kept, so that the device can merge.
            """,
        subcommands: [DevicesListCommand.self, DevicesForgetCommand.self],
        defaultSubcommand: DevicesListCommand.self)

    func run(in console: Console) async throws -> ExitCode { throw CleanExit.helpRequest(self) }
}

/// `devices list`, which is also what `devices` alone means.
struct DevicesListCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the devices. Exits with 1 when there are none.")

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: false, in: console)
        let devices = try await session.replica.devices()
        if report.json {
            for device in devices { try console.output.json(device.json) }
        } else {
            // A script reads lines of words, a person columns with heads.
            let hasHeads = console.terminals.output && !devices.isEmpty
            var table = TextTable()
            if hasHeads { table.add("Device", "Id", "Seen", "Last heard of", "Acknowledged") }
            for device in devices {
                table.add(
                    printable(device.device.name.utf8),
                    String(hexadecimal(device.device.id).prefix(8)),
                    (hasHeads ? "@" : "seen @") + "\(device.seen)", TimeText.local(device.time),
                    (hasHeads ? "@" : "acknowledged @") + "\(device.acknowledged)",
                    device.isThisOne ? "this one" : "")
            }
            for line in table.lines(within: console.outputColumns) {
                try console.output.line(line)
            }
        }
        if devices.isEmpty {
            console.say("The store knows no device. A device is added by its next sync.")
        }
        if !report.json { try await session.showKnownMove() }
        return devices.isEmpty ? .negative : .done
    }
}

/// `devices forget`: for one that will not come back.
struct DevicesForgetCommand: ReplicaCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Forget a device that will not come back.",
        discussion: """
            If it does come back, it joins the store as a new device and loses nothing. The device of \
            this replica can be forgotten, too; the next sync here adds it again.
            """)

    @Argument(
        help: "The device's name, or 8 digits of its id or more.", completion: Candidates.asked)
    var name: String

    @OptionGroup var replica: RootOptions
    @OptionGroup var report: ReportOptions

    func run(in console: Console) async throws -> ExitCode {
        report.apply(to: console)
        let session = try await Session.open(replica, writable: true, in: console)
        let isThisOne = try await session.replica.forgetDevice(name)
        if report.json {
            var object: JSONObject = ["type": "forgotten"]
            object.add("device", name)
            object.add("this", isThisOne)
            try console.output.json(object)
        }
        console.say("Forgot \(printable(name.utf8)).")
        if isThisOne {
            console.say(
                "It is the device of this replica, and the next sync here adds it again. To end the use of the "
                    + "replica, run filesinki deinit.")
        }
        return .done
    }
}

extension DeviceReport {
    fileprivate var json: JSONObject {
        var object: JSONObject = ["type": "device"]
        object.add("device", device.name)
        object.add("device_id", hexadecimal(device.id))
        object.add("seen", seen)
        object.add("time", time)
        object.add("acknowledged", acknowledged)
        object.add("acknowledged_time", acknowledgedAt)
        object.add("this", isThisOne)
        return object
    }
}
