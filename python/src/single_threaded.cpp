// Static libraries of Debian are built for programs: they expect this flag of glibc at an address that a shared object cannot have. 0 means "there may be
// threads", which is true in Python and safe always (std::shared_ptr then counts atomically). Hidden: nobody else sees it.
extern "C" {
__attribute__((visibility("hidden"))) char __libc_single_threaded = 0;
}
