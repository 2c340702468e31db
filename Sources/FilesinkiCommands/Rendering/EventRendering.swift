import FilesinkiEngine
import FilesinkiModel
import FilesinkiText

extension Event {
    /// The event as `Docs/Events.md` has it.
    var json: JSONObject {
        let isDeletion = entry.kind == .tombstone
        var object: JSONObject = ["type": .string(isDeletion ? "deleted" : "changed")]
        object.add("path", path)
        object.add("version", version)
        object.add("time", author?.time)
        object.add("device", author?.device.name)
        object.add("device_id", (author?.device.id).map { hexadecimal($0) })
        object.add("own", author?.isOwn)
        object.add("applied", isApplied)
        object.add("moved_from", movedFrom)
        object.add("reason", reason.isEmpty ? nil : reason)
        if !isDeletion { entry.describe(in: &object) }
        object.add("token", token?.description)
        return object
    }
}

extension EventToken {
    /// A line that says how far everything was told.
    var json: JSONObject {
        var object: JSONObject = ["type": "token"]
        object.add("version", version)
        object.add("token", description)
        return object
    }
}

extension Console {
    /// Prints what an observer found.
    func show(_ found: Observed) throws {
        switch found {
        case .position(let token):
            try output.json(token.json)
        case .events(let events, let end):
            try show(events)
            try output.json(end.json)
        case .difference(let difference):
            var head: JSONObject = ["type": "resync"]
            head.add("since", difference.since)
            head.add("complete", difference.since == nil)
            try output.json(head)
            try show(difference.events)
            try output.json(difference.end.json)
        }
    }

    private func show(_ events: [Event]) throws {
        for event in events {
            // The rest is for whoever comes back with the last token.
            try Task.checkCancellation()
            try output.json(event.json)
        }
    }

    /// Says what an observer waits for, and what did not work.
    func show(_ notice: ObserverNotice) {
        switch notice {
        case .waiting(let failure): complain(failure)
        case .resumed: say("filesinki: It goes on.")
        case .failure(let failure): complain(failure)
        }
    }
}

extension Observed {
    /// Whether there is an event in it.
    var hasEvents: Bool {
        switch self {
        case .position: false
        case .events: true
        case .difference(let difference): !difference.events.isEmpty
        }
    }
}
