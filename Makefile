# filesinki: the everyday commands.
#
#   make            the same as make check
#   make help       this text
#   make demo       builds, then shows the main job in a temporary folder; needs nothing but Swift
#   make test       all tests; FILTER=Name runs those whose name matches
#   make build      the debug build; warnings and undeclared imports are errors
#   make release    the release binary: static Swift runtime, stripped
#   make release-net   that, and filesinki-net, which has the network
#   make check      build + lint + test; to be green at every commit
#   make lint       swift format's rules, the shell scripts' syntax, the links between documents
#   make format     rewrites the Swift files in the house style
#   make bench      times filesinki beside rsync and find on a generated tree, FILES=20000, and
#                   its merges beside git merge-file and sqldiff
#   make bench-watch  how fast a change crosses under watch, beside other tools, EDITS=100
#   make bench-link   times ssh and WebDAV over a link of 50 ms, beside rsync and unison over the same ssh
#                   and rclone to the same WebDAV server
#   make simulate   random histories of several replicas; SEED= replays one, ROUNDS= says how many,
#                   SERIES= of which kind: plain, parts, exclusions, rules, secrets, texts, clocks
#                   or copies; PRUNES=yes: of them those in which old versions are pruned
#   make faults     cuts, damages and answers wrongly every request of a sync: REMOTES=server, or the
#                   names of other servers that are installed, or all; STRIDE=4096 bytes apart
#   make file-systems  the built program on all file systems that can be mounted here, as root; POINTS=2
#   make kv-processes  ten processes on each of three devices set the same keys for SECONDS=60, over
#                   REMOTES=server and others, and 50 watch 1,000 keys
#   make mutants    counts which of SAMPLE=200 small errors in MODULE=FilesinkiReconcile its tests detect
#   make install    puts both programs, their manual pages, completions and systemd's units below
#                   PREFIX (/usr/local), under DESTDIR
#   make package    a Debian package, an archive of static programs and an image for containers, in
#                   .build/package; make check-packages tries them, as root, and in the systems
#                   that debootstrap makes of NEW=trixie and OLD=bullseye, where OLD is given
#   make library    libfilesinki.so for C and what calls C, its header and its pkg-config file, in
#                   .build/library; make install-library puts them below PREFIX
#   make proto      Generated/store.pb.swift from store.proto, by the plugin of the pinned SwiftProtobuf; needs
#                   Debian's protobuf-compiler
#   make man        the manual pages, in .build/man
#   make api        compares the public declarations of the libraries with Docs/api.txt, WRITE=yes writes it; then
#                   says which changes since the commit in Docs/api-baseline.txt break programs that use
#                   the libraries, but for those in Docs/api-meant.txt; it builds that commit anew, which takes its
#                   time. make api-text leaves that out
#   make docs       the reference of every module as Markdown, in .build/docs
#   make clean      removes what was built
#
# test, demo and whatever builds install missing Debian packages first, and say nothing when
# nothing is missing.

PREFIX ?= /usr/local
DESTDIR ?=
FILES ?= 20000
ROUNDS ?= 2000
SECONDS ?= 60
EDITS ?= 100
SEED ?=
SERIES ?=
FILTER ?=
REMOTES ?= server
STRIDE ?= 4096
POINTS ?= 2
MODULE ?= FilesinkiReconcile
SAMPLE ?= 200
NEW ?= trixie
OLD ?=
WRITE ?=
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

SWIFT ?= swift
STRICT = --explicit-target-dependency-import-check error
# On continuous integration nobody looks for the line of a crash, and the build is faster without.
DEBUG_INFO ?= $(if $(CI),none,dwarf)
# Without an index a debug build takes two thirds of the time: see Tests/XCTMain.swift.
DEBUG = -debug-info-format $(DEBUG_INFO) --disable-index-store
# There nobody changes a file and builds again, and without DEBUG the parser of the command line does not
# examine its own declarations for each command that a test runs: see Docs/Decisions/0620-tests-without-debug.md.
# Nor is each module compiled twice, a second time for its interface, for which nothing waits that does not wait for the first.
UNOPTIMIZED = -Xswiftc -Onone -Xswiftc -no-emit-module-separately-wmo -Xcc -O0 -Xcxx -O0
WHOLE = -c release $(UNOPTIMIZED)
BUILD = $(SWIFT) build -j $(JOBS) $(STRICT)
TEST = $(SWIFT) test -j $(JOBS) $(STRICT) $(DEBUG) $(if $(CI),$(WHOLE)) --enable-swift-testing \
    --disable-xctest
# Without the names that the static runtime would export, the linker drops what nobody calls. It drops
# debug information, too, so none is made. Nor is an index, which editors write for themselves.
PRODUCT = -c release -debug-info-format none --disable-index-store
RELEASE = $(BUILD) $(PRODUCT) --static-swift-stdlib -Xlinker -s -Xlinker --no-export-dynamic --product
# For a library that others link, SwiftPM leaves out where the static runtime is.
STATIC_RUNTIME = $(shell dirname $$(dirname $$(readlink -f $$(command -v $(SWIFT)))))/lib/swift_static/linux
LIBRARY = $(BUILD) $(PRODUCT) --static-swift-stdlib --product filesinki-c -Xswiftc -static-stdlib \
    -Xlinker -L$(STATIC_RUNTIME) -Xlinker -s -Xlinker -soname=libfilesinki.so.1 \
    -Xlinker --version-script=Packaging/library/exports.map
