// What Ulna's own programs and its Python module use of the library: the public headers, and what follows. They include no other private header.
#pragma once

#include <ulna/emit/equations.hpp>
#include <ulna/emit/generate.hpp>
#include <ulna/explain/explain.hpp>
#include <ulna/identify/excite.hpp>
#include <ulna/identify/identify.hpp>
#include <ulna/robot/derivative.hpp>
#include <ulna/sim/linearise.hpp>
#include <ulna/study/study.hpp>
#include <ulna/ulna.hpp>

// Texts: messages, names and the nearest one, numbers, CSV, JSON, files that are written whole or not at all.
#include "text/csv.hpp"
#include "text/json.hpp"
#include "text/message.hpp"
#include "text/parse_number.hpp"
#include "text/utf8.hpp"
#include "text/whole_file.hpp"
#include "text/words.hpp"

// Checks of what a user gives, with their messages.
#include "check/stands_free.hpp"
#include "jit/instruction_set_names.hpp"
#include "model/describe.hpp"
#include "model/link_named.hpp"
#include "model/require_fixed_base.hpp"
#include "model/unit_quaternion.hpp"
#include "source/source_text.hpp"

// What rounding may do to a result, and references to compare with.
#include "dynamics/rounding.hpp"
#include "dynamics/springs.hpp"
#include "verify/bounds.hpp"
#include "verify/certificate_json.hpp"
#include "verify/multipliers.hpp"
#include "verify/reference.hpp"

// Counts: formulations as programs, the papers' tables, races.
#include "count/counts.hpp"
#include "count/polynomial.hpp"
#include "count/published.hpp"
#include "count/race.hpp"
#include "count/tables.hpp"
#include "expr/minimise.hpp"
#include "formulation/table_trade.hpp"
#include "formulation/trace.hpp"

// Results of runs and campaigns, as commands print and write them.
#include "campaign/bytes.hpp"
#include "campaign/folder.hpp"
#include "campaign/h5_table.hpp"
#include "campaign/results.hpp"
#include "sim/drives.hpp"
#include "sim/torques.hpp"
#include "sim/variation.hpp"

// Charts and pages.
#include "draw/charts.hpp"
#include "draw/panels.hpp"
#include "draw/svg_pen.hpp"
#include "emit/probe.hpp"
#include "study/campaign_page.hpp"

// Their namespaces see what is inside. `sim` and `campaign` are the public names and those behind them.
#define ULNA_PROGRAM(name)                 \
  namespace ulna::name {                   \
  using namespace internal;                \
  namespace sim = internal::sim;           \
  namespace campaign = internal::campaign; \
  }
ULNA_PROGRAM(cli)
ULNA_PROGRAM(bench)
ULNA_PROGRAM(python)
ULNA_PROGRAM(peers)
