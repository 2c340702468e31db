/// What both ends send first when they speak over a byte stream, such as the standard streams of a program
/// that ssh runs: see *Over standard streams* in Docs/Protocol.md.
package enum StreamOpening {
    /// The version of the framing that this program implements.
    package static let version = "1"

    /// What the line of a server begins with. Its version and a newline follow.
    package static let serverPrefix = Array("filesinki-stream/".utf8)

    /// The line of a server. What comes before it is not the server's: a login shell may print a greeting.
    package static let server = serverPrefix + Array("\(version)\n".utf8)

    /// The most bytes of the version in a server's line.
    package static let maximumVersion = 20

    /// The most bytes that a client skips in its search for the server's line.
    package static let maximumNoise = 64 << 10

    /// What a client sends first. It is the first packet of SFTP, version 3, so that a client may send it
    /// before it knows which of the two is at the far end: a forced command decides that, not the client.
    package static let client: [UInt8] = [0, 0, 0, 5, 1, 0, 0, 0, 3]
}
