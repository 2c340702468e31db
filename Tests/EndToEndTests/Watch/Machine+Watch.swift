import FilesinkiTesting
import Glibc
import Testing

extension Machine {
    /// A watch that was started.
    struct Watch {
        let running: Running
        let replica: String
    }

    /// Starts a watch and waits until it watches.
    func watch(
        _ replica: String, _ options: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Watch {
        let secrets =
            "if [ -e \(RemotePlace.environmentFile) ]; "
            + "then . ./\(RemotePlace.environmentFile); fi; "
        let command = ["/bin/sh", "-c", secrets + "exec \"$@\"", "watch", Self.binary, "watch"]
        let words = [replica, "-v", "--poll", "2s"] + options
        let running = try start(command + words, input: "")
        let isReady = pollUntil { self.talk(of: running).contains("Watching") }
        #expect(isReady, "\(talk(of: running))", sourceLocation: sourceLocation)
        return Watch(running: running, replica: replica)
    }

    /// Ends a watch as a service manager does, and expects it to end well.
    @discardableResult
    func end(
        _ watch: Watch, _ signal: Int32 = SIGTERM,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Finished {
        #expect(kill(watch.running.process, signal) == 0, sourceLocation: sourceLocation)
        let finished = try wait(for: watch.running)
        #expect(finished.code == 0, "\(watch.replica): \(finished)", sourceLocation: sourceLocation)
        return finished
    }

    /// What a watch has said so far.
    func talk(of running: Running) -> String { read(running.talkFile) ?? "" }

    func output(of running: Running) -> String { read(running.outputFile) ?? "" }

    /// Waits until both replicas hold the same.
    func expectEqual(seconds: Int64 = 180, sourceLocation: SourceLocation = #_sourceLocation) throws
    {
        let isEqual = try pollUntil(seconds: seconds) { try difference.isEmpty }
        let left = isEqual ? "" : try difference.prefix(2000)
        #expect(isEqual, "\(left)", sourceLocation: sourceLocation)
    }

    /// Expects that no conflict copy was made anywhere.
    func expectNoCopies(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let copies = try shell("find a b -name '*(conflict*'").output
        #expect(copies == "", sourceLocation: sourceLocation)
    }
}
