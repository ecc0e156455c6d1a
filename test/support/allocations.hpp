// Counts calls of malloc and its kin in this program, operator new among them, to prove that a stretch of code makes none.
#pragma once

namespace ulna::test {

long allocations();

}  // namespace ulna::test
