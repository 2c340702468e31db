import Testing

/// `--notify` with a program in the place of the desktop's.
@Suite("Notifications of the desktop", .onOwnThreads)
struct NotificationTests {
    @Test("a conflict is shown once, whatever its name, and nothing without a desktop")
    func shown() throws {
        let machine = try Machine.pair("echo base >'a/$(exit 7) <b>'; echo base >a/plain")
        let run = try machine.shell(
            #"""
            set -e; unset DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR; mkdir bin; name='$(exit 7) <b>'
            printf '#!/bin/sh\nprintf "%%s|" "$@" >>shown\n' >bin/notify-send; chmod +x bin/notify-send
            PATH=$PWD/bin:$PATH
            conflict() {
                echo from-a >"a/$1"; echo from-b >"b/$1"
                filesinki sync a; filesinki sync b --notify || [ $? -eq 3 ]
            }
            filesinki sync a; filesinki sync b; conflict plain
            [ ! -e shown ]
            export DBUS_SESSION_BUS_ADDRESS=unix:path=/nowhere
            conflict "$name"
            filesinki sync b --notify || [ $? -eq 3 ]
            """#)
        #expect(run.code == 0, "\(run.talk)")
        let shown = machine.read("shown") ?? ""
        #expect(shown.contains("|--|Conflict: $(exit 7) <b>|"), "\(shown)")
        #expect(shown.split(separator: "Conflict:").count == 2, "\(shown)")
    }
}
