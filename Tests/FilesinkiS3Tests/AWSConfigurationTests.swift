import FilesinkiHTTP
import FilesinkiModel
import FilesinkiTesting
import Glibc
import Testing

@testable import FilesinkiS3

@Suite struct AWSConfigurationTests {
    /// A home with the two files of AWS, and an environment.
    struct Home {
        let folder: TemporaryFolder
        var variables: [String: String]

        init(
            credentials: String? = nil, config: String? = nil, mode: mode_t = 0o600,
            _ variables: [String: String] = [:]
        ) throws {
            folder = try TemporaryFolder()
            self.variables = variables.merging(["HOME": folder.path]) { own, _ in own }
            mkdir(folder.path(".aws"), 0o700)
            for (name, text) in [("credentials", credentials), ("config", config)] {
                guard let text else { continue }
                let path = folder.path(".aws/\(name)")
                let file = open(path, O_WRONLY | O_CREAT, mode)
                _ = text.withCString { write(file, $0, strlen($0)) }
                fchmod(file, mode)
                close(file)
            }
        }

        func configuration(profile: String? = nil) throws -> AWSConfiguration {
            let variables = variables
            return try AWSConfiguration(profile: profile) { variables[$0] }
        }
    }

    static let credentialsText = """
        # A comment
        [default]
        aws_access_key_id = DEFAULTID
        aws_secret_access_key = default/secret+
        ; another
        [work]
        aws_access_key_id=WORKID
        AWS_SECRET_ACCESS_KEY =  work secret = x
        aws_session_token = TOKEN
        [half]
        aws_access_key_id = HALF
        """

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var profile: String? = nil
        var variables: [String: String] = [:]
        /// The key's id, its secret, and the token.
        var wanted: [String?]
    }

    @Test(
        "credentials are found in the places of the AWS tools",
        arguments: [
            Row(testDescription: "the default", wanted: ["DEFAULTID", "default/secret+", nil]),
            Row(
                testDescription: "AWS_PROFILE", variables: ["AWS_PROFILE": "work"],
                wanted: ["WORKID", "work secret = x", "TOKEN"]),
            Row(
                testDescription: "the address's profile", profile: "work",
                wanted: ["WORKID", "work secret = x", "TOKEN"]),
            Row(
                testDescription: "the environment before the files",
                variables: ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "env"],
                wanted: ["ENV", "env", nil]),
            Row(
                testDescription: "a session in the environment",
                variables: [
                    "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "env",
                    "AWS_SESSION_TOKEN": "session",
                ], wanted: ["ENV", "env", "session"]),
            Row(
                testDescription: "the address's profile before the environment", profile: "work",
                variables: ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "env"],
                wanted: ["WORKID", "work secret = x", "TOKEN"]),
            Row(
                testDescription: "nothing is as good as no variable",
                variables: ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""],
                wanted: ["DEFAULTID", "default/secret+", nil]),
            Row(
                testDescription: "the file of settings", profile: "settings",
                wanted: ["CONFIGID", "config", nil]),
            Row(
                testDescription: "a command", profile: "command",
                wanted: ["CMD", "a\"b\\cü", "tok"]),
        ])
    func lookup(_ row: Row) async throws {
        let config = """
            [profile settings]
            aws_access_key_id = CONFIGID
            aws_secret_access_key = config
            [profile "command"]
            credential_process = printf '%s' '{"Version": 1, "AccessKeyId": "CMD", \
            "SecretAccessKey": "a\\"b\\\\c\\u00fc", "SessionToken": "tok", \
            "Expiration": "2030-01-02T03:04:05Z"}'
            """
        let home = try Home(credentials: Self.credentialsText, config: config, row.variables)
        let found = try await home.configuration(profile: row.profile).credentials()
        #expect([found.keyID, found.secretKey.value, found.sessionToken?.value] == row.wanted)
        let end = row.profile == "command" ? Timestamp(seconds: 1_893_553_445, nanoseconds: 0) : nil
        #expect(found.expires == end)
    }

    @Test func `the variables for the files' paths apply, also below the home folder`() async throws
    {
        let home = try Home(
            credentials: Self.credentialsText, config: "[default]\nregion = eu-west-3",
            ["AWS_SHARED_CREDENTIALS_FILE": "~/.aws/config", "AWS_CONFIG_FILE": "/nowhere"])
        #expect(try home.configuration().region() == nil)
        let failure = await #expect(throws: Failure.self) {
            _ = try await home.configuration().credentials()
        }
        #expect(failure?.code == .notAllowed)
    }

    @Test(
        "the region comes from the environment or the profile",
        arguments: [
            ([:], nil, "eu-west-1"), (["AWS_PROFILE": "b"], nil, "eu-west-2"),
            (["AWS_REGION": "x1", "AWS_DEFAULT_REGION": "x2"], nil, "x1"),
            (["AWS_DEFAULT_REGION": "x2"], nil, "x2"), (["AWS_REGION": "x1"], "b", "eu-west-2"),
            (["AWS_REGION": "x1"], "c", "x1"),
        ] as [([String: String], String?, String)])
    func regions(_ variables: [String: String], _ profile: String?, _ wanted: String) throws {
        let home = try Home(
            config:
                "[default]\nregion = eu-west-1\r\n[profile b]\n region=nested\nregion = eu-west-2\n",
            variables)
        let address = S3Address(bucket: "bucket", profile: profile)
        let completed = try home.configuration(profile: profile).completing(address)
        #expect(completed.region == wanted)
        let explicit = S3Address(bucket: "bucket", region: "mine")
        #expect(try home.configuration(profile: profile).completing(explicit).region == "mine")
    }

    @Test(
        "endpoint and style come from the environment or the profile",
        arguments: [
            ([:], "https://default"), (["AWS_ENDPOINT_URL": "http://all"], "http://all"),
            (["AWS_ENDPOINT_URL": "http://all", "AWS_ENDPOINT_URL_S3": "http://s3"], "http://s3"),
            (["AWS_PROFILE": "b"], "https://service:9"),
            (["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "TRUE"], nil),
        ] as [([String: String], String?)])
    func endpoints(_ variables: [String: String], _ wanted: String?) throws {
        let home = try Home(
            config: """
                [default]
                endpoint_url = https://default
                s3 =
                    addressing_style = virtual
                [profile b]
                services = mine
                endpoint_url = https://other
                [services mine]
                s3 =
                  endpoint_url = https://service:9
                dynamodb =
                  endpoint_url = https://wrong
                """, variables)
        let completed = try home.configuration().completing(S3Address(bucket: "bucket"))
        #expect(completed.endpoint?.description == wanted)
        #expect(completed.style == (variables["AWS_PROFILE"] == nil ? .virtual : nil))
    }

    @Test(
        "keys that others can read are refused",
        arguments: [0o640, 0o604, 0o660, 0o666, 0o620] as [mode_t])
    func modes(_ mode: mode_t) async throws {
        for isConfig in [false, true] {
            let text = "[default]\naws_access_key_id = ID\naws_secret_access_key = HUSH"
            let home = try Home(
                credentials: isConfig ? nil : text, config: isConfig ? text : nil, mode: mode)
            let failure = await #expect(throws: Failure.self) {
                _ = try await home.configuration().credentials()
            }
            #expect(failure?.code == .notAllowed)
            #expect(failure?.remedy.contains("chmod") == true)
        }
    }

    @Test func `settings without keys may be readable by all, and commands not writable by others`()
        async throws
    {
        let command = "[default]\nregion=x\ncredential_process = echo nonsense HUSH"
        let readable = try Home(config: command, mode: 0o644)
        #expect(try readable.configuration().region() == "x")
        let failure = await #expect(throws: Failure.self) {
            _ = try await readable.configuration().credentials()
        }
        #expect(failure?.code == .notAllowed)
        #expect(failure?.description.contains("HUSH") == false)
        let writable = try Home(config: command, mode: 0o664)
        let refused = await #expect(throws: Failure.self) {
            _ = try await writable.configuration().credentials()
        }
        #expect(refused?.code == .notAllowed)
    }

    @Test(
        "unusable settings are errors with a remedy",
        arguments: [
            ("", ["AWS_ACCESS_KEY_ID": "A"], Failure.Code.usage),
            ("", ["AWS_SECRET_ACCESS_KEY": "A"], .usage),
            ("", ["AWS_ACCESS_KEY_ID": "A\nB", "AWS_SECRET_ACCESS_KEY": "A"], .usage),
            ("", ["AWS_REGION": "a/b"], .usage), ("", ["AWS_ENDPOINT_URL": "ftp://host"], .usage),
            ("", [:], .notAllowed), ("[default]\nrole_arn = x", [:], .notAllowed),
            ("[default]\nsso_session = x", [:], .notAllowed),
            ("[default]\ncredential_process = exit 3", [:], .notAllowed),
        ] as [(String, [String: String], Failure.Code)])
    func unusable(_ config: String, _ variables: [String: String], _ code: Failure.Code)
        async throws
    {
        let home = try Home(config: config, variables)
        let failure = await #expect(throws: Failure.self) {
            let configuration = try home.configuration()
            _ = try configuration.completing(S3Address(bucket: "bucket"))
            _ = try await configuration.credentials()
        }
        #expect(failure?.code == code)
        #expect(failure?.remedy.isEmpty == false)
    }

    @Test func `a folder or a device is not a settings file`() throws {
        let home = try Home(["AWS_CONFIG_FILE": "/dev/null"])
        #expect(throws: Failure.self) { try home.configuration() }
        let folder = try Home(["AWS_CONFIG_FILE": "/"])
        #expect(throws: Failure.self) { try folder.configuration() }
    }
}
