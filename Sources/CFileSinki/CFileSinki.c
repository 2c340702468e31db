/* The header is all there is: FileSinkiC has the functions. */
#include "filesinki.h"
