import FilesinkiModel
package import FilesinkiRemote

/// The paths that the own server answers to, below the address's own path.
package enum WirePaths {
    /// Where an object is: ``object(_:)`` without the key.
    package static let objects = "/v1/objects/"
    /// Where an unfinished upload is asked for.
    package static let uploads = "/v1/uploads/"
    /// Lists objects: ``list(prefix:after:limit:)`` without the question.
    package static let list = "/v1/list"
    /// Reads many objects: ``ReadLines`` there, ``WireFrame`` back.
    package static let read = "/v1/read"
    /// Says of many keys whether they are there: ``KeyLines`` there and back.
    package static let has = "/v1/has"
    /// Reads the log of a zone: ``log(zone:from:limit:)`` without the zone.
    package static let log = "/v1/log/"
    /// The stream of change notices.
    package static let events = "/v1/events"
    /// Says that the server lives; needs no token.
    package static let health = "/health"
    /// The server's counters, in the text form of Prometheus.
    package static let metrics = "/metrics"

    package static func object(_ key: ObjectKey) -> String { objects + key.description }

    package static func upload(_ id: UploadID) -> String { uploads + id.description }

    /// - Parameters:
    ///   - prefix: As `Remote.list` takes it: made of what keys are made of.
    ///   - limit: 1 to ``WireLimits/listLines``.
    package static func list(prefix: String, after: ObjectKey?, limit: Int) -> String {
        let after = after.map { "&after=\($0)" } ?? ""
        return "\(list)?prefix=\(prefix)\(after)&limit=\(limit)"
    }

    /// - Parameter limit: 1 to ``WireLimits/logFrames``.
    package static func log(zone: String, from: UInt64, limit: Int) -> String {
        "\(log)\(zone)?from=\(from)&limit=\(limit)"
    }

    package static func events(prefix: String) -> String { "\(events)?prefix=\(prefix)" }
}

/// The random name of a resumable upload: 32 hexadecimal digits, lower case.
package struct UploadID: Hashable, Sendable, CustomStringConvertible {
    package let description: String

    /// - Parameter bytes: 16 random ones; nil for another number.
    package init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        description = hexadecimal(bytes)
    }

    /// Nil for anything but 32 of `0-9 a-f`.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 32, let bytes = FilesinkiModel.bytes(hexadecimal: text),
            hexadecimal(bytes) == text
        else { return nil }
        description = String(text)
    }
}
