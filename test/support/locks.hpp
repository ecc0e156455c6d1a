// Counts calls of pthread_mutex_lock() and its relatives in this program, to prove that a stretch of code makes none.
#pragma once

namespace ulna::test {

/// -1 under sanitizers, which have functions of their own in that place.
long locks();

}  // namespace ulna::test
