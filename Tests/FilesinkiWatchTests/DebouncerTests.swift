import FilesinkiModel
import FilesinkiWatch
import Testing

/// Diagrams of time: a column is 5 ms. The events of a path: `c` created, `m` written into, `w`
/// closed after writing, `a` attributes, `d` deleted, `>` and `<` the two ends of a rename. What is
/// reported: `!`. A change settles after 1 column (4 of a new file) or 10, and after 40 at the latest.
@Suite("Debouncer")
struct DebouncerTests {
    static let limits = Debouncer.Limits(
        quiet: .milliseconds(50), quick: .milliseconds(5), longest: .milliseconds(200), paths: 4)

    /// The reports for the events, lane by lane.
    private func told(_ heard: [String]) -> [String] {
        let lanes = heard.map(Array.init)
        let length = lanes.map(\.count).max() ?? 0
        var debouncer = Debouncer(Self.limits)
        var told = lanes.map { _ in [Character](repeating: "-", count: length) }
        for column in 0..<length {
            let now = Duration.milliseconds(5 * column)
            for (lane, marks) in lanes.enumerated() where column < marks.count {
                if let change = change(lane, column, lanes) { debouncer.add(change, at: now) }
            }
            guard let due = debouncer.removeDue(at: now) else { continue }
            for lane in lanes.indices {
                switch due {
                case .everything: told[lane][column] = "E"
                case .changes(let changes):
                    if changes.paths.contains(path(lane)) { told[lane][column] = "!" }
                    if changes.folders.contains(path(lane)) { told[lane][column] = "F" }
                }
            }
        }
        return told.map { String($0) }
    }

    private func path(_ lane: Int) -> RelativePath { RelativePath(unchecked: [97 + UInt8(lane)]) }

    private func change(_ lane: Int, _ column: Int, _ lanes: [[Character]]) -> TreeChange? {
        func partner(_ mark: Character) -> RelativePath? {
            lanes.indices.first { column < lanes[$0].count && lanes[$0][column] == mark }.map(path)
        }
        switch lanes[lane][column] {
        case "c": return TreeChange(path(lane), .created)
        case "m": return TreeChange(path(lane), .unfinished)
        case "w": return TreeChange(path(lane), .written)
        case "a": return TreeChange(path(lane), .attributes)
        case "d": return TreeChange(path(lane), .gone)
        case "f": return TreeChange(path(lane), .folder)
        case ">": return TreeChange(path(lane), .gone, partner: partner("<"))
        case "<": return TreeChange(path(lane), .written, partner: partner(">"))
        default: return nil
        }
    }

    @Test(
        "one path",
        arguments: [
            // A file that was closed is reported at once.
            ("mw------------", "--!-----------"),
            // A new one might be about to be renamed.
            ("cmw-----------", "------!-------"),
            // Only created, as by ln, or held open: after the rest.
            ("c-------------", "----------!---"),
            ("m----m-------------", "---------------!---"),
            // Attributes alone, and after a write.
            ("a-------------", "----------!---"),
            ("mwa-----------", "---!----------"),
            // Deleted, and made anew: one change.
            ("d-------------", "----------!---"),
            ("d--cmw----------------", "---------------!------"),
            // A folder, and whatever is in it.
            ("f-------------", "----------F---"),
            // A file that changes continuously is reported at intervals.
            (
                "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm",
                "----------------------------------------!-----"
            ),
            // One that is saved again and again: in growing distances.
            (
                "w--w--w--w--w--w--w--w--w--w--w--w--w--w--w--w-",
                "-!---------!-------------------!---------------"
            ),
            // After a pause it is reported at once again.
            ("w----------------------------------w---", "-!----------------------------------!--"),
            // Delayed after a burst, it is reported after a pause, and from then on at once.
            (
                "w--w--w--w--w--w--w--w--w---------------------w--------------------w--",
                "-!---------!-------------------!---------------!--------------------!-"
            ),
            // The rest comes during the hold.
            (
                "w--w--w--w--w--w--w--w--w--w--w--w--w-----------------------w--w--",
                "-!---------!-------------------!------------------------!----!----"
            ),
        ])
    func onePath(_ heard: String, _ expected: String) {
        #expect(told([heard])[0] == expected)
    }

    /// How long each change of a steady sequence waited for its report, in the order of the changes.
    private func waits(every rhythm: Duration, times: Int, after debouncer: inout Debouncer)
        -> [Duration]
    {
        var waits: [Duration] = []
        var untold: [Duration] = []
        let begin = Duration.seconds(10)
        for number in 0..<times {
            let moment = begin + rhythm * number
            while let next = debouncer.next, next < moment {
                guard debouncer.removeDue(at: next) != nil else { break }
                waits += untold.map { next - $0 }
                untold = []
            }
            debouncer.add(TreeChange(path(0), .unfinished), at: moment)
            debouncer.add(TreeChange(path(0), .written), at: moment)
            untold.append(moment)
        }
        return waits
    }

