import ArgumentParser
import FilesinkiModel

/// `--since`, `--until` and `--device`: which commits, or which versions of a path, `log` shows.
struct LogFilterOptions: ParsableArguments {
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only what is of this time or later: 2024-05-01, yesterday, 'today 10:00', '2 hours ago'.",
            valueName: "time"))
    var since: String?

    @Option(
        name: .long,
        help: ArgumentHelp("Only what is of this time, to its end, or earlier.", valueName: "time"))
    var until: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "Only what this device published: its name, or 8 digits of its id or more.",
            valueName: "name"),
        completion: Candidates.asked)
    var device: String?

    /// - Returns: Nil if everything is wanted.
    /// - Throws: `Failure` with code `usage` for a time that cannot be read.
    func filter(in console: Console) throws(Failure) -> LogFilter? {
        guard since != nil || until != nil || device != nil else { return nil }
        var filter = LogFilter(device: device)
        if let since { filter.first = try HistoryOptions.interval(since, in: console).lowerBound }
        if let until { filter.last = try HistoryOptions.interval(until, in: console).upperBound }
        return filter
    }
}

/// Chooses commits by their time and device. The times are those of the devices' clocks, which need not agree with the order
/// of the log: one that does not match says nothing about those before it.
struct LogFilter: Sendable {
    /// The earliest time that is wanted; nil for any.
    var first: Timestamp?
    /// The latest one; nil for any.
    var last: Timestamp?
    /// The name of a device, or the beginning of its id; nil for all.
    var device: String?

    func matches(_ time: Timestamp, _ device: Device) -> Bool {
        if let first, time < first { return false }
        if let last, time > last { return false }
        return self.device == nil || isOfDevice(device)
    }

    /// Whether it is the device that is asked for; false for each where none is.
    func isOfDevice(_ device: Device) -> Bool {
        guard let wanted = self.device else { return false }
        return device.name == wanted || device.hasID(beginning: wanted)
    }

    var predicate: @Sendable (Timestamp, Device) -> Bool { { matches($0, $1) } }

    /// What is said if nothing matches.
    ///
    /// - Parameter isDeviceKnown: Whether the device that is asked for is one of the store.
    func nothing(isDeviceKnown: Bool) -> String {
        let isNamed = device == nil || isDeviceKnown
        return "Nothing matches." + (isNamed ? "" : " The names of devices: filesinki devices.")
    }
}
