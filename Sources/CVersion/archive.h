// The number of the newest release, or of the first one to come. A tag vNUMBER goes with it.
#define FSK_NUMBER "0.1.0"

// `git archive` fills in what stands between the dollars: see .gitattributes.
#define FSK_ARCHIVE_VERSION "$Format:%(describe:tags=true,match=v[0-9]*)$"
#define FSK_ARCHIVE_COMMIT "$Format:%h$"
