// Names: conversion to identifiers, and names that a robot cannot have in a language.
#include "emit/languages.hpp"

#include <array>
#include <string>

namespace ulna::internal {

namespace {

// Words between blanks.
// Headers of C and POSIX: the robot's own would stand before them where its folder is among those that are searched.
constexpr std::string_view kHeaders =
    " aio alloca assert complex ctype dirent dlfcn errno fcntl features fenv float fnmatch ftw getopt glob grp iconv inttypes iso646 langinfo "
    "libgen limits link locale malloc math memory monetary mqueue ndbm netdb nl_types poll pthread pty pwd regex sched search semaphore setjmp "
    "signal spawn stdalign stdarg stdatomic stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string strings stropts syslog tar "
    "termios tgmath threads time trace uchar ulimit unistd utime utmpx values wait wchar wctype wordexp ";

constexpr std::string_view kCppKeywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await co_return co_yield "
    "compl concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit "
    "export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public register reinterpret_cast requires return short signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq ";

// What <cmath> and <cstdio>, and all that they include with GNU's and LLVM's compilers, declare outside std or define as macros, and functions that these
// compilers know of themselves; a test checks this with the present compiler. Variants of a name for other types and threads are known by their endings.
constexpr std::string_view kCppLibrary =
    " BIG_ENDIAN BUFSIZ BYTE_ORDER EOF EXIT_FAILURE EXIT_SUCCESS FD_SETSIZE FILE FILENAME_MAX FOPEN_MAX INFINITY LITTLE_ENDIAN L_ctermid "
    "L_cuserid L_tmpnam MATH_ERREXCEPT MATH_ERRNO MAXFLOAT MB_CUR_MAX NAN NFDBITS NULL PDP_ENDIAN P_tmpdir RAND_MAX TMP_MAX WCONTINUED WEXITED "
    "WNOHANG WNOWAIT WSTOPPED WUNTRACED a64l abort abs acos acosh aligned_alloc alloca arc4random arc4random_buf arc4random_uniform asin asinh "
    "asprintf at_quick_exit atan atan2 atanh atexit atof atoi atol bcmp bcopy bsearch bzero cabs cacos cacosh calloc canonicalize "
    "canonicalize_file_name carg casin casinh catan catanh cbrt ccos ccosh ceil cexp cimag clearenv clearerr clog clog10 conj copysign cos cosh "
    "cpow cproj creal csin csinh csqrt ctan ctanh ctermid cuserid daddl dcgettext ddivl dfmal dgettext div dmull dprintf drand48 drand48_data "
    "drem dsqrtl dsubl ecvt erand48 erf erfc execl execle execlp execv execve execvp exit exp exp10 exp2 expm1 fabs fadd fclose fcloseall fcvt "
    "fd_mask fd_set fdim fdiv fdopen feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feof feraiseexcept ferror fesetenv "
    "fesetexceptflag fesetround fetestexcept feupdateenv fflush ffma ffs fgetc fgetpos fgets fileno finite flockfile floor fma fmax fmaximum "
    "fmaximum_mag fmaximum_mag_num fmaximum_num fmaxmag fmemopen fmin fminimum fminimum_mag fminimum_mag_num fminimum_num fminmag fmod fmul "
    "fopen fopencookie fork fprintf fputc fputs fread free freopen frexp fromfp fromfpx fscanf fseek fseeko fsetpos fsqrt fsub ftell ftello "
    "ftrylockfile funlockfile fwrite gamma gcvt getc getchar getdelim getenv getline getloadavg getpayload getpt gets getsubopt gettext getw "
    "grantpt hypot ilogb imaxabs index initstate isalnum isalpha isascii isblank iscanonical iscntrl isdigit iseqsig isgraph isinf islower isnan "
    "isprint ispunct issignaling isspace isupper iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace "
    "iswupper iswxdigit isxdigit iszero j0 j1 jn jrand48 l64a labs lcong48 ldexp ldiv lgamma llabs lldiv llogb llrint llround log log10 log1p "
    "log2 logb lrand48 lrint lround malloc math_errhandling mblen mbstowcs mbtowc memchr memcmp memcpy memmove mempcpy memset mkdtemp mkostemp "
    "mkostemps mkstemp mkstemps mktemp modf mrand48 nan nearbyint nextafter nextdown nexttoward nextup nrand48 obstack obstack_printf "
    "obstack_vprintf on_exit open_memstream pclose perror popen posix_memalign posix_openpt pow pow10 printf pselect ptsname putc putchar putenv "
    "puts putw qecvt qfcvt qgcvt qsort quick_exit rand random random_data realloc reallocarray realpath remainder remove remquo rename renameat "
    "renameat2 rewind rindex rint round roundeven rpmatch scalb scalbln scalbn scanf secure_getenv seed48 select setbuf setbuffer setenv "
    "setlinebuf setpayload setpayloadsig setstate setvbuf signbit signgam significand sin sincos sinh snprintf sprintf sqrt srand srand48 "
    "srandom sscanf stderr stdin stdout stpcpy stpncpy strcasecmp strcat strchr strcmp strcpy strcspn strdup strfmon strftime strlen strncasecmp "
    "strncat strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr system tan tanh tempnam tgamma timespec timeval tmpfile tmpnam "
    "toascii tolower totalorder totalordermag toupper towlower towupper trunc u_char u_int u_long u_short ufromfp ufromfpx uint ulong ungetc "
    "unlockpt unsetenv ushort va_list valloc vasprintf vdprintf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf wcstombs wctomb y0 y1 "
    "yn zeta "
    "linux unix "
    // Macros of other standard headers, which a program may include before the robot's.
    "assert errno offsetof setjmp sigsetjmp va_arg va_copy va_end va_start ";
constexpr std::array<std::string_view, 10> kCppBeginnings{"M_", "FP_", "HUGE_VAL", "SEEK_", "RENAME_", "SNAN", "f32", "f64", "strto", "strfrom"};
constexpr std::array<std::string_view, 12> kCppEndings{"_unlocked", "_r", "_l", "f128", "f32x", "f64x", "f16", "f32", "f64", "64", "f", "l"};

// The language's, of today and kept for later, and crates that every program has.
constexpr std::string_view kRust =
    " as async await abstract alloc become box break const continue core crate do dyn else enum extern false final fn for gen if impl in let loop "
    "macro match mod move mut override priv proc_macro pub ref return self Self static std struct super test trait true try type typeof unsafe "
    "unsized use virtual where while yield ";

constexpr std::string_view kPythonKeywords =
    " False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda "
    "nonlocal not or pass raise return try while with yield ";
// A file of this name would hide a module that numpy, or the user's program, imports.
constexpr std::string_view kPythonModules =
    " abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 "
    "cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall compression concurrent configparser "
    "contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings "
    "ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob "
    "graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3 "
    "linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt "
    "ntpath nturl2path numbers numpy opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib "
    "poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat pyrepl queue quopri random re readline "
    "reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver "
    "spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys sysconfig "
    "syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback "
    "tracemalloc tty turtle turtledemo types typing ulna unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg "
    "winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ";

// Of C, C++, Rust, Python and MATLAB, as far as a robot might be called so, and names that the generated code uses itself.
constexpr std::string_view kTaken =
    " auto break case char class const continue default delete do double else end enum extern float fn for function goto if impl import in inline "
    "int lambda let long loop main match mod mut new pass private public pub register return self short signed sizeof static struct super switch "
    "template this trait typedef union unsigned use using virtual void volatile while with yield sin cos ";

bool holds(std::string_view words, std::string_view name) { return words.find(" " + std::string(name) + " ") != std::string_view::npos; }
bool begins(std::string_view name, std::string_view with) { return name.substr(0, with.size()) == with; }
bool ends(std::string_view name, std::string_view with) { return name.size() > with.size() && name.substr(name.size() - with.size()) == with; }

bool in_cpp_library(std::string_view name) {
  if (holds(kCppLibrary, name)) return true;
  for (const std::string_view ending : kCppEndings)
    if (ends(name, ending) && in_cpp_library(name.substr(0, name.size() - ending.size()))) return true;
  return false;
}

}  // namespace

bool taken_in_c(std::string_view name) { return holds(kHeaders, name); }

bool taken_in_cpp(std::string_view name) {
  for (const std::string_view beginning : kCppBeginnings)
    if (begins(name, beginning)) return true;
  return holds(kCppKeywords, name) || ends(name, "_t") || name == "std" || in_cpp_library(name);  // POSIX keeps _t for its types
}

bool taken_in_rust(std::string_view name) { return holds(kRust, name); }

bool taken_in_python(std::string_view name) { return holds(kPythonKeywords, name) || holds(kPythonModules, name); }

bool taken_nowhere(std::string_view) { return false; }

}  // namespace ulna::internal

namespace ulna ULNA_API {

using namespace internal;

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string identifier(std::string_view text) {
  std::string out;
  for (const char c : text) out += is_letter(c) || is_digit(c) ? c : '_';
  // A leading underscore or two in a row are reserved in C++.
  std::string name;
  for (const char c : out)
    if (c != '_' || (!name.empty() && name.back() != '_')) name += c;
  while (!name.empty() && name.back() == '_') name.pop_back();
  if (name.size() > 64) name.resize(64);
  if (name.empty() || is_digit(name.front()) || internal::holds(internal::kTaken, name)) name = name.empty() ? "robot" : "robot_" + name;
  return name;
}

std::string comment_text(std::string_view text) {
  constexpr std::string_view kHarmless = " .,:;+-()[]=<>_%#'";
  std::string out;
  for (const char c : text) out += is_letter(c) || is_digit(c) || kHarmless.find(c) != std::string_view::npos ? c : '_';
  if (out.size() > 100) out = out.substr(0, 97) + "...";
  return out;
}

}  // namespace ULNA_API
