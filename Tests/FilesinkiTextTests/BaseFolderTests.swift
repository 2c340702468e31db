import FilesinkiText
import Testing

@Suite struct BaseFolderTests {
    @Test(
        "the variable comes before the home folder, and only absolute paths count",
        arguments: [
            (["XDG_CONFIG_HOME": "/c", "HOME": "/h"], "/c", "/h/.local/state"),
            (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/h/.config", "/s"),
            (
                ["XDG_CONFIG_HOME": "c", "XDG_STATE_HOME": "", "HOME": "/h"], "/h/.config",
                "/h/.local/state"
            ),
            (["HOME": "h"], nil, nil), ([:], nil, nil),
        ] as [([String: String], String?, String?)])
    func path(_ environment: [String: String], _ configuration: String?, _ state: String?) {
        #expect(BaseFolder.configuration.path { environment[$0] } == configuration)
        #expect(BaseFolder.state.path { environment[$0] } == state)
    }
}