    @Test(
        "changes at a steady interval above 100 ms are reported at once, also after a burst",
        arguments: [101, 105, 120, 150, 250, 500, 1000, 1900, 2100, 5000])
    func rhythm(milliseconds: Int) {
        var debouncer = Debouncer()
        // A burst that has led to the longest distance.
        var now = Duration.zero
        while now < .seconds(10) - .milliseconds(milliseconds) {
            debouncer.add(TreeChange(path(0), .written), at: now)
            while let next = debouncer.next, next <= now, debouncer.removeDue(at: next) != nil {}
            now += .milliseconds(10)
        }
        let waits = waits(every: .milliseconds(milliseconds), times: 40, after: &debouncer).sorted()
        #expect(waits[waits.count / 2] < .milliseconds(60), "\(waits)")
        #expect(waits.last.map { $0 <= .milliseconds(100) } == true, "\(waits)")
    }

    @Test("continuous changes are reported at growing intervals, up to the longest")
    func noRestBetween() {
        var debouncer = Debouncer()
        var told: [Duration] = []
        for number in 0..<1000 {
            let now = Duration.milliseconds(90) * number
            while let next = debouncer.next, next < now, debouncer.removeDue(at: next) != nil {
                told.append(next)
            }
            debouncer.add(TreeChange(path(0), .written), at: now)
        }
        #expect(told.count < 60, "\(told.count) in 90 s")
        #expect(zip(told, told.dropFirst()).allSatisfy { $1 - $0 <= .milliseconds(2100) })
    }

    @Test("a busy file delays no other")
    func busyNeighbour() {
        let told = self.told(["mmmmmmmmmmmmmmmmmmmm", "-----w--------------"])
        #expect(told == ["--------------------", "------!-------------"])
    }

    @Test("both ends of a rename are reported together")
    func rename() {
        let told = self.told([">--------------", "<--------------"])
        #expect(told == ["----------!----", "----------!----"])
        // One end goes on: the other one comes along when the first is due.
        let dance = self.told([">--cmw----------------", "<--------d------------"])
        #expect(dance[0].firstIndex(of: "!") == dance[1].firstIndex(of: "!"))
        #expect(dance[0].filter { $0 == "!" }.count == 1)
        #expect(dance[1].filter { $0 == "!" }.count == 1)
    }

    @Test("a file that was created to be renamed is reported as one change of its target, at once")
    func replaced() {
        let told = self.told(["cmw>------------", "---<------------"])
        #expect(told[1] == "----!-----------")
        // Nothing is at the other path, as before; who looks finds that out.
        #expect(told[0] == "-------------!--")
    }

    @Test("deletions are reported together, once nothing is deleted any more")
    func deletions() {
        let told = self.told(["d----------------------", "---------d-------------", "--w---"])
        #expect(told[0] == "-------------------!---")
        #expect(told[1] == told[0])
        // They delay no other change.
        #expect(told[2].hasPrefix("---!"))
        // After the longest time, those of until then; what is deleted later begins anew.
        let endless = self.told([
            "d" + String(repeating: "-", count: 80),
            String(repeating: "------d", count: 9),
        ])
        #expect(
            endless[0].firstIndex(of: "!") == endless[0].index(endless[0].startIndex, offsetBy: 40))
        #expect(endless[1].filter { $0 == "!" }.count == 2, "\(endless)")
    }

    @Test("with too many paths everything is due, once they are quiet")
    func flood() {
        let told = self.told(["c", "c", "c", "c", "c----w--------------------------"])
        #expect(told[4].filter { $0 == "E" }.count == 1)
        #expect(told[4].firstIndex(of: "E") == told[4].index(told[4].startIndex, offsetBy: 15))
    }

    @Test("without changes nothing is due and no time-out is needed")
    func silence() {
        var debouncer = Debouncer(Self.limits)
        #expect(debouncer.next == nil)
        debouncer.add(TreeChange(path(0), .written), at: .seconds(7))
        #expect(debouncer.next == .milliseconds(7005))
        #expect(debouncer.removeDue(at: .milliseconds(7004)) == nil)
        #expect(debouncer.removeDue(at: .milliseconds(7005)) != nil)
        #expect(debouncer.next == nil)
    }

    @Test("with a settle time of zero everything is reported at once")
    func noRest() {
        var debouncer = Debouncer(Debouncer.Limits(quiet: .zero, quick: .zero, longest: .zero))
        for kind in [TreeChange.Kind.written, .gone, .created, .folder] {
            debouncer.add(TreeChange(path(0), kind), at: .seconds(1))
            #expect(debouncer.removeDue(at: .seconds(1)) != nil)
        }
    }
}
