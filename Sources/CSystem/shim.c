// Linux system calls that glibc has no wrapper for; see the header.
