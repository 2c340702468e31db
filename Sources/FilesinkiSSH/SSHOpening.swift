import FilesinkiModel
import FilesinkiProtocol
import FilesinkiSystem

/// What is at the far end of a connection, as its first bytes show.
enum SSHOpening: Sendable {
    /// A server of SFTP, with its first packet.
    case sftp(SFTPReply)
    /// `filesinki serve --stdio`
    case filesinki
    /// The same with another version of the framing.
    case otherVersion(String)
    /// Neither.
    case damaged(SSHDamage)
    /// The far end has ended the connection.
    case ended

    /// Reads the first bytes of the far end, after the first packet of SFTP was sent, which both expect.
    ///
    /// A login shell may print text before the line of `filesinki serve`. Before SFTP it may not: no client of
    /// SFTP could be used there. Blocks until the far end has said enough; stops where the next byte belongs to
    /// what the far end sends then.
    static func read(from process: ConnectedProcess) -> SSHOpening {
        var seen: [UInt8] = []
        let prefix = StreamOpening.serverPrefix
        while seen.count < StreamOpening.maximumNoise {
            guard let byte = (try? process.receive(1))?.first else { return .ended }
            // The length of a packet begins with it, and no text has it.
            if byte == 0 { return seen.isEmpty ? packet(process) : .damaged(SSHDamage(seen)) }
            seen.append(byte)
            if byte == prefix.last, seen.suffix(prefix.count).elementsEqual(prefix) {
                return version(process)
            }
        }
        return .damaged(SSHDamage(seen))
    }

    /// The first packet of SFTP, after its first byte.
    private static func packet(_ process: ConnectedProcess) -> SSHOpening {
        guard let rest = try? process.receive(4), rest.count == 4 else { return .ended }
        let count = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) }
        guard (5...SFTPPacket.maximumLength).contains(count), rest[3] == SFTPPacket.versionType
        else {
            return .damaged(SSHDamage([0] + rest))
        }
        guard let fields = try? process.receive(count - 1), fields.count == count - 1 else {
            return .ended
        }
        guard let (_, reply) = SFTPReply.decode([SFTPPacket.versionType] + fields) else {
            return .damaged(SSHDamage([0] + rest))
        }
        return .sftp(reply)
    }

    private static func version(_ process: ConnectedProcess) -> SSHOpening {
        var text: [UInt8] = []
        while text.count <= StreamOpening.maximumVersion {
            guard let byte = (try? process.receive(1))?.first else { return .ended }
            if byte == UInt8(ascii: "\n") {
                let version = String(decoding: text, as: UTF8.self)
                return version == StreamOpening.version ? .filesinki : .otherVersion(version)
            }
            text.append(byte)
        }
        return .damaged(SSHDamage(text))
    }
}
