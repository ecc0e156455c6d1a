// Counts calls of operator new in this program, to prove that a stretch of code makes none.
#pragma once

namespace ulna::test {

long allocations();

}  // namespace ulna::test
