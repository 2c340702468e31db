import FilesinkiTesting
import Glibc
import Testing

/// A token, a password or a key is in no command line, no stream, no log, no state and no core.
@Suite("Secrets", .onOwnThreads, .serialized)
struct SecretTests {
    /// The remotes that want a secret of the user.
    static let subjects: [SecretSubject.Kind] = [.token, .password, .key].filter(\.isChosen)

    @Test("no output contains a secret, on success or failure", arguments: subjects)
    func runs(_ kind: SecretSubject.Kind) async throws {
        let subject = try await SecretSubject(kind)
        try subject.run("init a --remote '\(subject.address)' --device a -v", exits: [0])
        try subject.run("sync a -v --json", exits: [0])
        for command in ["sync a -v", "remote show --root a", "status --root a --json"] {
            try subject.run(command, exits: [0])
        }
        try subject.run("remote check '\(subject.address)'", exits: [0])
        try subject.expectNoTrace()
        for (fault, format) in [
            (HTTPFault.refused(401), ""), (.refused(403), "--json"), (.refused(500), ""),
            (.page, "--json"), (.redirect, ""), (.noise, "--json"), (.wrongBytes, ""),
        ] {
            subject.proxy.begin { _ in [fault.fault] }
            try subject.run("sync a -v \(format)", exits: [7, 8, 75])
        }
        subject.proxy.begin { _ in [.cut(.down, after: 10, .reset)] }
        try subject.run("sync a -v --json", exits: [75])
        subject.proxy.begin()
        try subject.run("sync a -v", wrongSecret: true, exits: [7])
        try subject.expectNoTrace()
        #expect(try subject.traces(besides: []) != [], "whoever looks for them finds them")
    }

    @Test(
        "no process shows a secret while it runs, and a crash leaves none in a core file",
        arguments: subjects)
    func crashes(_ kind: SecretSubject.Kind) async throws {
        let subject = try await SecretSubject(kind)
        try subject.run("init a --remote '\(subject.address)' --device a", exits: [0])
        for signal in [SIGSEGV, SIGABRT] {
            subject.proxy.begin { _ in [.stall(.up, after: 0)] }
            let running = try subject.start("sync a")
            try #require(subject.waitUntilStruck())
            try subject.expectNoCommandLine()
            let limits = subject.text(of: "/proc/\(running.process)/limits")
            #expect(limits.contains { $0.hasPrefix("Max core file size") && !$0.contains("unlim") })
            kill(running.process, signal)
            let status = try subject.machine.status(afterEndOf: running)
            #expect(status & 0x7F == signal)
            #expect(status & 0x80 == 0, "it left a core")
        }
        try subject.expectNoTrace()
    }

    @Test("another program's crash does leave a core file, so the test above can fail")
    func control() throws {
        let machine = try Machine()
        let running = try machine.start(
            ["/bin/sh", "-c", "ulimit -c unlimited; kill -SEGV $$"], input: "")
        let status = try machine.status(afterEndOf: running)
        if status & 0x80 == 0 { print("this system keeps no cores") }
    }
}