RELEASE_BINARY = .build/release/filesinki
# Who tries the program waits a fifth of the time for one that is not optimized. It has a folder of its own, so that no
# installation takes it: see Docs/Decisions/0690-the-demonstration-is-not-optimized.md.
DEMO = .build/demo
STORE = Sources/FilesinkiStore
SWIFT_FILES = Package.swift Sources Tests Examples

.PHONY: check help demo test build release release-net lint format bench bench-watch bench-link simulate faults \
    file-systems kv-processes mutants install package check-packages library install-library man proto docs api api-text clean \
    dependencies version

check: build lint test

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

dependencies:
	@sh Scripts/install-dependencies.sh

demo: dependencies version
	$(RELEASE) filesinki --scratch-path $(DEMO) $(UNOPTIMIZED)
	@sh Scripts/demo.sh $(DEMO)/release/filesinki

test: dependencies
	@sh Scripts/test.sh $(TEST) $(if $(FILTER),--filter '$(FILTER)')

build: dependencies
	$(BUILD) $(DEBUG) --build-tests

release: dependencies version
	$(RELEASE) filesinki

release-net: release
	$(RELEASE) filesinki-net

lint:
	$(SWIFT) format lint --strict --parallel --recursive $(SWIFT_FILES)
	@sh Scripts/lint.sh

format:
	$(SWIFT) format --in-place --parallel --recursive $(SWIFT_FILES)

bench: release
	@sh Scripts/bench.sh $(RELEASE_BINARY) $(FILES)
	@sh Scripts/bench-merges.sh $(RELEASE_BINARY)

bench-watch: release
	@bash Scripts/bench-watch.sh $(RELEASE_BINARY) $(EDITS)

bench-link: release-net
	@bash Scripts/bench-link.sh $(RELEASE_BINARY) 10000 50

simulate: dependencies
	FILESINKI_SIMULATION_SEED='$(SEED)' FILESINKI_SIMULATION_ROUNDS='$(ROUNDS)' \
	    FILESINKI_SIMULATION_SERIES='$(SERIES)' FILESINKI_SIMULATION_PRUNES='$(PRUNES)' \
	    FILESINKI_SIMULATION_FIRST=$$(date +%s) \
	    $(TEST) --filter SimulationTests

faults: dependencies
	FILESINKI_REMOTES='$(REMOTES)' FILESINKI_CUT_STRIDE='$(STRIDE)' \
	    FILESINKI_CUT_BYTES=100000 FILESINKI_FLIP_STRIDE=61 \
	    $(TEST) --filter SweepTests

file-systems: dependencies
	@FILESINKI_FILE_SYSTEM_POINTS='$(POINTS)' \
	    sh Scripts/file-systems.sh $(TEST)

kv-processes: dependencies
	FILESINKI_REMOTES='$(REMOTES)' FILESINKI_KV_E2E_PROCESSES=10 FILESINKI_KV_E2E_SECONDS='$(SECONDS)' \
	    FILESINKI_KV_E2E_WATCHERS=50 FILESINKI_KV_E2E_KEYS=1000 \
	    $(TEST) --filter KeyValueProcessTests

mutants: dependencies
	python3 Scripts/mutate.py --module '$(MODULE)' --sample '$(SAMPLE)' $(if $(SEED),--seed '$(SEED)')

# The version from git, for the release build: see Docs/Decisions/0520-versions.md.
version:
	@sh Scripts/version.sh --write

library: dependencies version
	$(LIBRARY)
	@sh Scripts/library.sh .build/release/libfilesinki-c.so .build/library

install-library: library
	@sh Scripts/library.sh .build/release/libfilesinki-c.so '$(DESTDIR)$(PREFIX)' '$(PREFIX)'

install: release-net
	@sh Scripts/install.sh $(RELEASE_BINARY) '$(DESTDIR)$(PREFIX)' '$(PREFIX)/bin'

package: release-net
	@sh Scripts/install-dependencies.sh package
	@SWIFT='$(SWIFT)' sh Scripts/package/make.sh .build .build/package

check-packages:
	@bash Scripts/package/check.sh .build/package
	$(if $(OLD),@bash Scripts/package/check-debian.sh .build/package '$(NEW)' '$(OLD)')

man: build
	@python3 Scripts/man.py .build/debug/filesinki .build/man

proto:
	@command -v protoc >/dev/null || { \
	    echo "protoc is missing. Install Debian's package protobuf-compiler:" >&2; \
	    echo "apt-get install protobuf-compiler" >&2; exit 1; }
	$(SWIFT) build -j $(JOBS) --product protoc-gen-swift
	protoc --plugin=.build/debug/protoc-gen-swift --proto_path=$(STORE)/Schema \
	    --swift_out=$(STORE)/Generated store.proto
	@git --no-pager diff --stat -- $(STORE)/Generated

docs: build
	@sh Scripts/docs.sh .build/docs

api-text: dependencies
	$(SWIFT) package dump-symbol-graph --minimum-access-level public --skip-synthesized-members >/dev/null
	@python3 Scripts/api.py "$$(find .build/ -type d -name symbolgraph | head -n 1)" Docs/api.txt \
	    $(if $(WRITE),write)

api: api-text
	$(SWIFT) package diagnose-api-breaking-changes "$$(cat Docs/api-baseline.txt)" \
	    --products FileSinki FileSinkiKeyValue FileSinkiRecords --baseline-dir .build/api-baseline \
	    --breakage-allowlist-path Docs/api-meant.txt

clean:
	$(SWIFT) package clean
	rm -rf .build/docs $(DEMO)
