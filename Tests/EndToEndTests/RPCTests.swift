import FilesinkiTesting
import Foundation
import Glibc
import Testing

/// `filesinki rpc` of the built program, and the Python client.
@Suite("Calls by other programs", .onOwnThreads)
struct RPCTests {
    /// Runs Python with the client beside it; `PROGRAM` is the built program.
    private func python(_ script: String, on machine: Machine) throws -> Machine.Finished {
        try machine.write(script, to: "script.py")
        let client = Machine.package + "/Examples/python"
        return try machine.shell(
            "PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='\(client)' PROGRAM=\"$FILESINKI\" "
                + "timeout 300 python3 script.py")
    }

    /// Starts a server at a socket, and waits for its path.
    private func serve(_ machine: Machine) throws -> (Machine.Running, socket: String) {
        let running = try machine.start(
            [Machine.binary, "rpc", "--socket", "--root", "a"], input: "")
        for _ in 0..<600 {
            let text = machine.read(running.outputFile) ?? ""
            if text.hasSuffix("\n") { return (running, String(text.dropLast())) }
            usleep(100_000)
        }
        throw MachineError.noFile(ETIMEDOUT)
    }

    @Test func `the Python client saves, reads, watches and reports failures`() throws {
        let machine = try Machine.pair("echo one >a/one")
        let script = #"""
            from os import environ
            from filesinki import Filesinki, FilesinkiError
            program = environ["PROGRAM"]
            try:
                with Filesinki(".", program=program) as none:
                    none.kv.get("size")
                raise AssertionError("no replica")
            except ConnectionError as error:
                assert "not a replica" in str(error), error
            with Filesinki("a", program=program) as a, Filesinki("b", program=program) as b:
                with a.kv.watch(values=True) as changes:
                    try:
                        b.kv.set("theme", float("nan"))
                        raise AssertionError("JSON has no NaN")
                    except ValueError:
                        b.kv.set("theme", "dark")
                    b.kv.update({"size": 12, "list": [1, "x", {"y": None}]})
                    seen = {}
                    while len(seen) < 3:
                        change = next(changes)
                        seen.update(change["values"])
                    assert seen["theme"] == "dark" and seen["size"] == 12, seen
                    assert changes.token
                assert a.kv.get("size") == 12 and a.kv.get("none", 7) == 7
                a.kv.set("theme", None)
                assert a.kv.get("theme") is None
                assert set(a.kv.list()) == {"size", "list"}
                a.kv.delete("size", "list")
                # Two calls at once, one of them beside an open watch.
                with b.files.watch() as changes:
                    saved = a.files.save("folder/two", b"\x00\xff")
                    a.files.save(b"name-\xff", "text")
                    paths = set()
                    while len(paths) < 2:
                        change = next(changes)
                        if change["type"] == "changed": paths.add(change["path"])
                    assert b.files.load("folder/two", offline=True) == b"\x00\xff"
                assert b.files.load(b"name-\xff") == b"text"
                assert [f["path"] for f in b.files.list("folder/two")] == ["folder/two"]
                try:
                    b.files.load("none")
                except FilesinkiError as error:
                    assert error.exit_code == 1 and error.path == "none" and error.remedy, error
                else:
                    raise AssertionError("no error")
                a.rec.save("Note", "n1", {"title": "Hello", "count": 3})
                a.rec.save("Note", "n2", {"title": "World", "count": 4})
                b.rec.sync()
                names = [r["name"] for r in b.rec.query("Note", "count > 2", limit=1)]
                assert names == ["n1", "n2"], names
                assert b.rec.get("none") is None
                done = b.rec.batch([{"op": "delete", "name": "n1"}, {"op": "create", "name": "n3"}])
                assert [r["ok"] for r in done] == [True, False], done
                assert [r["name"] for r in b.rec.changes(limit=1) if "name" in r] == ["n2"]
                assert b.kv.quota()["max_keys"] == 1024 and b.kv.log("none") == b.rec.log("n2") == []
                b.kv.set("size", 3)
                assert '"key":"size"' in b.kv.export() and "<key>size" in b.kv.export("plist")
                b.rec.subscribe("s", "Note", "count > 2", on=["create"])
                assert [s["subscription"] for s in b.rec.subscriptions()] == ["s"]
                b.rec.unsubscribe("s")
                assert b.rec.subscriptions() == []
                told = []
                a.files.save("three", "3")
                b.sync(on_progress=told.append)
                assert any(step["files"] > 0 for step in told), told
            print("done")
            """#
        let run = try python(script, on: machine)
        #expect(run.code == 0 && run.output == "done\n", "\(run.talk)")
    }

    @Test func `a socket serves twenty clients at once, and nobody else`() throws {
        let machine = try Machine.pair("echo one >a/one")
        let (running, socket) = try serve(machine)
        var status = stat()
        #expect(stat(socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
        let second = try machine.run("rpc", "--socket", "--root", "a")
        #expect(second.code == 75 && second.talk.contains(socket), "\(second)")
        let rounds = knob("FILESINKI_RPC_CALLS", otherwise: 20)
        let script = #"""
            from sys import argv
            from threading import Thread
            from time import monotonic
            from filesinki import Filesinki
            rounds, failed = \#(rounds), []
            def work(number):
                try:
                    with Filesinki(socket_path="\#(socket)") as client:
                        client.kv.set(f"key{number}", number, store=f"s{number % 4}")
                        for _ in range(rounds):
                            found = client.kv.get(f"key{number}", store=f"s{number % 4}")
                            assert found == number, found
                except Exception as error:
                    failed.append(error)
            # One that never reads what it asks for.
            stuck = Filesinki(socket_path="\#(socket)")
            stuck._socket.setblocking(False)
            line = b'{"jsonrpc":"2.0","id":1,"method":"rpc.methods"}\n'
            sent = 0
            try:
                while sent < 64 << 20: sent += stuck._socket.send(line * 100)
            except BlockingIOError:
                pass
            assert sent < 64 << 20, sent
            start = monotonic()
            threads = [Thread(target=work, args=(n,)) for n in range(20)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            assert not failed, failed
            print(int(20 * (rounds + 1) / (monotonic() - start)), "calls a second")
            """#
        let run = try python(script, on: machine)
        #expect(run.code == 0, "\(run.talk)")
        print("rpc:", run.output.trimmingCharacters(in: .newlines))
        kill(running.process, SIGTERM)
        #expect(try machine.wait(for: running).code == 0)
        #expect(stat(socket, &status) != 0, "The socket stays.")
    }

    @Test func `after a kill the socket is served again, and what was answered is there`() throws {
        let machine = try Machine.pair("echo one >a/one")
        let (running, socket) = try serve(machine)
        let set = #"""
            from filesinki import Filesinki
            client = Filesinki(socket_path="\#(socket)")
            client.kv.set("key", 1)
            """#
        #expect(try python(set, on: machine).code == 0)
        kill(running.process, SIGKILL)
        #expect(try machine.wait(for: running).code == 137)
        #expect(access(socket, F_OK) == 0)
        let (next, same) = try serve(machine)
        #expect(same == socket)
        let get = #"""
            from filesinki import Filesinki
            with Filesinki(socket_path="\#(socket)") as client:
                assert client.kv.get("key") == 1
            """#
        let run = try python(get, on: machine)
        #expect(run.code == 0, "\(run.talk)")
        kill(next.process, SIGINT)
        #expect(try machine.wait(for: next).code == 0)
    }

    @Test func `a client that closes its end has everything done that it asked for`() throws {
        let machine = try Machine.pair("echo one >a/one")
        let run = try machine.shell(
            #"""
            for n in 1 2 3; do
                echo '{"jsonrpc":"2.0","id":'$n',"method":"kv.set","params":{"key":"k'$n'","value":'$n'}}'
            done | filesinki rpc --root a | head -n 1
            filesinki kv get k1 --root a
            """#)
        #expect(
            run.output.hasPrefix(#"{"jsonrpc":"2.0","id":1,"result":{"type":"values""#), "\(run)")
        #expect(run.output.hasSuffix("1\n"))
    }
}
