import Testing

extension Machine {
    /// A machine with two replicas, `a` and `b`, of a directory `store`; `line` makes what `a` holds.
    static func pair(_ line: String) throws -> Machine {
        let machine = try Machine()
        let made = try machine.shell(
            """
            set -e
            mkdir a; \(line)
            filesinki init a --remote store --device a; filesinki sync a
            filesinki clone store b --device b
            """)
        try #require(made.code == 0, "\(made.talk)")
        return machine
    }

    /// Syncs replicas, one after the other, and expects each run to end well.
    func sync(
        _ replicas: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for replica in replicas {
            let run = try run("sync", replica)
            #expect(run.code == 0, "\(replica): \(run)", sourceLocation: sourceLocation)
        }
    }

    /// What is different in the two replicas' files; empty for nothing.
    var difference: String {
        get throws { try shell("diff -r --no-dereference -x .filesinki a b 2>&1").output }
    }

    /// Every path below a folder but a replica's own, in order.
    func paths(in folder: String) throws -> [String] {
        let found = try shell("cd \(folder) && find . -name .filesinki -prune -o -print | sort")
        return found.output.split(separator: "\n").dropFirst().map { String($0.dropFirst(2)) }
    }
}
