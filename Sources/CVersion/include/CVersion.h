#pragma once

// The version of the program, after semver.org: "0.2.0", "0.2.0-5-g1a2b3c4" five commits after that, or
// "0.2.0-dev" where neither git nor an archive of git's says more.
const char *fsk_version(void);

// The commit, abbreviated; empty if it is not known.
const char *fsk_commit(void);
