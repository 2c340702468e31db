import Testing

/// A device whose token may only read, with the built program and a server.
@Suite(.onOwnThreads) struct ReadOnlyTokenTests {
    /// Starts a server at `$address`, and makes a token file `reader`.
    private static let serving = #"""
        filesinki serve token make store reader --rights read -o reader >>made 2>&1
        mkfifo ready
        "$FILESINKI" serve store --listen 127.0.0.1:0 --json >ready 2>log & server=$!
        trap 'kill $server' EXIT
        read -r line <ready
        address=$(echo "$line" | sed 's/.*"address":"\([^"]*\)".*/\1/')
        """#

    @Test func `a token that may only read receives without a word, and says why it cannot send`()
        throws
    {
        let machine = try Machine()
        let run = try machine.shell(
            #"""
            set -e; mkdir a; echo x >a/f
            filesinki init a --remote store --device a 2>made; filesinki sync a >>made 2>&1
            \#(Self.serving)
            set +e
            filesinki clone "$address" b --token-file reader >>made 2>told; echo "clone $?"
            grep -c acknowledgement told
            filesinki status --short b; echo y >b/f
            filesinki sync b 2>told; echo "sync $?"
            grep -c "The token may only read (403).*right to append" told
            filesinki status --short b
            """#)
        #expect(run.output == "clone 0\n0\nsync 7\n1\nrefused\n", "\(run)")
    }

    @Test
    func
        `a conflict that is opened again has the names of its writers, also where no run can send`()
        throws
    {
        let machine = try Machine()
        let run = try machine.shell(
            #"""
            set -e; mkdir a; echo base >a/p
            filesinki init a --remote store --device a 2>made; filesinki sync a >>made 2>&1
            for d in b c; do filesinki clone store $d --device $d >>made 2>&1; done
            \#(Self.serving)
            set +e
            filesinki clone "$address" r --device r --token-file reader >>made 2>&1; echo new >r/new
            echo b >b/p; filesinki sync -q b; echo c >c/p; filesinki sync -q c 2>>made; echo "found $?"
            filesinki resolve -q --root c p --take there; filesinki sync -q b
            filesinki resolve -q --root b --undo p 2>>made
            filesinki sync -q r >>made 2>&1; echo "received $?"
            filesinki conflicts --root r 2>>made | grep -o 'take .*'
            """#)
        #expect(run.output == "found 3\nreceived 7\ntake c|b\n", "\(run)")
    }
}
