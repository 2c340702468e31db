import FilesinkiModel
import FilesinkiRules
import Testing

@Suite struct SSHCommandSettingTests {
    private func load(device texts: [String]) -> RulesLoad {
        RulesLoad(
            synced: nil,
            device: texts.map { RulesLoad.DeviceFile(path: "/c", bytes: Array($0.utf8)) })
    }

    @Test func `only a file of a device names the command, the replica's before the user's`() {
        let synced = RulesLoad(synced: Array("ssh-command = \"evil\"\n".utf8))
        #expect(synced.rules.sshCommand == nil)
        #expect(
            synced.problems.map(\.message)
                == ["Line 1: 'ssh-command' is a setting of one device, not of all."])
        let trusted = RulesLoad(synced: Array("ssh-command = \"evil\"\n".utf8), isTrusted: true)
        #expect(trusted.rules.sshCommand == nil)
        let device = load(device: ["ssh-command = 'ssh -F a'\n", "ssh-command = \"ssh -F b\"\n"])
        #expect(device.problems.isEmpty)
        #expect(device.rules.sshCommand == "ssh -F b")
        #expect(load(device: []).rules.sshCommand == nil)
    }

    @Test(
        "what is no command is a problem, and ssh is run",
        arguments: ["''", "' '", "true", "[]", "1"])
    func refused(_ value: String) {
        let load = load(device: ["ssh-command = \(value)\n"])
        #expect(load.rules.sshCommand == nil)
        #expect(load.problems.count == 1)
    }
}
